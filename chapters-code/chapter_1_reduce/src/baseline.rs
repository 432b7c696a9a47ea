//! The same reduction by a baseline library, through `baseline_reduce` and `baseline_segmented_reduce` of
//! baselines.h.

use std::ffi::{c_int, c_void};

use harness::{
    Element, Error,
    baselines::{Baselines, Call, LibraryRun, Segments, address, dtype_code, op_code},
    operation,
    verify::{self, Accepted},
};

use crate::problem::{MatrixReduction, Reduction};

operation! {
    Reduce = baseline_reduce(op: c_int, dtype: c_int; from: *const c_void, to: *mut c_void, n: usize)
}

/// The library's reduction of the input, in each of its ways, verified; empty if the library lacks it.
pub(crate) fn reduce<T: Element>(
    of: &Reduction<T>,
    expected: Accepted<T::Acc>,
    library: &Baselines,
) -> Result<Vec<LibraryRun<Reduction<T>>>, Error> {
    let (Some(op), Some(reduce)) = (op_code(of.case.op), Reduce::of(library)) else {
        return Ok(Vec::new());
    };
    let (dtype, n) = (dtype_code(of.case.dtype), of.case.elements() as usize);
    let call = Call {
        operation: "reduce",
        what: of.case.to_string(),
        output_bytes: size_of::<T::Acc>(),
        // SAFETY: device addresses of n elements and one result; nothing is touched.
        scratch_bytes: Box::new(move |way, p: &Reduction<T>, to| unsafe {
            (reduce.scratch_bytes)(way, op, dtype, address(&p.device, &p.input), to, n)
        }),
        // SAFETY: as above, with the scratch that was asked for.
        run: Box::new(move |way, p, to, s| unsafe {
            let from = address(&p.device, &p.input);
            (reduce.run)(way, op, dtype, s.address, s.bytes, from, to, n, s.stream)
        }),
    };
    library.ways(of, call, |computed| verify::compare(computed, [expected]))
}

/// The library's reduction of all rows, as segments of the same length, verified; empty if the library lacks it.
pub(crate) fn reduce_rows(
    of: &MatrixReduction,
    expected: &[Accepted<f32>],
    library: &Baselines,
) -> Result<Vec<LibraryRun<MatrixReduction>>, Error> {
    let rows = Segments::new(of.rows as usize, of.cols as usize, false);
    let arrays = move |p: &MatrixReduction| (address(&p.device, &p.input), rows);
    let judge = |computed: &[u8]| verify::compare(computed, expected.iter().copied());
    library.segmented_reduce(of, format!("{} of rows", of.case), arrays, judge)
}
