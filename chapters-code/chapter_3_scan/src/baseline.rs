//! The same scan by a baseline library, through `baseline_scan` of baselines.h.

use std::ffi::{c_int, c_void};

use harness::{
    Element, Error, Kind,
    baselines::{Baselines, Call, LibraryRun, address, dtype_code, op_code},
    operation,
    verify::Verdict,
};

use crate::problem::PrefixScan;

operation! {
    Scan = baseline_scan(exclusive: c_int, op: c_int, dtype: c_int; from: *const c_void, to: *mut c_void, n: usize)
}

/// The library's scan of the input, in each of its ways, judged; empty if the library lacks it.
pub(crate) fn scan<T: Element>(
    of: &PrefixScan<T>,
    judge: impl Fn(&[T]) -> Verdict,
    library: &Baselines,
) -> Result<Vec<LibraryRun<PrefixScan<T>>>, Error> {
    let case = of.case;
    let (Some(op), Some(scan)) = (op_code(case.op), Scan::of(library)) else {
        return Ok(Vec::new());
    };
    let exclusive = c_int::from(case.task.kind == Kind::Exclusive);
    let (dtype, n) = (dtype_code(case.dtype), case.elements() as usize);
    let call = Call {
        operation: "scan",
        what: case.to_string(),
        output_bytes: case.input_bytes() as usize,
        // SAFETY: device addresses of n elements each; nothing is touched.
        scratch_bytes: Box::new(move |way, p: &PrefixScan<T>, to| unsafe {
            (scan.scratch_bytes)(way, exclusive, op, dtype, address(&p.device, &p.input), to, n)
        }),
        // SAFETY: as above, with the scratch that was asked for.
        run: Box::new(move |way, p, to, s| unsafe {
            let from = address(&p.device, &p.input);
            (scan.run)(way, exclusive, op, dtype, s.address, s.bytes, from, to, n, s.stream)
        }),
    };
    library.ways(of, call, |computed| judge(bytemuck::cast_slice(computed)))
}
