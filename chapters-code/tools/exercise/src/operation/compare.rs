//! Which elements of an output are wrong.

use harness::{Dtype, Element, verify::Accepted, with_element};

use super::{Initial, Ordering, Output, bits_of};

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
    /// What a 64-bit integer is and what it should be, exactly: numbers beyond 2^53 are rounded above.
    pub wide: Option<(i64, i64)>,
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
        with_element!(self.dtype, T => self.compare_as::<T>(bytes))
    }

    fn compare_as<T: Element>(&self, bytes: &[u8]) -> Comparison {
        let size = size_of::<T>();
        let end = self.expected.len() * size;
        let before = self.bytes_before(bytes.len());
        let elements: Vec<T> = typed(&bytes[..end]);
        let wrong = |(index, accepted): (usize, Accepted<T>)| {
            let place = index * size..(index + 1) * size;
            Wrong {
                index,
                got: elements[index].to_f64(),
                expected: accepted.value(),
                bound: accepted.bound(),
                is_untouched: bytes[place.clone()] == before[place],
                wide: (T::DTYPE == Dtype::I64)
                    .then(|| (elements[index].to_i64(), accepted.nearest().to_i64())),
            }
        };
        let expected = self.expected.iter().map(|accepted| match *accepted {
            Accepted::Equal(bits) => Accepted::Equal(T::from_bits(bits)),
            Accepted::Within { value, bound } => Accepted::Within { value, bound },
        });
        let strangers: Vec<_> = match self.ordering {
            Ordering::Kept => expected
                .enumerate()
                .filter(|(index, accepted)| !accepts(accepted, elements[*index]))
                .collect(),
            Ordering::Free => strangers(&elements, expected),
        };
        Comparison {
            values: elements.iter().map(|x| x.to_f64()).collect(),
            wrong: strangers.into_iter().map(wrong).collect(),
            beyond: match bytes[end..] == before[end..] {
                true => None,
                false => (end..bytes.len()).find(|&at| bytes[at] != before[at]).map(|at| at / size),
            },
        }
    }

    /// What the output's memory held before the launch.
    pub fn bytes_before(&self, length: usize) -> Vec<u8> {
        match &self.initial {
            Initial::Poison(word) => {
                let mut bytes = word.to_le_bytes().repeat(length.div_ceil(4));
                bytes.truncate(length);
                bytes
            }
            Initial::Zero => vec![0; length],
            Initial::Bytes(bytes) => bytes.clone(),
        }
    }

    /// Whether a value is what poisoned memory holds.
    pub fn is_before(&self, value: f64) -> bool {
        matches!(self.initial, Initial::Poison(_)) && same(self.number_before(), value)
    }

    /// The number that the output's first element held before the launch.
    pub fn number_before(&self) -> f64 {
        numbers(self.dtype, &self.bytes_before(16))[0]
    }
}

/// Whether an element is right. One that must equal another has the same bits: so a moved -0.0 is not 0.0, and a
/// moved NaN is that NaN. A computed one may be any NaN where one is expected.
fn accepts<T: Element>(accepted: &Accepted<T>, got: T) -> bool {
    match *accepted {
        Accepted::Equal(right) => bytemuck::bytes_of(&got) == bytemuck::bytes_of(&right),
        Accepted::Within { value, bound } => {
            let got = got.to_f64();
            got == value
                || (got.is_nan() && value.is_nan())
                || (value.is_finite() && (got - value).abs() <= bound)
        }
    }
}

/// Whether two numbers are the same, or the same NaN.
pub fn same(a: f64, b: f64) -> bool {
    a == b || a.to_bits() == b.to_bits()
}

/// The elements that are not among the expected ones, or more often than those, each with an expected
/// one that is missing.
fn strangers<T: Element>(
    elements: &[T],
    expected: impl Iterator<Item = Accepted<T>>,
) -> Vec<(usize, Accepted<T>)> {
    let expected: Vec<T> = expected.map(|accepted| accepted.nearest()).collect();
    // Of many, sorting tells much faster than counting whether they are the same.
    let sorted = |elements: &[T]| {
        let mut bits: Vec<u64> = elements.iter().map(|x| bits_of(*x)).collect();
        bits.sort_unstable();
        bits
    };
    if sorted(elements) == sorted(&expected) {
        return Vec::new();
    }
    let mut missing = std::collections::HashMap::<u64, usize>::new();
    for &element in &expected {
        *missing.entry(bits_of(element)).or_default() += 1;
    }
    let mut take = |element: T| {
        let count = missing.get_mut(&bits_of(element));
        count.filter(|count| **count > 0).map(|count| *count -= 1).is_some()
    };
    let is_stranger = |index: &usize| !take(elements[*index]);
    let strangers: Vec<usize> = (0..elements.len()).filter(is_stranger).collect();
    let left = expected.into_iter().filter(|element| take(*element));
    strangers.into_iter().zip(left.map(Accepted::Equal)).collect()
}

