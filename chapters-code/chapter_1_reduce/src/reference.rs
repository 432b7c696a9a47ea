//! The reference: computes on the CPU what every result is compared with.

use harness::{
    Element, Op,
    bound::{self, Compensated},
    case::compose,
    verify::Accepted,
};
use rayon::prelude::*;

/// An operator's identity.
pub fn identity<T: Element>(op: Op) -> T {
    match op {
        Op::Sum | Op::Or => T::from_f64(0.0),
        Op::Product => T::from_f64(1.0),
        Op::Max => T::LOWEST,
        Op::Min => T::HIGHEST,
        Op::And => T::from_bits(u64::MAX),
        Op::Affine => T::from_bits(1 << 32),
    }
}

/// The aggregate of elements that follow each other, before it is known how many additions of a kernel round.
#[derive(Clone, Copy, Debug)]
pub struct Aggregate<T> {
    op: Op,
    /// The aggregate by an operator that does not round.
    value: T,
    /// A sum of floats, with what its additions rounded off.
    sum: Compensated,
    /// A product of floats.
    product: f64,
    /// Σ|x| of floats.
    absolute_sum: f64,
    count: u64,
}

impl<T: Element> Aggregate<T> {
    /// Of no elements: the operator's identity.
    pub fn new(op: Op) -> Self {
        let (value, sum) = (identity(op), Compensated::default());
        Self { op, value, sum, product: 1.0, absolute_sum: 0.0, count: 0 }
    }

    /// Of these elements, one after another.
    pub fn of(op: Op, elements: impl IntoIterator<Item = T>) -> Self {
        let mut aggregate = Self::new(op);
        elements.into_iter().for_each(|x| aggregate.add(x));
        aggregate
    }

    /// Of these elements, by all cores: each reduces a part of them, and then the parts' aggregates are reduced.
    pub fn on_all_cores(op: Op, elements: &[T]) -> Self {
        let parts = elements.par_chunks(1 << 20).map(|part| Self::of(op, part.iter().copied()));
        let parts: Vec<Self> = parts.collect();
        parts.iter().fold(Self::new(op), |all, part| all.and(part))
    }

    /// Appends an element.
    pub fn add(&mut self, x: T) {
        self.count += 1;
        if !T::DTYPE.is_float() {
            self.value = combine(self.op, self.value, x);
            return;
        }
        let number = x.to_f64();
        self.absolute_sum += number.abs();
        match self.op {
            Op::Sum => self.sum.add(number),
            Op::Product => self.product *= number,
            _ => self.value = combine(self.op, self.value, x),
        }
    }

    /// The aggregate of these elements and of those that follow.
    pub fn and(mut self, later: &Self) -> Self {
        self.value = combine(self.op, self.value, later.value);
        self.sum.append(later.sum);
        self.product *= later.product;
        self.absolute_sum += later.absolute_sum;
        self.count += later.count;
        self
    }

    /// The results that are accepted of a kernel whose elements pass through at most `depth` rounded operations: the
    /// reference or, for sums and products of floats, every value within the error bound. They have the type `R`.
    ///
    /// `flushed` is the largest amount that is lost where denormals become zero. The bound adds the reference's
    /// own error to the kernel's: half a unit in the last place of a compensated sum, γ_n of a
    /// product.
    pub fn expect<R: Element>(&self, depth: u64, flushed: f64) -> Accepted<R> {
        let Self { op, count, absolute_sum, .. } = *self;
        let u = f64::EPSILON / 2.0;
        let (value, bound) = match op {
            _ if !T::DTYPE.is_float() => {
                return Accepted::Equal(R::from_bits(self.value.to_i64() as u64));
            }
            Op::Product => {
                let (value, own) = (self.product, bound::gamma(count, u) * self.product.abs());
                (value, bound::product(T::DTYPE, count, value) + own)
            }
            Op::Sum => {
                let value = self.sum.value();
                (value, bound::sum(T::DTYPE, depth, absolute_sum) + flushed + u * value.abs())
            }
            _ => return Accepted::Equal(R::from_f64(self.value.to_f64())),
        };
        // A single element must come out as it is.
        Accepted::Within { value, bound: if count <= 1 { flushed } else { bound } }
    }

    /// The reference, rounded once.
    pub fn nearest<R: Element>(&self) -> R {
        self.expect::<R>(0, 0.0).nearest()
    }
}

