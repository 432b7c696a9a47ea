//! Fills. All are done when the call returns.

use crate::context;
use crate::entry::api;
use crate::stream;
use crate::transfer::{Rows, fill};
use crate::types::{CUdeviceptr, CUstream};

api! {
    /// Fills with a byte.
    per_thread(cuMemsetD8_v2_ptds) fn cuMemsetD8_v2(address: CUdeviceptr, value: u8, width: usize) {
        fill(&*context::synchronized()?, row(address, width), &value.to_le_bytes())
    }

    /// Fills with a byte.
    per_thread(cuMemsetD8Async_ptsz) fn cuMemsetD8Async(address: CUdeviceptr, value: u8, width: usize, stream: CUstream) {
        fill(&*stream::queueing(stream)?, row(address, width), &value.to_le_bytes())
    }

    /// Fills with two bytes.
    per_thread(cuMemsetD16_v2_ptds) fn cuMemsetD16_v2(address: CUdeviceptr, value: u16, width: usize) {
        fill(&*context::synchronized()?, row(address, width), &value.to_le_bytes())
    }

    /// Fills with two bytes.
    per_thread(cuMemsetD16Async_ptsz) fn cuMemsetD16Async(address: CUdeviceptr, value: u16, width: usize, stream: CUstream) {
        fill(&*stream::queueing(stream)?, row(address, width), &value.to_le_bytes())
    }

    /// Fills with four bytes.
    per_thread(cuMemsetD32_v2_ptds) fn cuMemsetD32_v2(address: CUdeviceptr, value: u32, width: usize) {
        fill(&*context::synchronized()?, row(address, width), &value.to_le_bytes())
    }

    /// Fills with four bytes.
    per_thread(cuMemsetD32Async_ptsz) fn cuMemsetD32Async(address: CUdeviceptr, value: u32, width: usize, stream: CUstream) {
        fill(&*stream::queueing(stream)?, row(address, width), &value.to_le_bytes())
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
        fill(&*context::synchronized()?, rows, &value.to_le_bytes())
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
        fill(&*stream::queueing(stream)?, rows, &value.to_le_bytes())
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
        fill(&*context::synchronized()?, rows, &value.to_le_bytes())
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
        fill(&*stream::queueing(stream)?, rows, &value.to_le_bytes())
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
        fill(&*context::synchronized()?, rows, &value.to_le_bytes())
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
        fill(&*stream::queueing(stream)?, rows, &value.to_le_bytes())
    }
}

fn row(address: CUdeviceptr, width: usize) -> Rows {
    Rows {
        address,
        pitch: 0,
        width,
        height: 1,
    }
}
