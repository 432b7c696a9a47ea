//! The reference: computes on the CPU what every result is compared with.

use harness::{Dtype, Element};
use rayon::prelude::*;

use crate::bins::{Bins, EXTRA};

/// A type of keys.
pub trait Key: Element {
    /// The number of a key's counter: its bin, or one of the three behind the bins.
    fn counter(self, bins: &Bins) -> usize;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Key for $type {
            fn counter(self, bins: &Bins) -> usize {
                u32::from(self).min(bins.count) as usize
            }
        }
    )*};
}

integers!(u8, u16);

impl Key for u32 {
    /// Where integers are divided into bins: by a division.
    fn counter(self, bins: &Bins) -> usize {
        let Bins { count, first, end, .. } = *bins;
        let counter = if !bins.divide_integers() {
            self.min(count)
        } else if self < first {
            count + 1
        } else if self >= end {
            count
        } else {
            (u64::from(self - first) * u64::from(count) / u64::from(end - first)) as u32
        };
        counter as usize
    }
}

impl Key for f32 {
    /// In f32, as the kernels compute it: a subtraction and a multiplication, each rounded, and the
    /// fraction dropped.
    fn counter(self, bins: &Bins) -> usize {
        let (above, below, nan) = (bins.count, bins.count + 1, bins.count + 2);
        let counter = if self.is_nan() {
            nan
        } else if self < bins.low {
            below
        } else if self >= bins.high {
            above
        } else {
            // Just below `high` it may be rounded up to m.
            (((self - bins.low) * bins.scale) as u32).min(bins.count - 1)
        };
        counter as usize
    }
}

/// Counts one key after another: m bins, then the keys above them, those below, and NaN.
pub fn histogram<K: Key>(keys: &[K], bins: &Bins) -> Vec<u32> {
    let mut counts = vec![0; bins.counters() as usize];
    for key in keys {
        counts[key.counter(bins)] += 1;
    }
    counts
}

/// The same counts, by all cores: each counts a part of the keys, and the parts' counts are added.
pub fn histogram_on_all_cores<K: Key>(keys: &[K], bins: &Bins) -> Vec<u32> {
    let parts = keys.par_chunks(1 << 20).map(|part| histogram(part, bins));
    let add = |sum: Vec<u32>, part: Vec<u32>| sum.iter().zip(part).map(|(a, b)| a + b).collect();
    parts.reduce(|| vec![0; bins.counters() as usize], add)
}

/// Where the first key stands that has no bin, and how many there are.
pub fn beyond<K: Key>(keys: &[K], bins: &Bins) -> Option<(usize, usize)> {
    let outside = |key: &K| key.counter(bins) >= bins.count as usize;
    let first = keys.iter().position(outside)?;
    Some((first, keys[first..].iter().filter(|key| outside(key)).count()))
}

/// Counters that keys of a type can reach, as `reachable` in `copies.cuh`.
pub fn reachable(dtype: Dtype, bins: &Bins) -> u32 {
    match dtype {
        Dtype::U8 => (bins.count + 1).min(256),
        Dtype::F32 => bins.count + EXTRA,
        _ if bins.divide_integers() => bins.count + 2,
        _ => bins.count + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins(count: u32, low: f32, high: f32) -> Bins {
        Bins::even(count, low, high).expect("bins")
    }

    #[test]
    fn by_hand() {
        let counts = histogram(&[3u32, 1, 7, 0, 4, 1, 6, 3], &bins(8, 0.0, 1.0));
        assert_eq!(counts, [1, 2, 0, 2, 1, 0, 1, 1, 0, 0, 0]);
    }

    #[test]
    fn all_cores_count_as_one_does() {
        let keys: Vec<u32> =
            (0..(1 << 21) + 3).map(|i: u32| i.wrapping_mul(2_654_435_761)).collect();
        let range = Bins::of_integers(100, 1e6, 4e9).expect("bins");
        assert_eq!(histogram_on_all_cores(&keys, &range), histogram(&keys, &range));
        assert_eq!(histogram_on_all_cores::<u32>(&[], &range), histogram::<u32>(&[], &range));
    }

    #[test]
    fn keys_beyond_the_last_bin_are_counted_apart() {
        let (keys, four) = ([0u8, 255, 3, 4], bins(4, 0.0, 1.0));
        assert_eq!(histogram(&keys, &four), [1, 0, 0, 1, 2, 0, 0]);
        assert_eq!(beyond(&keys, &four), Some((1, 2)));
        assert_eq!(beyond(&keys[..1], &four), None);
    }

    #[test]
    fn integers_at_the_edges() {
        let three = Bins::of_integers(3, 10.0, 14.0).expect("bins");
        let keys = [10u32, 11, 12, 13, 14, 9, 0, u32::MAX];
        assert_eq!(histogram(&keys, &three), [2, 1, 1, 2, 2, 0]);
        assert_eq!(beyond(&keys, &three), Some((4, 4)));
    }

    #[test]
    fn floats_at_the_edges() {
        let three = bins(3, -1.0, 2.0);
        let just_below_two = f32::from_bits(2f32.to_bits() - 1);
        let keys = [-1.0, -0.0, 0.5, 1.0, just_below_two, 2.0, -1.5, f32::NAN];
        assert_eq!(histogram(&keys, &three), [1, 2, 2, 1, 1, 1]);
        let infinite = [f32::INFINITY, f32::NEG_INFINITY];
        assert_eq!(histogram(&infinite, &three), [0, 0, 0, 1, 1, 0]);
    }

    /// Why the last bin is a minimum: x − low is rounded up to the whole range.
    #[test]
    fn just_below_the_end_the_bin_may_be_m() {
        let just_below = 1.0f32.next_down();
        for count in [2, 256, 257, 1000, 65_536] {
            let bins = bins(count, -1.0, 1.0);
            assert_eq!((just_below - bins.low) * bins.scale, count as f32);
            assert_eq!(just_below.counter(&bins), count as usize - 1);
            // In [0, 1) the product is rounded down.
            let m = count as f32;
            assert!(just_below * m < m);
        }
    }

    /// Rounding is monotone: a greater key is never in a lower bin, so that every bin is an interval.
    #[test]
    fn bins_of_floats_are_in_order() {
        for (count, low, high) in [(257, 0.0, 1.0), (1000, -1.0, 1.0), (65_536, -3.0, 5e6)] {
            let bins = bins(count, low, high);
            let mut last = 0;
            for step in 0..100_000 {
                let x = low + (high - low) * (step as f32 / 100_000.0);
                let bin = x.min(high).counter(&bins);
                assert!(bin >= last, "{x} of {bins:?}");
                last = bin;
            }
            let just_below = f32::from_bits(high.to_bits() - 1);
            assert_eq!(just_below.counter(&bins), count as usize - 1);
        }
    }
}
