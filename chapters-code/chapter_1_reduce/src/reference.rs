//! The reference: computes on the CPU what every result is compared with.

use std::iter;

use harness::{
    Element, Op,
    bound::{self, Compensated},
    case::compose,
    verify::Accepted,
};
use rayon::prelude::*;

/// Reduces integers one after another. The result has 64 bits, which wrap. Truncated to 32, sums and products are
/// what 32 bits would have given.
pub fn reduce_integers<T: Element>(op: Op, elements: impl Iterator<Item = T>) -> i64 {
    let elements = elements.map(T::to_i64);
    match op {
        Op::Sum => elements.fold(0, i64::wrapping_add),
        Op::Product => elements.fold(1, i64::wrapping_mul),
        Op::Max => elements.fold(T::LOWEST.to_i64(), i64::max),
        Op::Min => elements.fold(T::HIGHEST.to_i64(), i64::min),
        Op::And => elements.fold(-1, |a, b| a & b),
        Op::Or => elements.fold(0, |a, b| a | b),
        Op::Affine => elements.fold(1 << 32, |a, b| compose(a as u64, b as u64) as i64),
    }
}

/// The aggregate of floats and what its error bound needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloatAggregate {
    /// The result.
    pub value: f64,
    /// A sum, with what its additions rounded off.
    sum: Compensated,
    /// Σ|x|.
    pub absolute_sum: f64,
    /// The number of elements.
    pub n: u64,
}

/// Reduces floats one after another in `f64`, sums compensated. `and`, `or` and `affine` have no meaning
/// for floats.
pub fn reduce_floats<T: Element>(op: Op, elements: impl Iterator<Item = T>) -> FloatAggregate {
    let (mut value, mut sum, mut absolute_sum, mut n) =
        (identity::<T>(op), Compensated::default(), 0.0, 0);
    for x in elements.map(T::to_f64) {
        match op {
            Op::Max => value = f64::max(value, x),
            Op::Min => value = f64::min(value, x),
            Op::Product => value *= x,
            Op::Sum | Op::And | Op::Or | Op::Affine => sum.add(x),
        }
        absolute_sum += x.abs();
        n += 1;
    }
    FloatAggregate { value: value + sum.value(), sum, absolute_sum, n }
}

fn identity<T: Element>(op: Op) -> f64 {
    match op {
        Op::Sum | Op::And | Op::Or | Op::Affine => 0.0,
        Op::Product => 1.0,
        Op::Max => T::LOWEST.to_f64(),
        Op::Min => T::HIGHEST.to_f64(),
    }
}

/// An exact aggregate, before it is known how deep a rung's tree is.
#[derive(Clone, Copy, Debug)]
pub enum Aggregate {
    /// The aggregate of integers.
    Integer(i64),
    /// The aggregate of floats, with what its bound needs.
    Float(FloatAggregate),
}

/// Reduces elements of any type.
pub fn reduce<T: Element>(op: Op, elements: impl Iterator<Item = T>) -> Aggregate {
    if T::DTYPE.is_float() {
        Aggregate::Float(reduce_floats(op, elements))
    } else {
        Aggregate::Integer(reduce_integers(op, elements))
    }
}

/// Reduces elements of any type by all cores: each reduces a part of the elements, and then the parts' aggregates are
/// reduced.
pub fn reduce_on_all_cores<T: Element>(op: Op, elements: &[T]) -> Aggregate {
    let parts = elements.par_chunks(1 << 20).map(|part| reduce(op, part.iter().copied()));
    let parts: Vec<Aggregate> = parts.collect();
    let all = parts.into_iter().reduce(|all, part| all.append(op, part));
    all.unwrap_or_else(|| reduce(op, iter::empty::<T>()))
}

/// Reduces every row of a matrix that is stored row by row.
pub fn reduce_rows<T: Element>(op: Op, host: &[T], rows: usize, cols: usize) -> Vec<Aggregate> {
    let row = |r: usize| &host[r * cols..(r + 1) * cols];
    (0..rows).into_par_iter().map(|r| reduce(op, row(r).iter().copied())).collect()
}

/// Reduces every column of a matrix that is stored row by row. A core takes 16 columns at a time: a walk down one
/// column of a wide matrix misses the caches at every step.
pub fn reduce_columns<T: Element>(op: Op, host: &[T], rows: usize, cols: usize) -> Vec<Aggregate> {
    const TOGETHER: usize = 16;
    let of_some = |first| {
        let width = TOGETHER.min(cols - first);
        let mut columns = vec![Vec::with_capacity(rows); width];
        for r in 0..rows {
            let part = &host[r * cols + first..][..width];
            for (column, &x) in columns.iter_mut().zip(part) {
                column.push(x);
            }
        }
        columns.into_iter().map(|column| reduce(op, column.into_iter())).collect::<Vec<_>>()
    };
    (0..cols).into_par_iter().step_by(TOGETHER).flat_map_iter(of_some).collect()
}