/// Two values combined by an operator that does not round. Sums and products wrap.
fn combine<T: Element>(op: Op, a: T, b: T) -> T {
    let integers = |f: fn(i64, i64) -> i64| T::from_bits(f(a.to_i64(), b.to_i64()) as u64);
    // A NaN loses against any number.
    let float = |is_better: bool| if is_better { b } else { a };
    match op {
        Op::Max if T::DTYPE.is_float() => float(b.to_f64() > a.to_f64()),
        Op::Min if T::DTYPE.is_float() => float(b.to_f64() < a.to_f64()),
        Op::Max => integers(i64::max),
        Op::Min => integers(i64::min),
        Op::Sum => integers(i64::wrapping_add),
        Op::Product => integers(i64::wrapping_mul),
        Op::And => integers(|a, b| a & b),
        Op::Or => integers(|a, b| a | b),
        Op::Affine => integers(|a, b| compose(a as u64, b as u64) as i64),
    }
}

/// Reduces every row of a matrix that is stored row by row.
pub fn reduce_rows<T: Element>(op: Op, host: &[T], rows: usize, cols: usize) -> Vec<Aggregate<T>> {
    let row = |r: usize| &host[r * cols..(r + 1) * cols];
    (0..rows).into_par_iter().map(|r| Aggregate::of(op, row(r).iter().copied())).collect()
}

/// Reduces every column of a matrix that is stored row by row. A core takes 16 columns at a time: a walk down one
/// column of a wide matrix misses the caches at every step.
pub fn reduce_columns<T: Element>(
    op: Op,
    host: &[T],
    rows: usize,
    cols: usize,
) -> Vec<Aggregate<T>> {
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
        columns.into_iter().map(|column| Aggregate::of(op, column)).collect::<Vec<_>>()
    };
    (0..cols).into_par_iter().step_by(TOGETHER).flat_map_iter(of_some).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The one result that is accepted of integers.
    fn reduce<T: Element>(op: Op, elements: &[T]) -> i64 {
        Aggregate::of(op, elements.iter().copied()).nearest::<T>().to_i64()
    }

    #[test]
    fn nothing_reduces_to_the_identity() {
        assert_eq!(reduce::<i32>(Op::Sum, &[]), 0);
        assert_eq!(reduce::<i32>(Op::Product, &[]), 1);
        assert_eq!(reduce::<i32>(Op::Max, &[]), i64::from(i32::MIN));
        assert_eq!(reduce::<i32>(Op::Min, &[]), i64::from(i32::MAX));
        assert_eq!(reduce::<i32>(Op::And, &[]), -1);
        let largest = Aggregate::<f32>::new(Op::Max).expect::<f32>(0, 0.0);
        assert_eq!(largest.value(), f64::NEG_INFINITY);
    }

    /// Three parts, of which the last is short.
    #[test]
    fn all_cores_reduce_as_one_does() {
        let integers: Vec<i32> = (0..(2 << 20) + 5).map(|i| 2 * (i % 997) - 999).collect();
        let floats: Vec<f64> = integers.iter().map(|&i| 1.0 + f64::from(i) * 1e-9).collect();
        for op in [Op::Sum, Op::Product, Op::Max, Op::Min, Op::And, Op::Or] {
            let all = Aggregate::on_all_cores(op, &integers).nearest::<i32>();
            assert_eq!(all.to_i64(), reduce(op, &integers), "{op}");
        }
        for op in [Op::Sum, Op::Product, Op::Max, Op::Min] {
            let one = Aggregate::of(op, floats.iter().copied());
            let all = Aggregate::on_all_cores(op, &floats);
            // A product rounds each factor, a compensated sum only once.
            let roundings = if op == Op::Product { 2 * all.count } else { 2 };
            let [value, exact] = [all, one].map(|of| of.expect::<f64>(0, 0.0).value());
            let bound = bound::gamma(roundings, f64::EPSILON) * exact.abs();
            assert!(
                all.count == one.count && (value - exact).abs() <= bound,
                "{op}: {all:?} {one:?}"
            );
        }
        let none = Aggregate::<i32>::on_all_cores(Op::Max, &[]).expect(0, 0.0);
        assert_eq!(none, Accepted::Equal(i32::MIN));
    }

    #[test]
    fn sums_wrap_as_32_bits_do() {
        let elements = [i32::MAX, 5, i32::MAX];
        let wrapped = elements.iter().fold(0i32, |a, &b| a.wrapping_add(b));
        assert_eq!(reduce(Op::Sum, &elements), i64::from(wrapped));
    }

    #[test]
    fn a_sum_keeps_what_single_additions_round_off() {
        let elements = [1e17, 1.0, -1e17, 1.0];
        assert_eq!(elements.iter().sum::<f64>(), 1.0); // the plain sum has lost one
        assert_eq!(Aggregate::of(Op::Sum, elements).expect::<f64>(0, 0.0).value(), 2.0);
    }
}
