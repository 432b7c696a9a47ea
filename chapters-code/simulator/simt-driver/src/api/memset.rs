//! Fills. All are done when the call returns.

use crate::entry::operations;
use crate::error::Result;
use crate::operation::Operation;
use crate::transfer::{Fill, Rows};
use crate::types::CUdeviceptr;

operations! {
    /// Fills with bytes.
    fn cuMemsetD8_v2/cuMemsetD8_v2_ptds, cuMemsetD8Async/cuMemsetD8Async_ptsz
        (address: CUdeviceptr, value: u8, width: usize) => row(address, value, width);
    /// Fills with 16-bit values.
    fn cuMemsetD16_v2/cuMemsetD16_v2_ptds, cuMemsetD16Async/cuMemsetD16Async_ptsz
        (address: CUdeviceptr, value: u16, width: usize) => row(address, value, width);
    /// Fills with 32-bit values.
    fn cuMemsetD32_v2/cuMemsetD32_v2_ptds, cuMemsetD32Async/cuMemsetD32Async_ptsz
        (address: CUdeviceptr, value: u32, width: usize) => row(address, value, width);
    /// Fills a rectangle with bytes.
    fn cuMemsetD2D8_v2/cuMemsetD2D8_v2_ptds, cuMemsetD2D8Async/cuMemsetD2D8Async_ptsz
        (address: CUdeviceptr, pitch: usize, value: u8, width: usize, height: usize)
        => fill(Rows { address, pitch, width, height }, value);
    /// Fills a rectangle with 16-bit values.
    fn cuMemsetD2D16_v2/cuMemsetD2D16_v2_ptds, cuMemsetD2D16Async/cuMemsetD2D16Async_ptsz
        (address: CUdeviceptr, pitch: usize, value: u16, width: usize, height: usize)
        => fill(Rows { address, pitch, width, height }, value);
    /// Fills a rectangle with 32-bit values.
    fn cuMemsetD2D32_v2/cuMemsetD2D32_v2_ptds, cuMemsetD2D32Async/cuMemsetD2D32Async_ptsz
        (address: CUdeviceptr, pitch: usize, value: u32, width: usize, height: usize)
        => fill(Rows { address, pitch, width, height }, value);
    also {}
}

fn row<T: Into<u32>>(address: CUdeviceptr, value: T, width: usize) -> Result<Operation> {
    fill(Rows { address, pitch: 0, width, height: 1 }, value)
}

fn fill<T: Into<u32>>(rows: Rows, value: T) -> Result<Operation> {
    Fill::new(rows, value.into(), size_of::<T>()).map(Operation::Fill)
}
