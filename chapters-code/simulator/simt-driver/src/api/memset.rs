//! Fills. All are done when the call returns.

use crate::entry::api;
use crate::error::Result;
use crate::operation::{Operation, complete, submit};
use crate::transfer::{Fill, Rows};
use crate::types::{CUdeviceptr, CUstream};

/// Defines the fills with a type of values: of a row and of a rectangle, each at once and in a stream.
macro_rules! fills {
    ($(
        $value:ty:
        $row:ident $row_ptds:ident, $row_async:ident $row_ptsz:ident,
        $rows:ident $rows_ptds:ident, $rows_async:ident $rows_ptsz:ident;
    )*) => {
        api! {$(
            #[doc = concat!("Fills with a `", stringify!($value), "`.")]
            per_thread($row_ptds) fn $row(address: CUdeviceptr, value: $value, width: usize) {
                complete(&fill(row(address, width), value)?)
            }

            #[doc = concat!("Fills with a `", stringify!($value), "`.")]
            per_thread($row_ptsz) fn $row_async(address: CUdeviceptr, value: $value, width: usize, stream: CUstream) {
                submit(stream, fill(row(address, width), value)?)
            }

            #[doc = concat!("Fills a rectangle with a `", stringify!($value), "`.")]
            per_thread($rows_ptds) fn $rows(
                address: CUdeviceptr,
                pitch: usize,
                value: $value,
                width: usize,
                height: usize,
            ) {
                complete(&fill(Rows { address, pitch, width, height }, value)?)
            }

            #[doc = concat!("Fills a rectangle with a `", stringify!($value), "`.")]
            per_thread($rows_ptsz) fn $rows_async(
                address: CUdeviceptr,
                pitch: usize,
                value: $value,
                width: usize,
                height: usize,
                stream: CUstream,
            ) {
                submit(stream, fill(Rows { address, pitch, width, height }, value)?)
            }
        )*}
    };
}

fills! {
    u8:
        cuMemsetD8_v2 cuMemsetD8_v2_ptds, cuMemsetD8Async cuMemsetD8Async_ptsz,
        cuMemsetD2D8_v2 cuMemsetD2D8_v2_ptds, cuMemsetD2D8Async cuMemsetD2D8Async_ptsz;
    u16:
        cuMemsetD16_v2 cuMemsetD16_v2_ptds, cuMemsetD16Async cuMemsetD16Async_ptsz,
        cuMemsetD2D16_v2 cuMemsetD2D16_v2_ptds, cuMemsetD2D16Async cuMemsetD2D16Async_ptsz;
    u32:
        cuMemsetD32_v2 cuMemsetD32_v2_ptds, cuMemsetD32Async cuMemsetD32Async_ptsz,
        cuMemsetD2D32_v2 cuMemsetD2D32_v2_ptds, cuMemsetD2D32Async cuMemsetD2D32Async_ptsz;
}

fn fill<T: Into<u32>>(rows: Rows, value: T) -> Result<Operation> {
    Fill::new(rows, value.into(), size_of::<T>()).map(Operation::Fill)
}

fn row(address: CUdeviceptr, width: usize) -> Rows {
    Rows { address, pitch: 0, width, height: 1 }
}
