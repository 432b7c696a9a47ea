//! Every kernel that is shown because it is wrong is caught, by what is said to catch it, and not where
//! it is said to be right.

use crate::common::{self, case, half, input, written};
use chapter_4_compact::{RUNGS, chapter::Compact, layout::HEADER, reference};
use harness::{
    By, Density, Dtype, Pattern, Row,
    testing::{self, check},
    verify::Checker,
};

fn is_broken(rung: &harness::RungInfo, case: &harness::Case) -> bool {
    testing::is_broken(rung, case) && rung.name != "no_capacity"
}

fn broken_rows(n: u64) -> Vec<Row> {
    testing::run(&Compact::SEEDED, &[half(n)], &is_broken)
}

#[test]
fn all_are_caught_at_every_size() {
    for n in [1, 50_000, 1 << 17] {
        check(&broken_rows(n));
    }
}

/// The checker that the chapter names for each.
#[test]
fn each_by_its_checker() {
    let expected = [
        ("inclusive_index", Checker::Result),
        ("flag_counted_twice", Checker::Result),
        ("mask_not_normalized", Checker::Result),
        ("active_lanes", Checker::Races),
        ("missing_barrier", Checker::Races),
        ("last_tile_only", Checker::Result),
    ];
    testing::check_caught(&broken_rows(1 << 16), &expected);
}

#[test]
fn races_name_what_is_missing() {
    let rows = broken_rows(1 << 16);
    let race = |kernel: &str| &testing::row(&rows, kernel).races[0];
    let barrier = race("missing_barrier");
    assert_eq!(barrier.space, "shared");
    assert!(
        barrier.second.line.contains("missing_barrier.cu:"),
        "{barrier:?}"
    );
    let lanes = race("active_lanes");
    assert_eq!(lanes.space, "global");
    assert!(
        lanes.first.line.contains("compact.cuh:") || lanes.first.line.contains("active_lanes.cu:")
    );
}

/// Whether a rung that is meant to be wrong gives the right result all the same.
fn is_right(rung: &str, n: u64, pattern: Pattern, density: Density) -> bool {
    let case = case(n, Dtype::F32, By::Mask, density, pattern);
    let input = input(&case);
    let kept = reference::kept(&case, &input);
    let output = written(RUNGS.find(rung).expect("a rung"), &case, &input, n);
    let number = u64::from_le_bytes(output[..8].try_into().expect("8 bytes"));
    number == (kept.len() / 4) as u64 && output[HEADER..].starts_with(&kept)
}

/// Between two kept elements lies one that is not, whose flag is 0: the jump is by one.
#[test]
fn an_alternating_mask_hides_the_jump() {
    assert!(is_right(
        "flag_counted_twice",
        1000,
        Pattern::Alternating,
        Density::HALF
    ));
    assert!(!is_right(
        "flag_counted_twice",
        1000,
        Pattern::Random,
        Density::HALF
    ));
    assert!(!is_right(
        "flag_counted_twice",
        1000,
        Pattern::Random,
        common::part(1, 1)
    ));
}

#[test]
fn one_tile_is_the_last_tile() {
    assert!(is_right(
        "last_tile_only",
        8192,
        Pattern::Random,
        Density::HALF
    ));
    assert!(!is_right(
        "last_tile_only",
        8193,
        Pattern::Alternating,
        Density::HALF
    ));
}
