//! The reference: computes on the CPU what every result is compared with.

use crate::Case;
use chapter_1_reduce::reference::Aggregate;
use harness::{
    Element, Kind, Op,
    verify::{self, Accepted, Verdict},
};
use rayon::prelude::*;

/// The number of elements that one core combines at a time.
pub const CHUNK: usize = 1 << 16;

/// The aggregates before every [`CHUNK`]th element, and that of all elements as the last; by all cores.
pub fn prefixes<T: Element>(op: Op, elements: &[T]) -> Vec<Aggregate<T>> {
    let chunks = elements.par_chunks(CHUNK);
    let chunks = chunks.map(|chunk| Aggregate::of(op, chunk.iter().copied()));
    let mut prefixes = vec![Aggregate::new(op)];
    for (i, chunk) in chunks.collect::<Vec<_>>().iter().enumerate() {
        prefixes.push(prefixes[i].and(chunk));
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
        Self { kind: case.task.kind, prefixes: prefixes(case.op, elements) }
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
            Kind::Inclusive => aggregate.expect(depth, 0.0),
            Kind::Exclusive => before.expect(depth, 0.0),
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
                task: ScanParameters::of_kind(kind),
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
