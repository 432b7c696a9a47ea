//! The same reduction by a baseline library, through `baseline_reduce` of baselines.h.

use std::ffi::{c_int, c_void};

use cudarc::driver::CudaSlice;
use harness::{
    Case, Device, Element, Error,
    baselines::{BaselineRun, Baselines, Call, dtype_code, op_code},
    verify::{self, Exact},
};

type ScratchBytes = unsafe extern "C" fn(c_int, c_int, *const c_void, *mut c_void, usize) -> usize;
type Reduce = unsafe extern "C" fn(
    c_int,
    c_int,
    *mut c_void,
    usize,
    *const c_void,
    *mut c_void,
    usize,
    *mut c_void,
) -> c_int;

/// The baseline's reduction of `input`, run once and verified; none where the baseline lacks it.
pub(crate) fn reduce<'a, T: Element>(
    device: &'a Device,
    case: &Case,
    input: &'a CudaSlice<T>,
    expected: Exact<T::Acc>,
    baselines: &'a Baselines,
) -> Result<Option<BaselineRun<'a>>, Error> {
    // SAFETY: the types of baselines.h.
    let functions = unsafe {
        (
            baselines.function::<ScratchBytes>("baseline_reduce_scratch"),
            baselines.function::<Reduce>("baseline_reduce"),
        )
    };
    let (Some(op), (Some(scratch_bytes), Some(reduce))) = (op_code(case.op), functions) else {
        return Ok(None);
    };
    let (dtype, n) = (dtype_code(case.dtype), case.elements() as usize);
    let call = Call {
        what: case.to_string(),
        output_bytes: size_of::<T::Acc>(),
        // SAFETY: device addresses of n elements and one result; nothing is touched.
        scratch_bytes: Box::new(move |at| unsafe {
            scratch_bytes(op, dtype, at.input, at.output, n)
        }),
        // SAFETY: as above, with the scratch that was asked for; all of it lives as long as the call.
        run: Box::new(move |at, scratch| unsafe {
            reduce(
                op,
                dtype,
                scratch.address,
                scratch.bytes,
                at.input,
                at.output,
                n,
                scratch.stream,
            )
        }),
    };
    baselines.prepare(device, input, call, |computed| verify::compare(computed, [expected]))
}
