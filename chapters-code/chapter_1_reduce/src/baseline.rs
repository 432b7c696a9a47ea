//! The same reduction by a baseline library, through `baseline_reduce` and `baseline_segmented_reduce` of
//! baselines.h.

use std::ffi::{c_int, c_void};

use harness::{
    Element, Error,
    baselines::{Baselines, Call, Segments, Way, address, dtype_code, op_code},
    verify::{self, Accepted},
};

use crate::problem::{MatrixReduction, Reduction};

type ScratchBytes =
    unsafe extern "C" fn(c_int, c_int, c_int, *const c_void, *mut c_void, usize) -> usize;
type Reduce = unsafe extern "C" fn(
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

/// The library's reduction of the input, in each of its ways, verified; empty where the library lacks it.
pub(crate) fn reduce<T: Element>(
    of: &Reduction<T>,
    expected: Accepted<T::Acc>,
    library: &Baselines,
) -> Result<Vec<Way<Reduction<T>>>, Error> {
    // SAFETY: the types of baselines.h.
    let functions = unsafe {
        (
            library.function::<ScratchBytes>("baseline_reduce_scratch"),
            library.function::<Reduce>("baseline_reduce"),
        )
    };
    let (Some(op), (Some(scratch_bytes), Some(reduce))) = (op_code(of.case.op), functions) else {
        return Ok(Vec::new());
    };
    let (dtype, n) = (dtype_code(of.case.dtype), of.case.elements() as usize);
    let call = Call {
        operation: "reduce",
        what: of.case.to_string(),
        output_bytes: size_of::<T::Acc>(),
        // SAFETY: device addresses of n elements and one result; nothing is touched.
        scratch_bytes: Box::new(move |way, p: &Reduction<T>, to| unsafe {
            scratch_bytes(way, op, dtype, address(&p.device, &p.input), to, n)
        }),
        // SAFETY: as above, with the scratch that was asked for.
        run: Box::new(move |way, p, to, s| unsafe {
            let from = address(&p.device, &p.input);
            reduce(way, op, dtype, s.address, s.bytes, from, to, n, s.stream)
        }),
    };
    library.ways(of, call, |computed| verify::compare(computed, [expected]))
}

/// The library's reduction of all rows, as segments of the same length, verified; empty where the library lacks it.
pub(crate) fn reduce_rows(
    of: &MatrixReduction,
    expected: &[Accepted<f32>],
    library: &Baselines,
) -> Result<Vec<Way<MatrixReduction>>, Error> {
    let rows = Segments::new(of.rows as usize, of.cols as usize, false);
    let arrays = move |p: &MatrixReduction| (address(&p.device, &p.input), rows);
    let judge = |computed: &[u8]| verify::compare(computed, expected.iter().copied());
    library.segmented_reduce(of, format!("{} of rows", of.case), arrays, judge)
}
