//! The reference: computes on the CPU what every result is compared with.

use crate::parameters;
use harness::{
    Case, Element, Kind, Op,
    bound::{self, Compensated},
    case::compose,
    verify::{self, Accepted, Verdict},
};
use rayon::prelude::*;

/// An operator's identity.
pub fn identity<T: Element>(op: Op) -> T {
    match op {
        Op::Max => T::LOWEST,
        Op::Affine => T::from_bits(1 << 32),
        _ => T::from_f64(0.0),
    }
}

/// The aggregate of elements that follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Aggregate<T> {
    op: Op,
    /// Exact, except that of a sum of floats.
    value: T,
    sum: Compensated,
    /// Σ|x|.
    absolute_sum: f64,
    count: u64,
}

impl<T: Element> Aggregate<T> {
    /// Of no elements.
    pub fn new(op: Op) -> Self {
        Self { op, value: identity(op), sum: Compensated::default(), absolute_sum: 0.0, count: 0 }
    }

    fn add(&mut self, x: T) {
        if self.is_rounded() {
            self.sum.add(x.to_f64());
            self.absolute_sum += x.to_f64().abs();
        } else {
            self.value = combine(self.op, self.value, x);
        }
        self.count += 1;
    }

    /// Appends the aggregate of the elements that follow.
    fn append(&mut self, later: &Self) {
        if self.is_rounded() {
            self.sum.append(later.sum);
            self.absolute_sum += later.absolute_sum;
        } else {
            self.value = combine(self.op, self.value, later.value);
        }
        self.count += later.count;
    }

    /// Whether kernels round.
    fn is_rounded(&self) -> bool {
        T::DTYPE.is_float() && self.op == Op::Sum
    }

    /// What a kernel may write if its elements pass through at most `depth` rounded additions.
    pub fn expect(&self, depth: u64) -> Accepted<T> {
        if !self.is_rounded() {
            return Accepted::Equal(self.value);
        }
        let value = self.sum.value();
        let own = f64::EPSILON / 2.0 * value.abs();
        let bound = match self.count {
            // A single element must come out as it is.
            0 | 1 => 0.0,
            _ => bound::sum(T::DTYPE, depth, self.absolute_sum) + own,
        };
        Accepted::Within { value, bound }
    }
}

/// Two values combined by an operator that does not round.
fn combine<T: Element>(op: Op, a: T, b: T) -> T {
    let integers = |f: fn(i64, i64) -> i64| T::from_bits(f(a.to_i64(), b.to_i64()) as u64);
    match op {
        Op::Max if !T::DTYPE.is_float() => integers(i64::max),
        // A NaN loses against any number.
        Op::Max if b.to_f64() > a.to_f64() => b,
        Op::Max => a,
        Op::Affine => integers(|a, b| compose(a as u64, b as u64) as i64),
        _ => integers(i64::wrapping_add),
    }
}

/// The number of elements that one core combines at a time.
pub const CHUNK: usize = 1 << 16;

/// The aggregates before every [`CHUNK`]th element, and that of all elements as the last; by all cores.
pub fn prefixes<T: Element>(op: Op, elements: &[T]) -> Vec<Aggregate<T>> {
    let of_chunk = |chunk: &[T]| {
        let mut aggregate = Aggregate::new(op);
        chunk.iter().for_each(|&x| aggregate.add(x));
        aggregate
    };
    let chunks: Vec<Aggregate<T>> = elements.par_chunks(CHUNK).map(of_chunk).collect();
    let mut prefixes = vec![Aggregate::new(op)];
    for (i, chunk) in chunks.iter().enumerate() {
        let mut next = prefixes[i];
        next.append(chunk);
        prefixes.push(next);
    }
    prefixes
}

/// The sequential scan of a case's elements.
///
/// It stores the prefix before every [`CHUNK`]th element. All cores compute the others from these, where
/// they are needed.
#[derive(Clone, Debug)]
pub struct Reference<T> {
    kind: Kind,
    prefixes: Vec<Aggregate<T>>,
}

impl<T: Element> Reference<T> {
    /// Combines all elements, in order.
    pub fn new(case: &Case, elements: &[T]) -> Self {
        Self { kind: parameters::kind(case), prefixes: prefixes(case.op, elements) }
    }

    /// Compares results with the scan of the elements, none of which passed through more than `depth`
    /// rounded additions.
    pub fn judge(&self, depth: u64, elements: &[T], results: &[T]) -> Verdict {
        verify::compare_chunks(bytemuck::cast_slice(results), CHUNK, |c| {
            let chunk = elements.iter().skip(c * CHUNK).take(CHUNK);
            scan_from(self.prefixes[c], self.kind, depth, chunk)
        })
    }
}

