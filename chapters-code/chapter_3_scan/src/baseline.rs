//! The same scan by a baseline library, through `baseline_scan` of baselines.h.

use crate::parameters;
use std::ffi::{c_int, c_void};

use cudarc::driver::CudaSlice;
use harness::{
    Case, Device, Element, Error, Kind,
    baselines::{BaselineRun, Baselines, Call, dtype_code, op_code},
    verify::Verdict,
};

type ScratchBytes =
    unsafe extern "C" fn(c_int, c_int, c_int, *const c_void, *mut c_void, usize) -> usize;
type Scan = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    *mut c_void,
    usize,
    *const c_void,
    *mut c_void,
    usize,
    *mut c_void,
) -> c_int;

/// The baseline's scan of `input`, run once and judged; none where the baseline lacks it.
pub(crate) fn scan<'a, T: Element>(
    device: &'a Device,
    case: &Case,
    input: &'a CudaSlice<T>,
    judge: impl FnOnce(&[T]) -> Verdict,
    baselines: &'a Baselines,
) -> Result<Option<BaselineRun<'a>>, Error> {
    // SAFETY: the types of baselines.h.
    let functions = unsafe {
        (
            baselines.function::<ScratchBytes>("baseline_scan_scratch"),
            baselines.function::<Scan>("baseline_scan"),
        )
    };
    let (Some(op), (Some(scratch_bytes), Some(scan))) = (op_code(case.op), functions) else {
        return Ok(None);
    };
    let exclusive = c_int::from(parameters::kind(case) == Kind::Exclusive);
    let (dtype, n) = (dtype_code(case.dtype), case.elements() as usize);
    let call = Call {
        what: case.to_string(),
        output_bytes: case.input_bytes() as usize,
        // SAFETY: device addresses of n elements each; nothing is touched.
        scratch_bytes: Box::new(move |at| unsafe {
            scratch_bytes(exclusive, op, dtype, at.input, at.output, n)
        }),
        // SAFETY: as above, with the scratch that was asked for; all of it lives as long as the call.
        run: Box::new(move |at, scratch| unsafe {
            scan(
                exclusive,
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
    baselines.prepare(device, input, call, |computed| judge(bytemuck::cast_slice(computed)))
}
