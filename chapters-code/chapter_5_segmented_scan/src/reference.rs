//! The reference: computes on the CPU what every result is compared with, by chapter 3's for each segment.

use std::ops::Range;

use chapter_1_reduce::reference::Aggregate;
use chapter_3_scan::reference::{self as of_one, CHUNK};
use harness::{
    Dtype, Element, Kind, Op,
    bound::{self, Compensated},
    verify::{self, Accepted, Verdict},
};

use rayon::iter::Either;

use crate::{segments::Offsets, sparse::Csr};

/// The number of elements, or segments, that one core compares at a time.
const GROUP: usize = 1 << 16;

/// Elements in segments, and the results of a kernel whose elements pass through at most `depth` rounded
/// operations.
#[derive(Clone, Copy)]
pub struct Expected<'a, T> {
    op: Op,
    depth: u64,
    elements: &'a [T],
    offsets: &'a Offsets,
}

impl<'a, T: Element> Expected<'a, T> {
    /// The results for elements in segments.
    pub fn new(op: Op, depth: u64, elements: &'a [T], offsets: &'a Offsets) -> Self {
        Self { op, depth, elements, offsets }
    }

    /// The results of a scan, element by element.
    pub fn scan(self, kind: Kind) -> impl Iterator<Item = Accepted<T>> + 'a {
        self.scan_of(kind, 0..self.offsets.count())
    }

    /// The results of a reduction, segment by segment.
    pub fn reduce(self) -> impl Iterator<Item = Accepted<T>> + 'a {
        self.reduce_of(0..self.offsets.count())
    }

    fn scan_of(self, kind: Kind, segments: Range<usize>) -> impl Iterator<Item = Accepted<T>> + 'a {
        self.offsets.ranges_of(segments).flat_map(move |range| {
            let depth = self.depth.min(range.len() as u64);
            of_one::scan(self.op, kind, depth, &self.elements[range])
        })
    }

    fn reduce_of(self, segments: Range<usize>) -> impl Iterator<Item = Accepted<T>> + 'a {
        self.offsets.ranges_of(segments).map(move |range| {
            let depth = self.depth.min(range.len() as u64);
            let elements = &self.elements[range];
            let all = match elements.len() > CHUNK {
                true => Aggregate::on_all_cores(self.op, elements),
                false => Aggregate::of(self.op, elements.iter().copied()),
            };
            all.expect(depth, 0.0)
        })
    }

    /// Compares the bytes of computed results with those of a scan, on all cores.
    pub fn judge_scan(self, kind: Kind, computed: &[u8]) -> Verdict {
        let parts = self.parts();
        let starts: Vec<usize> = parts.iter().map(|(start, _)| *start).collect();
        verify::compare_parts(computed, &starts, |p| match &parts[p].1 {
            Part::Segments(segments) => Either::Left(self.scan_of(kind, segments.clone())),
            Part::Chunk { elements, before, depth } => {
                Either::Right(of_one::scan_from(*before, kind, *depth, elements.iter()))
            }
        })
    }

    /// What one core compares at a time, with the index of its first element.
    fn parts(self) -> Vec<(usize, Part<'a, T>)> {
        let mut parts = Vec::new();
        for group in self.offsets.groups(GROUP) {
            // Only the last segment of a group can be long.
            let last = self.offsets.ranges_of(group.end - 1..group.end).next().unwrap_or(0..0);
            let is_long = last.len() > CHUNK;
            let whole = group.start..group.end - usize::from(is_long);
            if !whole.is_empty() {
                let start = self.offsets.as_slice()[whole.start] as usize;
                parts.push((start, Part::Segments(whole)));
            }
            if is_long {
                let depth = self.depth.min(last.len() as u64);
                let elements = &self.elements[last.clone()];
                let starts = last.step_by(CHUNK);
                let chunks = elements.chunks(CHUNK).zip(of_one::prefixes(self.op, elements));
                let chunks =
                    chunks.map(|(elements, before)| Part::Chunk { elements, before, depth });
                parts.extend(starts.zip(chunks));
            }
        }
        parts
    }

    /// Compares the bytes of computed results with those of a reduction, on all cores.
    pub fn judge_reduce(self, computed: &[u8]) -> Verdict {
        let groups = self.offsets.groups(GROUP);
        let starts: Vec<usize> = groups.iter().map(|group| group.start).collect();
        verify::compare_parts(computed, &starts, |g| self.reduce_of(groups[g].clone()))
    }
}

/// What one core compares at a time.
enum Part<'a, T> {
    /// Whole segments.
    Segments(Range<usize>),
    /// A chunk of a long segment, after the aggregate of the segment's elements before it.
    Chunk { elements: &'a [T], before: Aggregate<T>, depth: u64 },
}

/// Compares the bytes of a computed product with that of a matrix and a vector, on all cores. Every product of two
/// elements passes through at most `depth` rounded operations, its own included.
pub fn judge_product(matrix: &Csr, x: &[f32], depth: u64, computed: &[u8]) -> Verdict {
    let groups = matrix.rows.groups(GROUP);
    let starts: Vec<usize> = groups.iter().map(|group| group.start).collect();
    verify::compare_parts(computed, &starts, |g| multiply(matrix, groups[g].clone(), x, depth))
}

