//! Fills. All are done when the call returns.

use crate::context;
use crate::entry::api;
use crate::stream;
use crate::transfer::{Rows, fill};
use crate::types::{CUdeviceptr, CUstream};

api! {
    /// Fills with a byte.
    fn cuMemsetD8_v2(address: CUdeviceptr, value: u8, width: usize) {
        fill(&*context::synchronized()?, row(address, width), &value.to_le_bytes())
    }

    /// Fills with a byte.
    fn cuMemsetD8Async(address: CUdeviceptr, value: u8, width: usize, stream: CUstream) {
        fill(&*stream::queueing(stream)?, row(address, width), &value.to_le_bytes())
    }

    /// Fills with two bytes.
    fn cuMemsetD16_v2(address: CUdeviceptr, value: u16, width: usize) {
        fill(&*context::synchronized()?, row(address, width), &value.to_le_bytes())
    }

    /// Fills with two bytes.
    fn cuMemsetD16Async(address: CUdeviceptr, value: u16, width: usize, stream: CUstream) {
        fill(&*stream::queueing(stream)?, row(address, width), &value.to_le_bytes())
    }

    /// Fills with four bytes.
    fn cuMemsetD32_v2(address: CUdeviceptr, value: u32, width: usize) {
        fill(&*context::synchronized()?, row(address, width), &value.to_le_bytes())
    }

    /// Fills with four bytes.
    fn cuMemsetD32Async(address: CUdeviceptr, value: u32, width: usize, stream: CUstream) {
        fill(&*stream::queueing(stream)?, row(address, width), &value.to_le_bytes())
    }

    /// Fills a rectangle with a byte.
    fn cuMemsetD2D8_v2(
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
    fn cuMemsetD2D8Async(
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
    fn cuMemsetD2D16_v2(
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
    fn cuMemsetD2D16Async(
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
    fn cuMemsetD2D32_v2(
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
    fn cuMemsetD2D32Async(
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
