//! What the rungs of this chapter are set up from, besides what those of every chapter are.

use cudarc::driver::{CudaFunction, CudaSlice};
use harness::{Dtype, Error, rung::Setup};

use crate::geometry::Geometry;

/// The entry point for elements of `dtype`, such as `sum_f32`.
///
/// # Errors
/// [`Error::Module`] where the rung has no such kernel.
pub fn function(s: &Setup<'_>, dtype: Dtype) -> Result<CudaFunction, Error> {
    s.entry(&format!("{}_{dtype}", s.case.op))
}

/// Memory for so many partial results, of the accumulator's type, full of poison.
///
/// # Errors
/// [`Error::Driver`] where the device has no room for them.
pub fn scratch(s: &Setup<'_>, count: u64) -> Result<CudaSlice<u8>, Error> {
    s.scratch(count * s.case.dtype.accumulator().size() as u64)
}

/// A rung's geometry, with the wanted threads of a block where its kernel takes so many.
pub(crate) fn geometry(s: &Setup<'_>, own: Geometry) -> Geometry {
    let wanted = s.block.and_then(|threads| own.with_threads(threads));
    wanted.unwrap_or(own)
}
