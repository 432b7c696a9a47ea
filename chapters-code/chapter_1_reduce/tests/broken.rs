//! Every kernel that is shown because it is wrong is caught, by what is said to catch it.

use crate::common;
use chapter_1_reduce::{broken::broken, chapter::Reduce};
use harness::{
    Case, Input,
    simulator::{Missing, Space},
    verify::Checker,
};
use recording::Caught;
use report::Row;

fn broken_rows(n: u64) -> Vec<Row> {
    let rows = testing::run(&Reduce, &[common::sum_f32(n)], &testing::is_broken);
    assert_eq!(rows.len(), broken::<f32>().len());
    rows
}

#[test]
fn all_are_caught_at_every_size() {
    for n in [1, 5000, 1 << 16] {
        testing::check(&broken_rows(n));
    }
}

/// The checker that the chapter names for each.
#[test]
fn each_by_its_checker() {
    let expected = [
        ("missing_first_barrier", Checker::Races),
        ("lockstep_warp", Checker::Races),
        ("lockstep_warp_volatile", Checker::Races),
        ("early_return_shuffle", Checker::Races),
        ("activemask_shuffle", Checker::Races),
        ("last_block_without_fence", Checker::Races),
        ("scratch_is_input", Checker::Input),
        ("non_power_of_two_tail", Checker::Result),
        ("off_by_one_pair", Checker::Result),
        ("max_padded_with_zero", Checker::Result),
        ("half_accumulator", Checker::Result),
    ];
    testing::check_caught(&broken_rows(1 << 14), &expected);
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
