//! The sequential algorithms, which every kernel is checked against: chapter 3's, for each segment anew.

use chapter_3_scan::reference::{identity, scan as scan_of_one};
use harness::{
    Case, Dtype, Element,
    bound::{self, Compensated},
    verify::Exact,
};

use crate::{segments::Offsets, sparse::Csr};

/// What the segmented scan of a case's elements must be, where no element passes through more than
/// `depth` rounded operations.
pub fn scan<'a, T: Element>(
    case: &'a Case,
    depth: u64,
    elements: &'a [T],
    offsets: &'a Offsets,
) -> impl Iterator<Item = Exact<T>> + 'a {
    offsets.ranges().flat_map(move |range| {
        let depth = depth.min(range.len() as u64);
        scan_of_one(case, depth, &elements[range])
    })
}

/// What the fold of each segment must be.
pub fn reduce<'a, T: Element>(
    case: &'a Case,
    depth: u64,
    elements: &'a [T],
    offsets: &'a Offsets,
) -> impl Iterator<Item = Exact<T>> + 'a {
    offsets.ranges().map(move |range| {
        let depth = depth.min(range.len() as u64);
        let last = scan_of_one(case, depth, &elements[range]).last();
        last.unwrap_or_else(|| Exact::Equal(identity(case.op)))
    })
}

/// What a matrix times a vector must be, where no product passes through more than `depth` rounded
/// operations, its own among them.
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
    use harness::{Kind, Op, Parameters};

    use super::*;

    fn example(kind: Option<Kind>) -> (Case, [i32; 9], Offsets) {
        let case = Case {
            parameters: Parameters {
                kind,
                ..Parameters::default()
            },
            ..Case::vector(9, Dtype::I32, Op::Sum)
        };
        let offsets = Offsets::of_lengths([2, 3, 4]).expect("they are few");
        (case, [1, 2, 6, 7, 1, 1, 2, 3, 4], offsets)
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
        let scanned = values(scan(&case, 1, &x, &offsets));
        assert_eq!(scanned, [0, 1, 0, 6, 13, 0, 1, 3, 6]);
        let (case, x, offsets) = example(Some(Kind::Inclusive));
        let scanned = values(scan(&case, 1, &x, &offsets));
        assert_eq!(scanned, [1, 3, 6, 13, 14, 1, 3, 6, 10]);
        let (case, x, offsets) = example(None);
        assert_eq!(values(reduce(&case, 1, &x, &offsets)), [3, 14, 10]);
    }

    #[test]
    fn an_empty_segment_folds_to_the_identity() {
        let case = Case::vector(1, Dtype::I32, Op::Max);
        let offsets = Offsets::of_lengths([0, 1, 0]).expect("they are few");
        let folds = values(reduce(&case, 1, &[-7], &offsets));
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
