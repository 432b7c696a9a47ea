//! The same transpose by a library, through `baseline_transpose` of baselines.h.

use std::ffi::{c_int, c_void};

use harness::{
    Element, Error,
    baselines::{BaselineRun, Baselines, Call, dtype_code},
    verify,
};

use crate::{layout::Layout, problem::Matrices};

type ScratchBytes = unsafe extern "C" fn(c_int, usize, usize, usize, usize) -> usize;
type Transpose = unsafe extern "C" fn(
    c_int,
    *mut c_void,
    usize,
    *const c_void,
    *mut c_void,
    usize,
    usize,
    usize,
    usize,
    *mut c_void,
) -> c_int;

/// The library's transpose of the input, run once and verified. There is none for batches.
pub(crate) fn transpose<'a, T: Element>(
    p: &'a Matrices<T>,
    baselines: &'a Baselines,
) -> Result<Option<BaselineRun<'a>>, Error> {
    // SAFETY: the types of baselines.h.
    let functions = unsafe {
        (
            baselines.function::<ScratchBytes>("baseline_transpose_scratch"),
            baselines.function::<Transpose>("baseline_transpose"),
        )
    };
    let (Some(scratch_bytes), Some(transpose)) = functions else {
        return Ok(None);
    };
    if p.layout.batch != 1 || p.layout.elements() == 0 {
        return Ok(None);
    }
    let dtype = dtype_code(T::DTYPE);
    let Layout { rows, cols, ld_in, ld_out, .. } = p.layout;
    let [rows, cols, ld_in, ld_out] = [rows, cols, ld_in, ld_out].map(|n| n as usize);
    let call = Call {
        what: format!("transpose of {} {}", p.case.shape, T::DTYPE),
        output_bytes: size_of_val(&p.expected[..]),
        // SAFETY: it looks at its arguments only.
        scratch_bytes: Box::new(move |_| unsafe {
            scratch_bytes(dtype, rows, cols, ld_in, ld_out)
        }),
        // SAFETY: the input has `rows` rows, ld_in elements apart, the output `cols`, ld_out apart; both
        // are of the dtype, and the scratch has the bytes asked for; all are in the current context.
        run: Box::new(move |at, scratch| unsafe {
            transpose(
                dtype,
                scratch.address,
                scratch.bytes,
                at.input,
                at.output,
                rows,
                cols,
                ld_in,
                ld_out,
                scratch.stream,
            )
        }),
    };
    baselines
        .prepare(&p.device, &p.input, call, |computed| verify::compare_equal(computed, &p.expected))
}
