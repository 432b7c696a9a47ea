//! What is found in kernels that are shown because they are wrong.

use crate::common;
use chapter_1_reduce::chapter::Reduce;
use harness::{
    Case, Input,
    simulator::{Missing, Space},
};
use recording::Caught;
use report::Row;

fn broken_rows(n: u64) -> Vec<Row> {
    testing::run(&Reduce, &[common::sum_f32(n)], &testing::is_broken)
}

/// An element that is left out and another that is counted twice: a sum of equal ones is right.
#[test]
fn equal_elements_hide_a_misplaced_one() {
    let equal = Case { input: Input::Constant, ..common::sum_f32(1 << 14) };
    let rows = testing::run(&Reduce, &[equal], &|rung, _| rung.name == "off_by_one_pair");
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].caught, Some(Caught::Missed(None)));
}

/// The tree over the sums of the threads passes the largest number of f16, and ends in infinity.
#[test]
fn halves_overflow() {
    let rows = broken_rows(1 << 20);
    let row = testing::row(&rows, "half_accumulator");
    let expected = "out[0] is -inf, expected -5";
    assert!(row.failures[0].contains(expected), "{:?}", row.failures);
}

/// A race's report names both lines of the kernel's file and what is missing.
#[test]
fn a_race_names_lines_and_the_barrier() {
    let rows = broken_rows(1 << 14);
    let row = testing::row(&rows, "missing_first_barrier");
    let race = &row.races[0];
    assert_eq!(race.missing, Missing::Syncthreads);
    assert_eq!(race.space, Space::Shared);
    for access in [&race.first, &race.second] {
        assert!(access.line.contains("missing_first_barrier.cu:"), "{}", access.line);
    }
    assert_ne!(race.first.warp, race.second.warp);
}
