//! The same histogram by a baseline library, through `baseline_histogram` of baselines.h.

use std::ffi::{c_double, c_int, c_uint, c_void};

use harness::{
    Error,
    baselines::{Baselines, Call, LibraryRun, address, dtype_code},
    operation,
    verify::{self, Accepted},
};

use crate::{problem::Counting, reference::Key};

operation! {
    Histogram = baseline_histogram(dtype: c_int; keys: *const c_void, to: *mut c_void, bins: c_uint, low: c_double,
        high: c_double, n: usize)
}

/// The number in baselines.h of the way that takes the low byte of each key.
const LOW_BYTES: c_int = 1;

/// The library's histogram of the keys, in each of its ways, verified; empty if the library lacks it. It has
/// counters for the bins, and none for keys without a bin.
pub(crate) fn histogram<K: Key>(
    of: &Counting<K>,
    counts: &[u32],
    library: &Baselines,
) -> Result<Vec<LibraryRun<Counting<K>>>, Error> {
    let Some(histogram) = Histogram::of(library) else {
        return Ok(Vec::new());
    };
    let (bins, (low, high)) = (of.bins.count, of.bins.range(of.case.dtype));
    let (counts, without_bin) = counts.split_at(bins as usize);
    let is_byte = without_bin.iter().all(|&count| count == 0);
    let (dtype, n) = (dtype_code(of.case.dtype), of.case.elements() as usize);
    let call = Call {
        operation: "histogram",
        what: format!("histogram of {} {}", of.case.shape, of.case.dtype),
        output_bytes: 4 * bins as usize,
        scratch_bytes: Box::new(move |way, p: &Counting<K>, to| {
            match way == LOW_BYTES && !is_byte {
                true => usize::MAX,
                // SAFETY: device addresses of n keys and m counters; nothing is touched.
                false => unsafe {
                    (histogram.scratch_bytes)(
                        way,
                        dtype,
                        address(&p.device, &p.keys),
                        to,
                        bins,
                        low,
                        high,
                        n,
                    )
                },
            }
        }),
        // SAFETY: as above, with the scratch that was asked for.
        run: Box::new(move |way, p, to, s| unsafe {
            let keys = address(&p.device, &p.keys);
            (histogram.run)(way, dtype, s.address, s.bytes, keys, to, bins, low, high, n, s.stream)
        }),
    };
    library.ways(of, call, |computed| {
        verify::compare(computed, counts.iter().copied().map(Accepted::Equal))
    })
}
