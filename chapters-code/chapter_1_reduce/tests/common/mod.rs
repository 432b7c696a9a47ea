//! Cases of this chapter, and its rungs run on them.

use chapter_1_reduce::chapter::Reduce;
use harness::{Case, Dtype, Op};
use report::Row;

/// A sum of `n` f32.
pub fn sum_f32(n: u64) -> Case {
    Case::vector(n, Dtype::F32, Op::Sum)
}

/// Runs every rung that is meant to be right on every case.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    testing::run(&Reduce, cases, &testing::is_right)
}
