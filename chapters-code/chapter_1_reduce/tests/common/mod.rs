//! Cases of this chapter, and its rungs run on them.

#![allow(dead_code, unused_imports)] // each test file uses its part

use chapter_1_reduce::chapter::Reduce;
pub use harness::testing::{INSTRUCTIONS, check, simulator};
use harness::{Case, Dtype, Input, Op, Row, Shape, testing};

/// A sum of `n` f32.
pub fn sum_f32(n: u64) -> Case {
    vector(n, Dtype::F32, Op::Sum)
}

/// A vector's case.
pub fn vector(n: u64, dtype: Dtype, op: Op) -> Case {
    Case {
        shape: Shape::Vector { n },
        dtype,
        op,
        input: Input::Uniform,
        seed: 1,
        parameters: Default::default(),
    }
}

/// Runs every rung that is meant to be right on every case.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    run(cases, &|rung, _| !rung.is_broken())
}

/// Runs the rungs that `wanted` picks on every case that they are for.
pub fn run(cases: &[Case], wanted: &dyn Fn(&harness::RungInfo, &Case) -> bool) -> Vec<Row> {
    testing::run(&Reduce, cases, wanted)
}