/// What the scan of elements must be, where no element passes through more than `depth` rounded
/// additions.
pub fn scan<T: Element>(
    op: Op,
    kind: Kind,
    depth: u64,
    elements: &[T],
) -> impl Iterator<Item = Accepted<T>> {
    scan_from(Aggregate::new(op), kind, depth, elements.iter())
}

/// The scan of the elements that come after an aggregate.
pub fn scan_from<'e, T: Element>(
    mut aggregate: Aggregate<T>,
    kind: Kind,
    depth: u64,
    elements: impl Iterator<Item = &'e T>,
) -> impl Iterator<Item = Accepted<T>> {
    elements.map(move |&x| {
        let before = aggregate;
        aggregate.add(x);
        match kind {
            Kind::Inclusive => aggregate.expect(depth),
            Kind::Exclusive => before.expect(depth),
        }
    })
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::ScanParameters;

    #[track_caller]
    fn check<T: Element + std::fmt::Debug>(op: Op, kind: Kind, elements: &[T], expected: &[T]) {
        let scanned = scan(op, kind, 1, elements);
        let scanned: Vec<f64> = scanned.map(|accepted| accepted.value()).collect();
        let expected: Vec<f64> = expected.iter().map(|x| x.to_f64()).collect();
        assert_eq!(scanned, expected, "{op} {kind}");
    }

    #[test]
    fn both_kinds() {
        check(Op::Sum, Kind::Inclusive, &[3, 1, 7, 0], &[3, 4, 11, 11]);
        check(Op::Sum, Kind::Exclusive, &[3, 1, 7, 0], &[0, 3, 4, 11]);
        check(Op::Sum, Kind::Exclusive, &[1.5f32, 2.0], &[0.0, 1.5]);
        check(Op::Max, Kind::Inclusive, &[-3, -5, -1], &[-3, -3, -1]);
        // Neighbours that are one and the same f64.
        let large = [1i64 << 60, (1 << 60) + 1];
        let largest = scan(Op::Max, Kind::Inclusive, 1, &large).last();
        assert!(matches!(largest, Some(Accepted::Equal(x)) if x == large[1]));
        let lowest = f32::NEG_INFINITY;
        check(Op::Max, Kind::Exclusive, &[-3.0f32, 1.0], &[lowest, -3.0]);
    }

    /// A right result of several chunks is accepted, and one wrong element of it is found.
    #[test]
    fn a_chunk_continues_the_one_before_it() {
        let elements: Vec<u32> = (1..=3 * CHUNK as u32 + 5).collect();
        for kind in [Kind::Inclusive, Kind::Exclusive] {
            let case = Case {
                parameters: ScanParameters::of_kind(kind).into(),
                ..Case::vector(elements.len() as u64, u32::DTYPE, Op::Sum)
            };
            let scanned = scan(Op::Sum, kind, 1, &elements);
            let mut scanned: Vec<u32> = scanned.map(|accepted| accepted.nearest()).collect();
            let reference = Reference::new(&case, &elements);
            let judge = |scanned: &[u32]| reference.judge(1, &elements, scanned);
            assert!(judge(&scanned).is_correct(), "{kind}");
            scanned[2 * CHUNK] ^= 1;
            assert!(!judge(&scanned).is_correct(), "{kind}");
        }
    }

    #[test]
    fn bytes_wrap() {
        check(Op::Sum, Kind::Inclusive, &[200u8, 100], &[200, 44]);
    }

    /// First x -> 2x + 3, then x -> 5x + 7: x -> 10x + 22. The other way round it would be 10x + 17.
    #[test]
    fn maps_are_composed_in_order() {
        let map = |a: i64, b: i64| a << 32 | b;
        let maps = [map(2, 3), map(5, 7)];
        check(Op::Affine, Kind::Inclusive, &maps, &[map(2, 3), map(10, 22)]);
        check(Op::Affine, Kind::Exclusive, &maps, &[map(1, 0), map(2, 3)]);
    }

    #[test]
    fn the_bound_grows_with_the_prefix() {
        let scanned = scan(Op::Sum, Kind::Inclusive, 4, &[1.0f32, -1.0, 1.0]);
        let bounds: Vec<f64> = scanned.map(|accepted| accepted.bound()).collect();
        assert_eq!(bounds[0], 0.0);
        assert!(0.0 < bounds[1] && bounds[1] < bounds[2]);
    }
}
