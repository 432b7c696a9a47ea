//! Fills. All are done when the call returns.

use crate::entry::api;
use crate::error::Result;
use crate::operation::{Operation, complete, submit};
use crate::transfer::{Fill, Rows};
use crate::types::{CUdeviceptr, CUstream};

api! {
    /// Fills with a byte.
    per_thread(cuMemsetD8_v2_ptds) fn cuMemsetD8_v2(address: CUdeviceptr, value: u8, width: usize) {
        complete(&fill(row(address, width), value.into(), 1)?)
    }

    /// Fills with a byte.
    per_thread(cuMemsetD8Async_ptsz) fn cuMemsetD8Async(address: CUdeviceptr, value: u8, width: usize, stream: CUstream) {
        submit(stream, fill(row(address, width), value.into(), 1)?)
    }

    /// Fills with two bytes.
    per_thread(cuMemsetD16_v2_ptds) fn cuMemsetD16_v2(address: CUdeviceptr, value: u16, width: usize) {
        complete(&fill(row(address, width), value.into(), 2)?)
    }

    /// Fills with two bytes.
    per_thread(cuMemsetD16Async_ptsz) fn cuMemsetD16Async(address: CUdeviceptr, value: u16, width: usize, stream: CUstream) {
        submit(stream, fill(row(address, width), value.into(), 2)?)
    }

    /// Fills with four bytes.
    per_thread(cuMemsetD32_v2_ptds) fn cuMemsetD32_v2(address: CUdeviceptr, value: u32, width: usize) {
        complete(&fill(row(address, width), value, 4)?)
    }

    /// Fills with four bytes.
    per_thread(cuMemsetD32Async_ptsz) fn cuMemsetD32Async(address: CUdeviceptr, value: u32, width: usize, stream: CUstream) {
        submit(stream, fill(row(address, width), value, 4)?)
    }

    /// Fills a rectangle with a byte.
    per_thread(cuMemsetD2D8_v2_ptds) fn cuMemsetD2D8_v2(
        address: CUdeviceptr,
        pitch: usize,
        value: u8,
        width: usize,
        height: usize,
    ) {
        let rows = Rows { address, pitch, width, height };
        complete(&fill(rows, value.into(), 1)?)
    }

    /// Fills a rectangle with a byte.
    per_thread(cuMemsetD2D8Async_ptsz) fn cuMemsetD2D8Async(
        address: CUdeviceptr,
        pitch: usize,
        value: u8,
        width: usize,
        height: usize,
        stream: CUstream,
    ) {
        let rows = Rows { address, pitch, width, height };
        submit(stream, fill(rows, value.into(), 1)?)
    }

    /// Fills a rectangle with two bytes.
    per_thread(cuMemsetD2D16_v2_ptds) fn cuMemsetD2D16_v2(
        address: CUdeviceptr,
        pitch: usize,
        value: u16,
        width: usize,
        height: usize,
    ) {
        let rows = Rows { address, pitch, width, height };
        complete(&fill(rows, value.into(), 2)?)
    }

    /// Fills a rectangle with two bytes.
    per_thread(cuMemsetD2D16Async_ptsz) fn cuMemsetD2D16Async(
        address: CUdeviceptr,
        pitch: usize,
        value: u16,
        width: usize,
        height: usize,
        stream: CUstream,
    ) {
        let rows = Rows { address, pitch, width, height };
        submit(stream, fill(rows, value.into(), 2)?)
    }

    /// Fills a rectangle with four bytes.
    per_thread(cuMemsetD2D32_v2_ptds) fn cuMemsetD2D32_v2(
        address: CUdeviceptr,
        pitch: usize,
        value: u32,
        width: usize,
        height: usize,
    ) {
        let rows = Rows { address, pitch, width, height };
        complete(&fill(rows, value, 4)?)
    }

    /// Fills a rectangle with four bytes.
    per_thread(cuMemsetD2D32Async_ptsz) fn cuMemsetD2D32Async(
        address: CUdeviceptr,
        pitch: usize,
        value: u32,
        width: usize,
        height: usize,
        stream: CUstream,
    ) {
        let rows = Rows { address, pitch, width, height };
        submit(stream, fill(rows, value, 4)?)
    }
}

fn fill(rows: Rows, value: u32, size: usize) -> Result<Operation> {
    Fill::new(rows, value, size).map(Operation::Fill)
}

fn row(address: CUdeviceptr, width: usize) -> Rows {
    Rows { address, pitch: 0, width, height: 1 }
}
