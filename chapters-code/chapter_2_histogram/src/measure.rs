//! What measuring needs: other inputs in the same memory, and libraries that do the same work.

use std::ffi::{c_double, c_int, c_uint, c_void};

use harness::{
    Error, Measured,
    baselines::{Baselines, Call, Ways, address, dtype_code},
    operation,
    verify::{self, Accepted},
};

use crate::{
    Case, inputs,
    problem::Counting,
    reference::{Key, histogram_on_all_cores},
};

operation! {
    Histogram = baseline_histogram(dtype: c_int; keys: *const c_void, to: *mut c_void, bins: c_uint, low: c_double,
        high: c_double, n: usize)
}

/// The number in baselines.h of the way that takes the low byte of each key.
const LOW_BYTES: c_int = 1;

impl<K: Key> Measured for Counting<K> {
    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.keys.refill(inputs::keys(case, &self.bins))?;
        self.reference = histogram_on_all_cores(self.keys.host(), &self.bins);
        self.case = *case;
        Ok(())
    }

    /// The histogram of the keys. The library has counters for the bins, and none for keys without a bin.
    fn baseline(&self, _promise: &(), library: &Baselines) -> Ways<Self> {
        let Some(histogram) = Histogram::of(library) else {
            return Ok(Vec::new());
        };
        let (bins, (low, high)) = (self.bins.count, self.bins.range(self.case.dtype));
        let (counts, without_bin) = self.reference.split_at(bins as usize);
        let is_byte = without_bin.iter().all(|&count| count == 0);
        let (dtype, n) = (dtype_code(self.case.dtype), self.case.elements() as usize);
        let call = Call {
            operation: "histogram",
            what: format!("histogram of {} {}", self.case.shape, self.case.dtype),
            output_bytes: 4 * bins as usize,
            scratch_bytes: Box::new(move |way, p: &Self, to| {
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
                (histogram.run)(
                    way, dtype, s.address, s.bytes, keys, to, bins, low, high, n, s.stream,
                )
            }),
        };
        library.ways(self, call, |computed| {
            verify::compare(computed, counts.iter().copied().map(Accepted::Equal))
        })
    }
}