impl Aggregate {
    /// The aggregate of these elements and of those that follow.
    fn append(self, op: Op, later: Self) -> Self {
        match (self, later) {
            (Self::Float(a), Self::Float(b)) => {
                let mut sum = a.sum;
                sum.append(b.sum);
                let value = match op {
                    Op::Sum | Op::And | Op::Or | Op::Affine => sum.value(),
                    _ => reduce_floats(op, [a.value, b.value].into_iter()).value,
                };
                let (absolute_sum, n) = (a.absolute_sum + b.absolute_sum, a.n + b.n);
                Self::Float(FloatAggregate { value, sum, absolute_sum, n })
            }
            (Self::Integer(a), Self::Integer(b)) => {
                Self::Integer(reduce_integers(op, [a, b].into_iter()))
            }
            _ => unreachable!("the elements have one type"),
        }
    }

    /// The results that are accepted of a kernel whose elements pass through at most `depth` rounded additions:
    /// the reference or, for floats, every value within the error bound.
    ///
    /// `flushed` is the largest amount that is lost where denormals become zero. The bound adds the reference's
    /// own error to the kernel's: half a unit in the last place of a compensated sum, γ_n of a
    /// product.
    pub fn expect<T: Element>(&self, op: Op, depth: u64, flushed: f64) -> Accepted<T::Acc> {
        let float = match self {
            Self::Integer(value) => return Accepted::Equal(T::Acc::from_bits(*value as u64)),
            Self::Float(float) => float,
        };
        let FloatAggregate { value, absolute_sum, n, .. } = *float;
        let u = f64::EPSILON / 2.0;
        let bound = match op {
            // A single element must come out as it is.
            _ if n <= 1 => flushed,
            Op::Max | Op::Min => return Accepted::Equal(T::Acc::from_f64(value)),
            Op::Product => bound::product(T::DTYPE, n, value) + bound::gamma(n, u) * value.abs(),
            _ => bound::sum(T::DTYPE, depth, absolute_sum) + flushed + u * value.abs(),
        };
        Accepted::Within { value, bound }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reduces_to_the_identity() {
        let none = std::iter::empty::<i32>;
        assert_eq!(reduce_integers(Op::Sum, none()), 0);
        assert_eq!(reduce_integers(Op::Product, none()), 1);
        assert_eq!(reduce_integers(Op::Max, none()), i64::from(i32::MIN));
        assert_eq!(reduce_integers(Op::Min, none()), i64::from(i32::MAX));
        assert_eq!(reduce_integers(Op::And, none()), -1);
        assert_eq!(reduce_floats(Op::Max, std::iter::empty::<f32>()).value, f64::NEG_INFINITY);
    }

    /// Three parts, of which the last is short.
    #[test]
    fn all_cores_reduce_as_one_does() {
        let integers: Vec<i32> = (0..(2 << 20) + 5).map(|i| 2 * (i % 997) - 999).collect();
        let floats: Vec<f64> = integers.iter().map(|&i| 1.0 + f64::from(i) * 1e-9).collect();
        for op in [Op::Sum, Op::Product, Op::Max, Op::Min, Op::And, Op::Or] {
            let one = reduce_integers(op, integers.iter().copied());
            let all = reduce_on_all_cores(op, &integers);
            assert!(matches!(all, Aggregate::Integer(all) if all == one), "{op}");
        }
        for op in [Op::Sum, Op::Product, Op::Max, Op::Min] {
            let one = reduce_floats(op, floats.iter().copied());
            let all = reduce_on_all_cores(op, &floats);
            let is_near = |all: &FloatAggregate| {
                // A product rounds each factor, a compensated sum only once.
                let bound =
                    bound::gamma(if op == Op::Product { 2 * all.n } else { 2 }, f64::EPSILON);
                all.n == one.n && (all.value - one.value).abs() <= bound * one.value.abs()
            };
            assert!(matches!(&all, Aggregate::Float(all) if is_near(all)), "{op}: {all:?} {one:?}");
        }
        let none = reduce_on_all_cores::<i32>(Op::Max, &[]);
        assert!(matches!(none, Aggregate::Integer(value) if value == i64::from(i32::MIN)));
    }

    #[test]
    fn sums_wrap_as_32_bits_do() {
        let elements = [i32::MAX, 5, i32::MAX];
        let wrapped = elements.iter().fold(0i32, |a, &b| a.wrapping_add(b));
        assert_eq!(reduce_integers(Op::Sum, elements.into_iter()) as i32, wrapped);
    }

    #[test]
    fn a_sum_keeps_what_single_additions_round_off() {
        let elements = [1e17, 1.0, -1e17, 1.0];
        assert_eq!(elements.iter().sum::<f64>(), 1.0); // the plain sum has lost one
        assert_eq!(reduce_floats(Op::Sum, elements.into_iter()).value, 2.0);
    }
}
