//! Times and rates.

use serde::{Deserialize, Serialize};

/// Milliseconds over the samples of one measurement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// Half the samples took longer.
    pub median: f64,
    /// The shortest.
    pub min: f64,
    /// The longest.
    pub max: f64,
    /// The number of samples.
    pub samples: usize,
}

impl Time {
    /// Rate at the median, for an operation that must move `bytes`.
    pub fn gb_per_s(&self, bytes: u64) -> f64 {
        bytes as f64 / (self.median * 1e-3) / 1e9
    }
}

/// How much longer one operation takes than another, from samples that were taken in turn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The median of the ratios of neighbouring samples: above 1, the second operation is faster.
    pub ratio: f64,
    /// The interval that holds that median with a probability of 95 %.
    pub interval: [f64; 2],
    /// Whether the interval holds 1, or the medians differ by less than the events resolve.
    pub is_equal: bool,
}

/// The ceilings of one device in one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ceilings {
    /// Bytes of the buffer that is copied or read.
    pub buffer_bytes: u64,
    /// Bytes read and written by a device-to-device copy, in GB/s.
    pub copy_gb_per_s: f64,
    /// Its time.
    pub copy_time_ms: Time,
    /// Bytes read by a sweep, in GB/s.
    pub read_gb_per_s: f64,
    /// Its time.
    pub read_time_ms: Time,
    /// From the memory's clock and the width of its bus.
    pub peak_gb_per_s: f64,
    /// Time of an empty kernel between two events, in microseconds.
    pub launch_us: f64,
    /// Time of one load from memory while no other load is in flight, in nanoseconds; runs that were recorded
    /// before it was measured lack it.
    pub latency_ns: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gigabyte_in_a_millisecond() {
        let time = Time { median: 1.0, min: 1.0, max: 1.0, samples: 1 };
        assert_eq!(time.gb_per_s(1_000_000_000), 1000.0);
    }
}
