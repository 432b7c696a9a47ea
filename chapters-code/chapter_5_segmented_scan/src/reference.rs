//! The sequential algorithms, which every kernel is checked against: chapter 3's, for each segment.

use std::ops::Range;

use chapter_3_scan::reference::{identity, scan as scan_of_one};
use harness::{
    Case, Dtype, Element,
    bound::{self, Compensated},
    verify::{self, Exact, Verdict},
};

use crate::{segments::Offsets, sparse::Csr};

/// The number of elements, or segments, that one core compares at a time.
const GROUP: usize = 1 << 16;

/// The elements and segments of a case, and the results of a kernel whose elements pass through at most
/// `depth` rounded operations.
#[derive(Clone, Copy)]
pub struct Expected<'a, T> {
    case: &'a Case,
    depth: u64,
    elements: &'a [T],
    offsets: &'a Offsets,
}

impl<'a, T: Element> Expected<'a, T> {
    /// The results for elements in segments, by the operator and the kind of a case.
    pub fn new(case: &'a Case, depth: u64, elements: &'a [T], offsets: &'a Offsets) -> Self {
        Self {
            case,
            depth,
            elements,
            offsets,
        }
    }

    /// The results of a scan, element by element.
    pub fn scan(self) -> impl Iterator<Item = Exact<T>> + 'a {
        self.scan_of(0..self.offsets.count())
    }

    /// The results of a reduction, segment by segment.
    pub fn reduce(self) -> impl Iterator<Item = Exact<T>> + 'a {
        self.reduce_of(0..self.offsets.count())
    }

    fn scan_of(self, segments: Range<usize>) -> impl Iterator<Item = Exact<T>> + 'a {
        self.offsets.ranges_of(segments).flat_map(move |range| {
            let depth = self.depth.min(range.len() as u64);
            scan_of_one(self.case, depth, &self.elements[range])
        })
    }

    fn reduce_of(self, segments: Range<usize>) -> impl Iterator<Item = Exact<T>> + 'a {
        self.offsets.ranges_of(segments).map(move |range| {
            let depth = self.depth.min(range.len() as u64);
            let last = scan_of_one(self.case, depth, &self.elements[range]).last();
            last.unwrap_or_else(|| Exact::Equal(identity(self.case.op)))
        })
    }

    /// Compares the bytes of computed results with those of a scan, on all cores.
    pub fn judge_scan(self, computed: &[u8]) -> Verdict {
        let groups = self.offsets.groups(GROUP);
        let first = |group: &Range<usize>| self.offsets.as_slice()[group.start] as usize;
        let starts: Vec<usize> = groups.iter().map(first).collect();
        verify::compare_parts(computed, &starts, |g| self.scan_of(groups[g].clone()))
    }

    /// Compares the bytes of computed results with those of a reduction, on all cores.
    pub fn judge_reduce(self, computed: &[u8]) -> Verdict {
        let groups = self.offsets.groups(GROUP);
        let starts: Vec<usize> = groups.iter().map(|group| group.start).collect();
        verify::compare_parts(computed, &starts, |g| self.reduce_of(groups[g].clone()))
    }
}

/// The product of a matrix and a vector, row by row, where every product of two elements passes through at
/// most `depth` rounded operations, its own included.
pub fn multiply<'a>(
    matrix: &'a Csr,
    x: &'a [f32],
    depth: u64,
) -> impl Iterator<Item = Exact<f32>> + 'a {
    matrix.rows.ranges().map(move |row| {
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
        Exact::Within { value, bound }
    })
}

#[cfg(test)]
mod tests {
    use harness::{Kind, Op};

    use super::*;
    use crate::SegmentParameters;

    fn example(kind: Option<Kind>) -> (Case, [i32; 9], Offsets) {
        let case = Case {
            parameters: SegmentParameters {
                kind,
                ..SegmentParameters::default()
            }
            .into(),
            ..Case::vector(9, Dtype::I32, Op::Sum)
        };
        let offsets = Offsets::of_lengths([2, 3, 4]).expect("they are few");
        (case, [1, 2, 6, 7, 1, 1, 2, 3, 4], offsets)
    }

    /// Cut into groups, the judge sees what it sees of the whole, also at borders and empty segments.
    #[test]
    fn groups_are_judged_as_a_whole() {
        let lengths = (0..200_000u32).map(|i| if i % 7 == 0 { 0 } else { i % 5 });
        let offsets = Offsets::of_lengths(lengths).expect("they fit");
        let elements: Vec<i32> = (1..=offsets.elements() as i32).collect();
        let (case, ..) = example(Some(Kind::Inclusive));
        let expected = Expected::new(&case, 1, &elements, &offsets);
        assert!(offsets.groups(GROUP).len() > 4);
        for (right, judge) in [
            (
                values(expected.scan()),
                Expected::judge_scan as fn(_, &[u8]) -> _,
            ),
            (values(expected.reduce()), Expected::judge_reduce),
        ] {
            let verdict = |values: &[i32]| judge(expected, bytemuck::cast_slice(values));
            assert!(verdict(&right).is_correct());
            for at in [0, right.len() / 2, right.len() - 1] {
                let mut wrong = right.clone();
                wrong[at] += 1;
                let failure = &verdict(&wrong).failures[0];
                assert!(
                    failure.message.contains(&format!("out[{at}]")),
                    "{failure:?}"
                );
            }
        }
    }

    fn values(results: impl Iterator<Item = Exact<i32>>) -> Vec<i32> {
        let value = |exact| match exact {
            Exact::Equal(value) => value,
            Exact::Within { value, .. } => value as i32,
        };
        results.map(value).collect()
    }

    /// [[1 2] [6 7 1] [1 2 3 4]].
    #[test]
    fn the_example_of_the_chapter() {
        let (case, x, offsets) = example(Some(Kind::Exclusive));
        let scanned = values(Expected::new(&case, 1, &x, &offsets).scan());
        assert_eq!(scanned, [0, 1, 0, 6, 13, 0, 1, 3, 6]);
        let (case, x, offsets) = example(Some(Kind::Inclusive));
        let scanned = values(Expected::new(&case, 1, &x, &offsets).scan());
        assert_eq!(scanned, [1, 3, 6, 13, 14, 1, 3, 6, 10]);
        let (case, x, offsets) = example(None);
        assert_eq!(
            values(Expected::new(&case, 1, &x, &offsets).reduce()),
            [3, 14, 10]
        );
    }

    #[test]
    fn an_empty_segment_folds_to_the_identity() {
        let case = Case::vector(1, Dtype::I32, Op::Max);
        let offsets = Offsets::of_lengths([0, 1, 0]).expect("they are few");
        let folds = values(Expected::new(&case, 1, &[-7], &offsets).reduce());
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
        let products: Vec<f64> = multiply(&matrix, &[5.0, 7.0], 1)
            .map(|exact| match exact {
                Exact::Within { value, .. } => value,
                Exact::Equal(_) => f64::NAN,
            })
            .collect();
        assert_eq!(products, [19.0, 0.0, 21.0]);
    }
}
