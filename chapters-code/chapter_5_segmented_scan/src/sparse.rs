//! Sparse matrices whose rows are stored one after another (CSR): made by seed, in three shapes.

use harness::{Error, inputs};

use crate::{
    Case, Matrix, Segments, Task,
    segments::{self, Offsets},
};

/// A sparse matrix: row r has `values[i]` in `columns[i]` for i of `rows`' segment r.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr {
    /// The index of the first entry of each row.
    pub rows: Offsets,
    /// The number of columns of the matrix.
    pub columns_in_all: u32,
    /// The column of each entry.
    pub columns: Vec<u32>,
    /// The value of each entry.
    pub values: Vec<f32>,
}

/// Entries of a row of a banded matrix: a point's neighbours in three dimensions, and itself.
const BAND: u32 = 27;
/// Entries of the short rows of a matrix with a long one.
const SHORT: u32 = 4;

/// A square matrix of about as many entries as a case has elements, by its seed.
///
/// # Errors
/// As [`segments::count`].
pub fn made(kind: Matrix, case: &Case) -> Result<Csr, Error> {
    let in_segments = |s| Offsets::of_case(&case.with(Task::Reduce(s)));
    let rows = match kind {
        Matrix::Banded => in_segments(Segments::Of(BAND)),
        Matrix::PowerLaw | Matrix::File => in_segments(Segments::PowerLaw),
        Matrix::LongRow => Ok(long_row(segments::count(case)?)),
    }?;
    let order = (rows.count() as u32).max(1);
    let columns = columns(kind, &rows, order, case.seed);
    let values = inputs::generate::<f32>(case);
    Ok(Csr { rows, columns_in_all: order, columns, values })
}

/// Rows of four entries, and in their middle one with half of all.
fn long_row(n: u32) -> Offsets {
    let (long, short) = (n - n / 2, n / 2);
    let shorts = (0..short.div_ceil(SHORT)).map(|r| SHORT.min(short - r * SHORT));
    let mut lengths: Vec<u32> = shorts.collect();
    if long > 0 {
        lengths.insert(lengths.len() / 2, long);
    }
    Offsets::of_lengths(lengths).expect("n elements in all")
}

/// Beside the diagonal in a banded matrix, with strides as of a cube of points; anywhere in others.
fn columns(kind: Matrix, rows: &Offsets, order: u32, seed: u64) -> Vec<u32> {
    let side = f64::from(order).cbrt() as i64;
    let mut columns = Vec::with_capacity(rows.elements());
    for (r, range) in rows.ranges().enumerate() {
        for (k, i) in range.enumerate() {
            columns.push(match kind {
                Matrix::Banded => neighbour(r as i64, k as i64, side, order),
                _ => (inputs::bits(seed ^ 0xc01, i as u64) % u64::from(order)) as u32,
            });
        }
    }
    columns
}

/// The k-th of a point's 27 neighbours, on a cube of `side` points a side, which wraps at its border.
fn neighbour(point: i64, k: i64, side: i64, order: u32) -> u32 {
    let step = |axis: i64| k / 3i64.pow(axis as u32) % 3 - 1;
    let there = point + step(0) + step(1) * side + step(2) * side * side;
    there.rem_euclid(i64::from(order)) as u32
}

/// The vector that a matrix of a case is multiplied by.
pub fn vector(matrix: &Csr, case: &Case) -> Vec<f32> {
    let seed = case.seed ^ 0x7ec;
    let shape = harness::Shape::Vector { n: matrix.columns_in_all.into() };
    inputs::generate(&Case { shape, seed, ..*case })
}

#[cfg(test)]
mod tests {
    use harness::{Dtype, Op};

    use super::*;

    fn matrix(kind: Matrix, n: u64) -> Csr {
        made(kind, &Case::vector(n, Dtype::F32, Op::Sum)).expect("it is small")
    }

    #[test]
    fn made_matrices_have_their_entries_and_columns() {
        for (kind, n) in
            Matrix::MADE.into_iter().flat_map(|kind| [(kind, 0), (kind, 1), (kind, 9999)])
        {
            let matrix = matrix(kind, n);
            assert_eq!(matrix.rows.elements() as u64, n, "{kind}");
            assert_eq!(matrix.columns.len() as u64, n, "{kind}");
            assert_eq!(matrix.values.len() as u64, n, "{kind}");
            assert!(matrix.columns.iter().all(|&c| c < matrix.columns_in_all));
        }
    }

    #[test]
    fn shapes_are_as_said() {
        let banded = matrix(Matrix::Banded, 2700);
        assert!(banded.rows.ranges().all(|row| row.len() == 27));
        let long = matrix(Matrix::LongRow, 1000);
        let lengths: Vec<usize> = long.rows.ranges().map(|row| row.len()).collect();
        assert_eq!((lengths.len(), lengths[62]), (126, 500));
        assert!(lengths.iter().filter(|&&length| length == 4).count() == 125);
    }
}
