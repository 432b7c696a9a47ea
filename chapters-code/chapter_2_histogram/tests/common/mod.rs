//! Cases of this chapter, and its rungs run on them.

use chapter_2_histogram::{Case, HistogramParameters, chapter::Histogram};
use harness::{Dtype, Op};
use report::Row;

/// The chapter, which counts keys that have no bin.
pub const CHAPTER: Histogram = Histogram::DEFAULT;

/// `n` uniform keys of 32 bits in 256 bins.
pub fn u32s(n: u64) -> Case {
    Case::vector(n, Dtype::U32, Op::Sum).with(HistogramParameters::of_bins(256))
}

/// Runs every rung that is meant to be right on every case that it has room for.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    testing::run(&CHAPTER, cases, &testing::is_right)
}
