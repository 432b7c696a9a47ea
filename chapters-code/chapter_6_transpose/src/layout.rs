//! Where the elements of a case lie in memory, before and after.

use harness::{Case, Shape};

use crate::Tile;

/// Matrices of one shape, one behind the other, in an input and in an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Rows of the input.
    pub rows: u64,
    /// Its columns.
    pub cols: u64,
    /// Elements from the start of one of its rows to that of the next; at least its columns.
    pub ld_in: u64,
    /// Likewise in the output, whose rows end with as many that belong to none.
    pub ld_out: u64,
    /// Matrices.
    pub batch: u64,
}

impl Layout {
    /// That of a case; a vector is one row.
    pub fn of(case: &Case) -> Self {
        let (rows, cols) = match case.shape {
            Shape::Matrix { rows, cols } => (rows, cols),
            Shape::Vector { n } => (1, n),
        };
        let ld_in = case.parameters.ld.unwrap_or(cols);
        Self {
            rows,
            cols,
            ld_in,
            ld_out: rows.saturating_add(ld_in.saturating_sub(cols)),
            batch: case.parameters.batch.unwrap_or(1),
        }
    }

    /// Elements of the matrices themselves, the gaps behind their rows left out.
    pub fn elements(&self) -> u64 {
        self.rows * self.cols * self.batch
    }

    /// Elements of the whole input; at most 2^64 - 1, where there are more.
    pub fn input_elements(&self) -> u64 {
        let matrix = self.rows.saturating_mul(self.ld_in);
        matrix.saturating_mul(self.batch)
    }

    /// Elements of the whole output; likewise.
    pub fn output_elements(&self) -> u64 {
        let matrix = self.cols.saturating_mul(self.ld_out);
        matrix.saturating_mul(self.batch)
    }

    /// Tiles that cover one matrix.
    pub fn tiles(&self, tile: &Tile) -> u64 {
        (self.rows + tile.over).div_ceil(tile.rows) * self.cols.div_ceil(tile.cols)
    }

    /// Whether the transpose has the same shape.
    pub fn is_square(&self) -> bool {
        self.rows == self.cols
    }
}

#[cfg(test)]
mod tests {
    use harness::{Dtype, Op, Parameters};

    use super::*;

    #[test]
    fn gaps_stand_behind_every_row_on_both_sides() {
        let case = Case {
            shape: Shape::Matrix { rows: 3, cols: 5 },
            parameters: Parameters {
                batch: Some(2),
                ld: Some(8),
                ..Parameters::default()
            },
            ..Case::vector(0, Dtype::F32, Op::Sum)
        };
        let layout = Layout::of(&case);
        assert_eq!((layout.ld_in, layout.ld_out), (8, 6));
        assert_eq!(layout.elements(), 30);
        assert_eq!(layout.input_elements(), 48);
        assert_eq!(layout.output_elements(), 60);
        let tile = Tile {
            rows: 2,
            cols: 2,
            over: 0,
            shared: 0,
            resident: None,
        };
        assert_eq!(layout.tiles(&tile), 6);
        assert_eq!(layout.tiles(&Tile { over: 3, ..tile }), 9);
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
