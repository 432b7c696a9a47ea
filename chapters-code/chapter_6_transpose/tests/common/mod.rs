//! Cases of this chapter, and its rungs run on them.

use chapter_6_transpose::{Case, MatrixParameters, chapter::Transpose};
use harness::{Dtype, Op, Shape};
use report::Row;

/// Types of 1, 2, 4, 8 and 16 bytes.
pub const SIZES: [Dtype; 5] = [Dtype::U8, Dtype::U16, Dtype::F32, Dtype::I64, Dtype::U128];

/// A matrix of so many rows and columns.
pub fn matrix(rows: u64, cols: u64, dtype: Dtype) -> Case {
    Case { shape: Shape::Matrix { rows, cols }, ..Case::vector(0, dtype, Op::Sum) }
}

/// Several of them, whose rows begin every `ld` elements.
pub fn matrices(batch: u64, ld: u64, case: Case) -> Case {
    case.with(MatrixParameters::new(batch, ld))
}

/// Runs every rung that is meant to be right on every case.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    testing::run(&Transpose, cases, &testing::is_right)
}
