//! Operators of scans, on integers as bits: results are exact, whatever the brackets.

use harness::Dtype;
use serde::Deserialize;

use super::{Array, Case, Expected, Output, compare::number, elements};

/// An associative operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operator {
    /// Addition of `int`s, modulo 2^32.
    Sum,
    /// The larger of two `int`s.
    Max,
    /// Composition of maps x ↦ a·x + b modulo 2^32, the left one first, as `long long`s with a in the
    /// high word and b in the low one. It does not commute.
    Affine,
}

impl Operator {
    /// The elements' type.
    pub fn dtype(self) -> Dtype {
        match self {
            Self::Sum | Self::Max => Dtype::I32,
            Self::Affine => Dtype::I64,
        }
    }

    /// What changes nothing.
    pub fn identity(self) -> u64 {
        match self {
            Self::Sum => 0,
            Self::Max => u64::from(i32::MIN as u32),
            Self::Affine => 1 << 32,
        }
    }

    /// One element and the one behind it.
    pub fn combine(self, first: u64, then: u64) -> u64 {
        let (a, b) = (first as u32, then as u32);
        match self {
            Self::Sum => u64::from(a.wrapping_add(b)),
            Self::Max => u64::from((a as i32).max(b as i32) as u32),
            Self::Affine => {
                let (high_first, high_then) = ((first >> 32) as u32, (then >> 32) as u32);
                let high = high_first.wrapping_mul(high_then);
                let low = high_then.wrapping_mul(a).wrapping_add(b);
                u64::from(high) << 32 | u64::from(low)
            }
        }
    }

    /// The fold of some elements, in their order.
    pub fn fold(self, elements: &[u64]) -> u64 {
        let combine = |fold, &x| self.combine(fold, x);
        elements.iter().fold(self.identity(), combine)
    }

    /// Inputs of a case.
    pub fn inputs(self, case: &Case) -> Vec<u64> {
        let small = |x: i32| u64::from(x as u32);
        match self {
            Self::Sum => elements(case, harness::Op::Sum).into_iter().map(small),
            Self::Max => elements(case, harness::Op::Max).into_iter().map(small),
            Self::Affine => {
                let maps: Vec<i64> = elements(case, harness::Op::Affine);
                return maps.into_iter().map(|x| x as u64).collect();
            }
        }
        .collect()
    }

    /// Elements as an input.
    pub fn array(self, name: &'static str, elements: &[u64]) -> Array {
        let size = self.dtype().size();
        let bytes = elements
            .iter()
            .flat_map(|x| x.to_le_bytes().into_iter().take(size));
        Array {
            name,
            bytes: bytes.collect(),
        }
    }

    /// An output that must hold these elements.
    pub fn output(self, name: &'static str, elements: Vec<u64>) -> Output {
        Output::new(name, self.dtype(), Expected::Bits(elements))
    }

    /// An input's elements again.
    pub fn elements_of(self, array: &Array) -> Vec<u64> {
        let elements = array.bytes.chunks_exact(self.dtype().size());
        elements.map(super::bits_of).collect()
    }

    /// As it is compared; of 64-bit elements beyond 2^53 the nearest number.
    pub fn number(self, bits: u64) -> f64 {
        number(self.dtype(), bits)
    }
}

/// Whether result i holds element i.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It does.
    Inclusive,
    /// It holds those before it.
    Exclusive,
}

impl Kind {
    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::Inclusive => Self::Exclusive,
            Self::Exclusive => Self::Inclusive,
        }
    }

    /// The result at an element, of the prefix before it.
    pub fn result(self, op: Operator, before: u64, element: u64) -> u64 {
        match self {
            Self::Inclusive => op.combine(before, element),
            Self::Exclusive => before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_compose_the_left_one_first() {
        // x -> 2x + 3, then x -> 5x + 7: x -> 10x + 22.
        let map = |a: u64, b: u64| a << 32 | b;
        let both = Operator::Affine.combine(map(2, 3), map(5, 7));
        assert_eq!(both, map(10, 22));
        assert_eq!(
            Operator::Affine.combine(Operator::Affine.identity(), both),
            both
        );
    }

    #[test]
    fn ints_wrap_and_the_lowest_is_the_identity_of_max() {
        let minus = |x: i32| u64::from(x as u32);
        assert_eq!(Operator::Sum.combine(minus(-1), minus(3)), 2);
        let max = Operator::Max;
        assert_eq!(max.combine(max.identity(), minus(-5)), minus(-5));
    }
}
