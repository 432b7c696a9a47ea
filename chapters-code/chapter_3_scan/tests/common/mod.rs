//! Cases of this chapter, and its rungs run on them.

#![allow(dead_code, unused_imports)] // each test file uses its part

use chapter_3_scan::chapter::Scan;
pub use harness::testing::{check, simulator};
use harness::{Case, Dtype, Input, Kind, Op, Parameters, Row, Shape, testing};

/// Both kinds of scan of `n` elements.
pub fn both(n: u64, dtype: Dtype, op: Op) -> [Case; 2] {
    [Kind::Inclusive, Kind::Exclusive].map(|kind| Case {
        shape: Shape::Vector { n },
        dtype,
        op,
        input: Input::Uniform,
        seed: 1,
        parameters: Parameters::of_kind(kind),
    })
}

/// An inclusive sum of `n` f32.
pub fn sum_f32(n: u64) -> Case {
    both(n, Dtype::F32, Op::Sum)[0]
}

/// Runs every rung that is meant to be right on every case.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    testing::run(&Scan, cases, &|rung, _| !rung.is_broken())
}

/// Runs the rungs that are meant to be wrong and come to an end, each on its own case.
pub fn run_broken(n: u64) -> Vec<Row> {
    testing::run(&Scan, &[sum_f32(n)], &|rung, _| {
        rung.is_broken() && !rung.is_endless
    })
}
