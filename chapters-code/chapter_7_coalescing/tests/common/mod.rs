//! Cases of this chapter, and its rungs run on them.

use chapter_7_coalescing::{AccessParameters, chapter::Coalescing, patterns};
use harness::{Case, Dtype, Op};
use report::{Chapter, Row, testing};

/// An array of so many elements, and what is to be done with it.
pub fn of(n: u64, parameters: AccessParameters) -> Case {
    Case::vector(n, Dtype::F32, Op::Sum).with(parameters)
}

/// Those patterns that make sense for an array of so many elements.
pub fn sensible(n: u64, patterns: impl IntoIterator<Item = AccessParameters>) -> Vec<Case> {
    let cases = patterns.into_iter().map(|parameters| of(n, parameters));
    let makes_sense = |case: &Case| Coalescing.check(case).is_ok();
    cases.filter(makes_sense).collect()
}

/// One of each task.
pub fn usual(n: u64) -> Vec<Case> {
    sensible(n, patterns::usual())
}

/// All that the chapter's text has a formula for.
pub fn all(n: u64) -> Vec<Case> {
    sensible(n, patterns::all())
}

/// Runs every rung that is meant to be right on every case.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    testing::run(&Coalescing, cases, &testing::is_right)
}
