//! The same transpose by a library, through `baseline_transpose` of baselines.h.

use std::ffi::{c_int, c_void};

use harness::{
    Element, Error,
    baselines::{Baselines, Call, LibraryRun, address, dtype_code},
    verify,
};

use crate::{layout::Layout, problem::Matrices};

/// `struct BaselineMatrices` of baselines.h.
#[repr(C)]
#[derive(Clone, Copy)]
struct Of {
    rows: usize,
    cols: usize,
    ld_in: usize,
    ld_out: usize,
    batch: usize,
}

harness::operation! {
    Transpose = baseline_transpose(dtype: c_int; from: *const c_void, to: *mut c_void, of: *const Of)
}

/// The library's transposes of the input, verified.
pub(crate) fn transpose<T: Element>(
    p: &Matrices<T>,
    library: &Baselines,
) -> Result<Vec<LibraryRun<Matrices<T>>>, Error> {
    let Some(transpose) = Transpose::of(library) else { return Ok(Vec::new()) };
    if p.layout.elements() == 0 {
        return Ok(Vec::new());
    }
    let dtype = dtype_code(T::DTYPE);
    let Layout { rows, cols, ld_in, ld_out, batch } = p.layout;
    let [rows, cols, ld_in, ld_out, batch] = [rows, cols, ld_in, ld_out, batch].map(|n| n as usize);
    let of = Of { rows, cols, ld_in, ld_out, batch };
    let call = Call {
        operation: "transpose",
        what: format!("transpose of {} {}", p.case.shape, T::DTYPE),
        output_bytes: size_of_val(&p.expected[..]),
        // SAFETY: it looks at its arguments only.
        scratch_bytes: Box::new(move |way, p: &Matrices<T>, to| unsafe {
            (transpose.scratch_bytes)(way, dtype, address(&p.device, &p.input), to, &of)
        }),
        // SAFETY: the input has `batch` matrices of `rows` rows, ld_in elements apart, and the output as many of `cols`,
        // ld_out apart; both are of the dtype, and the scratch has the bytes asked for; all are in the current context.
        run: Box::new(move |way, p, to, s| unsafe {
            let from = address(&p.device, &p.input);
            (transpose.run)(way, dtype, s.address, s.bytes, from, to, &of, s.stream)
        }),
    };
    library.ways(p, call, |computed| verify::compare_equal(computed, &p.expected))
}
