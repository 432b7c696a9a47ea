//! Cases of this chapter, and its rungs run on them.

use chapter_7_coalescing::{Case, Task, chapter::Coalescing, patterns};
use harness::{Dtype, Op};
use report::{Chapter, Row};

/// An array of so many elements, and what is to be done with it.
pub fn of(n: u64, task: Task) -> Case {
    Case::vector(n, Dtype::F32, Op::Sum).with(task)
}

/// Those patterns that make sense for an array of so many elements.
pub fn sensible(n: u64, patterns: impl IntoIterator<Item = Task>) -> Vec<Case> {
    let cases = patterns.into_iter().map(|task| of(n, task));
    let makes_sense = |case: &Case| Coalescing.check(case).is_ok();
    cases.filter(makes_sense).collect()
}

/// One of each task.
pub fn usual(n: u64) -> Vec<Case> {
    sensible(n, patterns::USUAL)
}

/// All that the chapter's text has a formula for.
pub fn all(n: u64) -> Vec<Case> {
    sensible(n, patterns::all())
}

/// Runs every rung that is meant to be right on every case.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    testing::run(&Coalescing, cases, &testing::is_right)
}
