//! The addresses of a case's elements in memory, before and after the transpose.

use crate::Case;

/// The most matrices of a launch: a grid has at most 65,535 blocks in y.
const MOST_MATRICES: u64 = 65_535;

/// Matrices of one shape, one behind the other, in an input and in an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The rows of a matrix of the input.
    pub rows: u64,
    /// The columns of a matrix of the input.
    pub cols: u64,
    /// The leading dimension of the input: elements from the start of a row to that of the next, at least
    /// the columns.
    pub ld_in: u64,
    /// The leading dimension of the output. The gap behind a row has as many elements as in the input.
    pub ld_out: u64,
    /// The number of matrices.
    pub batch: u64,
}

/// The matrices that one launch transposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The index of their first element in the input.
    pub input: usize,
    /// The index of their first element in the output.
    pub output: usize,
    /// The number of these elements.
    pub count: u32,
}

impl Layout {
    /// The layout of a case. A vector is one row.
    pub fn of(case: &Case) -> Self {
        let (rows, cols) = case.shape.sides().unwrap_or((1, case.elements()));
        let ld_in = case.task.ld.unwrap_or(cols);
        Self {
            rows,
            cols,
            ld_in,
            ld_out: rows.saturating_add(ld_in.saturating_sub(cols)),
            batch: case.task.batch,
        }
    }

    /// The number of elements of all matrices, without the gaps behind their rows.
    pub fn elements(&self) -> u64 {
        self.rows * self.cols * self.batch
    }

    /// The number of elements of the input with its gaps, or 2^64 - 1 if there are more.
    pub fn input_elements(&self) -> u64 {
        let matrix = self.rows.saturating_mul(self.ld_in);
        matrix.saturating_mul(self.batch)
    }

    /// The number of elements of the output with its gaps, or 2^64 - 1 if there are more.
    pub fn output_elements(&self) -> u64 {
        let matrix = self.cols.saturating_mul(self.ld_out);
        matrix.saturating_mul(self.batch)
    }

    /// The number of tiles of `rows` x `cols` elements that cover one matrix, at least one.
    pub fn tiles(&self, rows: u64, cols: u64) -> u32 {
        (self.rows.div_ceil(rows) * self.cols.div_ceil(cols)).max(1) as u32
    }

    /// The launches that transpose all matrices. There is none if the matrices have no elements,
    /// because a grid without blocks is an error.
    pub fn launches(&self) -> impl Iterator<Item = Batch> + use<> {
        let layout = *self;
        let batch = if self.elements() == 0 { 0 } else { self.batch };
        let starts = (0..batch).step_by(MOST_MATRICES as usize);
        starts.map(move |first| Batch {
            input: (first * layout.rows * layout.ld_in) as usize,
            output: (first * layout.cols * layout.ld_out) as usize,
            count: MOST_MATRICES.min(batch - first) as u32,
        })
    }

    /// Whether the transpose has the same shape.
    pub fn is_square(&self) -> bool {
        self.rows == self.cols
    }
}

#[cfg(test)]
mod tests {
    use harness::{Dtype, Op, Shape};

    use super::*;
    use crate::MatrixParameters;

    #[test]
    fn gaps_stand_behind_every_row_on_both_sides() {
        let case = Case {
            shape: Shape::Matrix { rows: 3, cols: 5 },
            task: MatrixParameters::new(2, 8),
            ..Case::vector(0, Dtype::F32, Op::Sum)
        };
        let layout = Layout::of(&case);
        assert_eq!((layout.ld_in, layout.ld_out), (8, 6));
        assert_eq!(layout.elements(), 30);
        assert_eq!(layout.input_elements(), 48);
        assert_eq!(layout.output_elements(), 60);
        assert_eq!(layout.tiles(2, 2), 6);
        assert_eq!(layout.launches().count(), 1);
    }

    #[test]
    fn a_batch_is_split_where_a_grid_ends() {
        let layout = Layout { rows: 2, cols: 3, ld_in: 4, ld_out: 3, batch: 65_537 };
        let launches: Vec<_> = layout.launches().map(|l| (l.input, l.output, l.count)).collect();
        assert_eq!(launches, [(0, 0, 65_535), (8 * 65_535, 9 * 65_535, 2)]);
        assert_eq!(Layout { rows: 0, ..layout }.launches().count(), 0);
    }

    #[test]
    fn sizes_beyond_64_bits_are_the_largest() {
        let huge = Layout {
            rows: 1 << 24,
            cols: 1 << 24,
            ld_in: 1 << 48,
            ld_out: 1 << 48,
            batch: 1 << 20,
        };
        assert_eq!(huge.input_elements(), u64::MAX);
    }
}