/// The elements that these bytes are.
pub(crate) fn typed<T: Element>(bytes: &[u8]) -> Vec<T> {
    let elements = bytes.chunks_exact(size_of::<T>());
    elements.map(bytemuck::pod_read_unaligned).collect()
}

/// Elements as numbers.
pub(crate) fn numbers(dtype: Dtype, bytes: &[u8]) -> Vec<f64> {
    with_element!(dtype, T => typed::<T>(bytes).into_iter().map(T::to_f64).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_kept_and_nan_is_wrong() {
        let within = Accepted::<f32>::Within { value: 1.0, bound: 0.5 };
        let expected = Output::of("out", [within; 4]);
        let seen = [1.5f32, 1.6, f32::NAN, 0.5];
        let wrong = expected.compare(bytemuck::cast_slice(&seen)).wrong;
        assert_eq!(wrong.iter().map(|w| w.index).collect::<Vec<_>>(), [1, 2], "{wrong:?}");
    }

    #[test]
    fn moved_elements_are_compared_bit_by_bit_and_computed_ones_are_not() {
        let moved = Output::equal("out", &[-0.0f32, f32::NAN, 1.0]);
        let other_nan = f32::from_bits(0x7fc0_0001);
        let wrong = moved.compare(bytemuck::cast_slice(&[0.0f32, other_nan, 1.0])).wrong;
        assert_eq!(wrong.iter().map(|w| w.index).collect::<Vec<_>>(), [0, 1]);
        let within = |value| Accepted::<f32>::Within { value, bound: f64::INFINITY };
        let computed = Output::of("out", [within(0.0), within(f64::NAN), within(f64::INFINITY)]);
        let seen = [-0.0, other_nan, f32::INFINITY];
        assert!(computed.compare(bytemuck::cast_slice(&seen)).is_right());
        let wrong = computed.compare(bytemuck::cast_slice(&[f32::NAN, 1.0, 3e38])).wrong;
        assert_eq!(wrong.len(), 3);
    }

    #[test]
    fn wide_integers_are_exact() {
        let expected = Output::equal("out", &[(1i64 << 62) + 1]);
        let wrong = expected.compare(bytemuck::cast_slice(&[(1i64 << 62) + 2])).wrong;
        assert_eq!(wrong[0].wide, Some(((1 << 62) + 2, (1 << 62) + 1)));
    }

    #[test]
    fn what_was_not_written_is_known() {
        let expected = Output::equal("out", &[1.0f32, 2.0]);
        let mut bytes = expected.bytes_before(8);
        bytes[..4].copy_from_slice(&1.0f32.to_ne_bytes());
        let wrong = expected.compare(&bytes).wrong;
        assert_eq!((wrong.len(), wrong[0].index), (1, 1));
        assert!(wrong[0].is_untouched);
    }

    #[test]
    fn elements_may_come_in_any_order_but_not_twice() {
        let mut free = Output::equal("out", &[1.0f32, 2.0, 3.0]);
        free.ordering = Ordering::Free;
        let compare = |seen: [f32; 3]| free.compare(bytemuck::cast_slice(&seen)).wrong;
        assert!(compare([3.0, 1.0, 2.0]).is_empty());
        let wrong = compare([3.0, 1.0, 3.0]);
        assert_eq!((wrong[0].index, wrong[0].expected), (2, 2.0));
    }

    #[test]
    fn nothing_behind_the_results_may_be_written() {
        let mut longer = Output::equal("out", &[1.0f32]);
        longer.capacity = 2;
        let mut bytes = longer.bytes_before(8);
        bytes[..4].copy_from_slice(&1.0f32.to_ne_bytes());
        assert_eq!(longer.compare(&bytes).beyond, None);
        bytes[4..].copy_from_slice(&1.0f32.to_ne_bytes());
        assert_eq!(longer.compare(&bytes).beyond, Some(1));
    }
}