/// The elements of a product that belong to some rows of the matrix.
fn multiply<'a>(
    matrix: &'a Csr,
    rows: Range<usize>,
    x: &'a [f32],
    depth: u64,
) -> impl Iterator<Item = Accepted<f32>> + 'a {
    matrix.rows.ranges_of(rows).map(move |row| {
        let (mut sum, mut absolute_sum) = (Compensated::default(), 0.0);
        let depth = depth.min(row.len() as u64 + 1);
        for i in row {
            // Exact: twice 24 bits are fewer than 53.
            let product = f64::from(matrix.values[i]) * f64::from(x[matrix.columns[i] as usize]);
            sum.add(product);
            absolute_sum += product.abs();
        }
        let value = sum.value();
        let own = f64::EPSILON / 2.0 * value.abs();
        let bound = bound::sum(Dtype::F32, depth, absolute_sum) + own;
        Accepted::Within { value, bound }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A right result is accepted, and an element that is `off` by so much is found.
    fn check<T: Element>(
        right: &[T],
        wrong_at: &[usize],
        off: f64,
        judge: impl Fn(&[u8]) -> Verdict,
    ) {
        assert!(judge(bytemuck::cast_slice(right)).is_correct());
        for &at in wrong_at {
            let mut wrong = right.to_vec();
            wrong[at] = T::from_f64(wrong[at].to_f64() + off);
            let failure = &judge(bytemuck::cast_slice(&wrong)).failures[0];
            assert!(failure.message.contains(&format!("out[{at}]")), "{failure:?}");
        }
    }

    fn values<T: Element>(results: impl Iterator<Item = Accepted<T>>) -> Vec<T> {
        results.map(|accepted| accepted.nearest()).collect()
    }

    /// Cut into groups, the judge sees what it sees of the whole, also at borders and empty segments.
    #[test]
    fn groups_are_judged_as_a_whole() {
        let lengths = (0..200_000u32).map(|i| if i % 7 == 0 { 0 } else { i % 5 });
        let offsets = Offsets::of_lengths(lengths).expect("they fit");
        let elements: Vec<i32> = (1..=offsets.elements() as i32).collect();
        let expected = Expected::new(Op::Sum, 1, &elements, &offsets);
        assert!(offsets.groups(GROUP).len() > 4);
        let right = values(expected.scan(Kind::Inclusive));
        let wrong_at = [0, right.len() / 2, right.len() - 1];
        check(&right, &wrong_at, 1.0, |computed| expected.judge_scan(Kind::Inclusive, computed));
        check(&values(expected.reduce()), &[0, 100_000, 199_999], 1.0, |c| {
            expected.judge_reduce(c)
        });
    }

    /// A segment of several chunks between short ones is judged as it is scanned by one core.
    #[test]
    fn a_long_segment_is_judged_as_a_whole() {
        let offsets = Offsets::of_lengths([3, 3 * CHUNK as u32 + 5, 0, 7]).expect("they fit");
        let elements: Vec<f32> = (0..offsets.elements()).map(|i| (i % 17) as f32).collect();
        let expected = Expected::new(Op::Sum, 1 << 20, &elements, &offsets);
        for kind in Kind::ALL {
            let wrong_at = [2, 3 + CHUNK, 3 + 2 * CHUNK + 1, elements.len() - 1];
            let right = values(expected.scan(kind));
            check(&right, &wrong_at, 1e9, |computed| expected.judge_scan(kind, computed));
        }
        let sum: f64 = elements[3..3 * CHUNK + 8].iter().map(|&x| f64::from(x)).sum();
        assert_eq!(values(expected.reduce())[1], sum as f32);
    }

    /// [[1 2] [6 7 1] [1 2 3 4]].
    #[test]
    fn the_example_of_the_chapter() {
        let x = [1, 2, 6, 7, 1, 1, 2, 3, 4];
        let offsets = Offsets::of_lengths([2, 3, 4]).expect("they are few");
        let expected = Expected::new(Op::Sum, 1, &x, &offsets);
        let exclusive = values(expected.scan(Kind::Exclusive));
        assert_eq!(exclusive, [0, 1, 0, 6, 13, 0, 1, 3, 6]);
        let inclusive = values(expected.scan(Kind::Inclusive));
        assert_eq!(inclusive, [1, 3, 6, 13, 14, 1, 3, 6, 10]);
        assert_eq!(values(expected.reduce()), [3, 14, 10]);
    }

    #[test]
    fn an_empty_segment_folds_to_the_identity() {
        let offsets = Offsets::of_lengths([0, 1, 0]).expect("they are few");
        let folds = values(Expected::new(Op::Max, 1, &[-7], &offsets).reduce());
        assert_eq!(folds, [i32::MIN, -7, i32::MIN]);
    }

    #[test]
    fn a_product_by_hand() {
        // [1 2; 0 0; 0 3] times [5 7].
        let matrix = Csr {
            rows: Offsets::of_lengths([2, 0, 1]).expect("they are few"),
            columns_in_all: 2,
            columns: vec![0, 1, 1],
            values: vec![1.0, 2.0, 3.0],
        };
        let products: Vec<f64> =
            multiply(&matrix, 0..3, &[5.0, 7.0], 1).map(|accepted| accepted.value()).collect();
        assert_eq!(products, [19.0, 0.0, 21.0]);
    }
}
