//! Which elements of an output are wrong.

use harness::{Dtype, Element, buffer::POISON, with_element};

use super::{Expected, Initial, Ordering, Output, bits_of};

/// An element that is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrong {
    /// Its place.
    pub index: usize,
    /// What it is.
    pub got: f64,
    /// What it should be.
    pub expected: f64,
    /// How far from that it may be.
    pub bound: f64,
    /// Whether it is what it was before the launch.
    pub is_untouched: bool,
}

/// What is wrong with an output.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Its elements as numbers; of `i64` beyond 2^53 the nearest ones.
    pub values: Vec<f64>,
    /// Those that are wrong, in order.
    pub wrong: Vec<Wrong>,
    /// The first element behind the expected ones that was written.
    pub beyond: Option<usize>,
}

impl Comparison {
    /// Whether every element is as expected, and nothing behind them was written.
    pub fn is_right(&self) -> bool {
        self.wrong.is_empty() && self.beyond.is_none()
    }
}

impl Output {
    /// Looks at every element.
    pub fn compare(&self, bytes: &[u8]) -> Comparison {
        let size = self.dtype.size();
        let expected = self.expected.len();
        let before = self.bytes_before(bytes.len());
        let beyond = bytes[expected * size..]
            .iter()
            .zip(&before[expected * size..])
            .position(|(now, before)| now != before)
            .map(|at| expected + at / size);
        let (mut found, bytes) = (Comparison::default(), &bytes[..expected * size]);
        found.beyond = beyond;
        found.values = numbers(self.dtype, bytes);
        match (&self.expected, self.ordering) {
            (Expected::Within(values), _) => {
                for (index, &(value, bound)) in values.iter().enumerate() {
                    let got = found.values[index];
                    // Written so that NaN is wrong, and an infinity right only where it is expected.
                    let is_right = got == value || (got - value).abs() <= bound;
                    if !is_right {
                        found.wrong.push(wrong(index, got, (value, bound)));
                    }
                }
            }
            (Expected::Bits(bits), Ordering::Kept) => {
                let got = bytes.chunks_exact(size).map(bits_of);
                for (index, (got, &bits)) in got.zip(bits).enumerate() {
                    if got != bits {
                        let value = (number(self.dtype, bits), 0.0);
                        found.wrong.push(wrong(index, found.values[index], value));
                    }
                }
            }
            (Expected::Bits(bits), Ordering::Free) => {
                found.wrong = self.strangers(bits, bytes, &found.values);
            }
        }
        for wrong in &mut found.wrong {
            let place = wrong.index * size..(wrong.index + 1) * size;
            wrong.is_untouched = bytes[place.clone()] == before[place];
        }
        found
    }

    /// What the output's memory held before the launch.
    pub fn bytes_before(&self, length: usize) -> Vec<u8> {
        match &self.initial {
            Initial::Poison => vec![POISON; length],
            Initial::Zero => vec![0; length],
            Initial::Bytes(bytes) => bytes.clone(),
        }
    }

    /// Whether a value is what poisoned memory holds.
    pub fn is_before(&self, value: f64) -> bool {
        let poison = u64::from_le_bytes([POISON; 8]);
        self.initial == Initial::Poison && number(self.dtype, poison) == value
    }

    /// Elements that are not among the expected ones, or more often than those, each with an
    /// expected one that is missing.
    fn strangers(&self, bits: &[u64], bytes: &[u8], values: &[f64]) -> Vec<Wrong> {
        let mut missing = std::collections::HashMap::<u64, usize>::new();
        for &bits in bits {
            *missing.entry(bits).or_default() += 1;
        }
        let mut strangers = Vec::new();
        for (index, got) in bytes.chunks_exact(self.dtype.size()).enumerate() {
            match missing.get_mut(&bits_of(got)) {
                Some(count) if *count > 0 => *count -= 1,
                _ => strangers.push(index),
            }
        }
        let mut left: Vec<u64> = bits
            .iter()
            .copied()
            .filter(|bits| {
                let count = missing.get_mut(bits);
                count.is_some_and(|count| {
                    let is_missing = *count > 0;
                    *count = count.saturating_sub(1);
                    is_missing
                })
            })
            .collect();
        left.reverse();
        let of = |index| {
            let expected = number(self.dtype, left.pop().unwrap_or_default());
            wrong(index, values[index], (expected, 0.0))
        };
        strangers.into_iter().map(of).collect()
    }
}

fn wrong(index: usize, got: f64, (expected, bound): (f64, f64)) -> Wrong {
    Wrong {
        index,
        got,
        expected,
        bound,
        is_untouched: false,
    }
}

/// Elements as numbers.
pub(crate) fn numbers(dtype: Dtype, bytes: &[u8]) -> Vec<f64> {
    with_element!(dtype, T => {
        let elements = bytes.chunks_exact(size_of::<T>());
        elements.map(|bytes| bytemuck::pod_read_unaligned::<T>(bytes).to_f64()).collect()
    })
}

/// The number whose bits are these.
pub(crate) fn number(dtype: Dtype, bits: u64) -> f64 {
    with_element!(dtype, T => <T as Element>::from_bits(bits).to_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(expected: Expected) -> Output {
        Output::new("out", Dtype::F32, expected)
    }

    #[test]
    fn bounds_are_kept_and_nan_is_wrong() {
        let expected = output(Expected::Within(vec![(1.0, 0.5); 4]));
        let seen = [1.5f32, 1.6, f32::NAN, 0.5];
        let wrong = expected.compare(bytemuck::cast_slice(&seen)).wrong;
        assert_eq!(
            wrong.iter().map(|w| w.index).collect::<Vec<_>>(),
            [1, 2],
            "{wrong:?}"
        );
    }

    #[test]
    fn what_was_not_written_is_known() {
        let expected = output(Expected::equal(&[1.0f32, 2.0]));
        let mut bytes = vec![POISON; 8];
        bytes[..4].copy_from_slice(&1.0f32.to_ne_bytes());
        let wrong = expected.compare(&bytes).wrong;
        assert_eq!((wrong.len(), wrong[0].index), (1, 1));
        assert!(wrong[0].is_untouched);
    }

    #[test]
    fn elements_may_come_in_any_order_but_not_twice() {
        let mut free = output(Expected::equal(&[1.0f32, 2.0, 3.0]));
        free.ordering = Ordering::Free;
        let compare = |seen: [f32; 3]| free.compare(bytemuck::cast_slice(&seen)).wrong;
        assert!(compare([3.0, 1.0, 2.0]).is_empty());
        let wrong = compare([3.0, 1.0, 3.0]);
        assert_eq!((wrong[0].index, wrong[0].expected), (2, 2.0));
    }

    #[test]
    fn nothing_behind_the_results_may_be_written() {
        let mut longer = output(Expected::equal(&[1.0f32]));
        longer.capacity = 2;
        let mut bytes = vec![POISON; 8];
        bytes[..4].copy_from_slice(&1.0f32.to_ne_bytes());
        assert_eq!(longer.compare(&bytes).beyond, None);
        bytes[4..].copy_from_slice(&1.0f32.to_ne_bytes());
        assert_eq!(longer.compare(&bytes).beyond, Some(1));
    }
}
