//! The same histogram by a baseline library, through `baseline_histogram` of baselines.h.

use std::ffi::{c_float, c_int, c_uint, c_void};

use harness::{
    Error,
    baselines::{BaselineRun, Baselines, Call, dtype_code},
    verify::{self, Exact},
};

use crate::{bins::Bins, problem::Counting, reference::Key};

type ScratchBytes = unsafe extern "C" fn(
    c_int,
    *const c_void,
    *mut c_void,
    c_uint,
    c_float,
    c_float,
    usize,
) -> usize;
type Count = unsafe extern "C" fn(
    c_int,
    *mut c_void,
    usize,
    *const c_void,
    *mut c_void,
    c_uint,
    c_float,
    c_float,
    usize,
    *mut c_void,
) -> c_int;

/// The histogram of the keys by a baseline library, run once and verified; none where the library lacks it.
/// It has counters for the bins, and none for keys without a bin.
pub(crate) fn histogram<'a, K: Key>(
    of: &'a Counting<K>,
    counts: &[u32],
    baselines: &'a Baselines,
) -> Result<Option<BaselineRun<'a>>, Error> {
    // SAFETY: the types of baselines.h.
    let functions = unsafe {
        (
            baselines.function::<ScratchBytes>("baseline_histogram_scratch"),
            baselines.function::<Count>("baseline_histogram"),
        )
    };
    let (Some(scratch_bytes), Some(count)) = functions else {
        return Ok(None);
    };
    let Bins { count: bins, low, high, .. } = of.bins;
    let (dtype, n) = (dtype_code(of.case.dtype), of.case.elements() as usize);
    let call = Call {
        what: format!("histogram of {} {}", of.case.shape, of.case.dtype),
        output_bytes: 4 * bins as usize,
        // SAFETY: device addresses of n keys and m counters; nothing is touched.
        scratch_bytes: Box::new(move |at| unsafe {
            scratch_bytes(dtype, at.input, at.output, bins, low, high, n)
        }),
        // SAFETY: as above, with the scratch that was asked for; all of it lives as long as the call.
        run: Box::new(move |at, scratch| unsafe {
            count(
                dtype,
                scratch.address,
                scratch.bytes,
                at.input,
                at.output,
                bins,
                low,
                high,
                n,
                scratch.stream,
            )
        }),
    };
    baselines.prepare(&of.device, &of.keys, call, |computed| {
        let counts = counts[..bins as usize].iter().copied();
        verify::compare(computed, counts.map(Exact::Equal))
    })
}
