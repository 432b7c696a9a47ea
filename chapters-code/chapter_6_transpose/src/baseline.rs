//! The same transpose by a library, through `baseline_transpose` of baselines.h.

use std::ffi::{c_int, c_void};

use harness::{
    Element, Error,
    baselines::{Baselines, Call, Way, address, dtype_code},
    verify,
};

use crate::{layout::Layout, problem::Matrices};

type ScratchBytes = unsafe extern "C" fn(c_int, c_int, usize, usize, usize, usize) -> usize;
type Transpose = unsafe extern "C" fn(
    c_int,
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

/// The library's transpose of the input, verified. There is none for batches.
pub(crate) fn transpose<T: Element>(
    p: &Matrices<T>,
    library: &Baselines,
) -> Result<Vec<Way<Matrices<T>>>, Error> {
    // SAFETY: the types of baselines.h.
    let functions = unsafe {
        (
            library.function::<ScratchBytes>("baseline_transpose_scratch"),
            library.function::<Transpose>("baseline_transpose"),
        )
    };
    let (Some(scratch_bytes), Some(transpose)) = functions else {
        return Ok(Vec::new());
    };
    if p.layout.batch != 1 || p.layout.elements() == 0 {
        return Ok(Vec::new());
    }
    let dtype = dtype_code(T::DTYPE);
    let Layout { rows, cols, ld_in, ld_out, .. } = p.layout;
    let [rows, cols, ld_in, ld_out] = [rows, cols, ld_in, ld_out].map(|n| n as usize);
    let call = Call {
        operation: "transpose",
        what: format!("transpose of {} {}", p.case.shape, T::DTYPE),
        output_bytes: size_of_val(&p.expected[..]),
        // SAFETY: it looks at its arguments only.
        scratch_bytes: Box::new(move |way, _, _| unsafe {
            scratch_bytes(way, dtype, rows, cols, ld_in, ld_out)
        }),
        // SAFETY: the input has `rows` rows, ld_in elements apart, the output `cols`, ld_out apart; both
        // are of the dtype, and the scratch has the bytes asked for; all are in the current context.
        run: Box::new(move |way, p: &Matrices<T>, to, s| unsafe {
            let from = address(&p.device, &p.input);
            let (address, bytes, stream) = (s.address, s.bytes, s.stream);
            transpose(way, dtype, address, bytes, from, to, rows, cols, ld_in, ld_out, stream)
        }),
    };
    library.ways(p, call, |computed| verify::compare_equal(computed, &p.expected))
}
