//! Every kernel that is shown because it is wrong is caught, by what is said to catch it, and not where
//! it is said to be right.

use crate::common::matrix;
use chapter_6_transpose::{Case, broken::broken, chapter::Transpose};
use harness::{
    Dtype,
    simulator::{Missing, Space},
    verify::Checker,
};
use report::{Chapter, Row};
use testing::check;

/// After it the driver takes no more work from the process; it has a process of its own.
const STOPPED: &str = "unchecked_edge";

fn broken_rows(side: u64) -> Vec<Row> {
    let case = matrix(side, side, Dtype::F32);
    testing::run(&Transpose, &[case], &|rung, case| {
        testing::is_broken(rung, case) && rung.name != STOPPED
    })
}

#[test]
fn all_are_caught_at_every_size() {
    for side in [1, 100, 512] {
        check(&broken_rows(side));
    }
}

/// The checker that the chapter names for each.
#[test]
fn each_by_its_checker() {
    let expected = [
        ("missing_barrier", Checker::Races),
        ("swizzle_one_side", Checker::Result),
        ("width_for_height", Checker::Result),
        ("in_place_tiles", Checker::Races),
        ("in_place_swaps", Checker::Races),
        ("one_bounds_check", Checker::Result),
    ];
    testing::check_caught(&broken_rows(256), &expected);
}

/// A race's report names the lines of the kernel's file, who was there, and what is missing.
#[test]
fn races_name_what_is_missing() {
    let rows = broken_rows(256);
    let race = |kernel: &str| {
        let races = &testing::row(&rows, kernel).races;
        races.first().expect("a race").clone()
    };
    let barrier = race("missing_barrier");
    assert_eq!((barrier.space, barrier.missing), (Space::Shared, Missing::Syncthreads));
    assert!(barrier.first.line.contains("missing_barrier.cu:"));
    let tiles = race("in_place_tiles");
    assert_eq!(tiles.space, Space::Global);
    assert_ne!(tiles.first.block, tiles.second.block);
    assert!(tiles.first.line.contains("coarsened.cu:"));
}

/// Whether a broken rung gives the right result on a case that is not its own.
fn is_right(rung: &str, case: &Case) -> bool {
    testing::judged(&Transpose, rung, case).is_correct()
}

#[test]
fn some_are_right_where_nobody_looks_further() {
    let square = matrix(64, 64, Dtype::F32);
    for rung in ["width_for_height", "one_bounds_check", "unchecked_edge"] {
        assert!(is_right(rung, &square), "{rung}");
    }
    assert!(!is_right("width_for_height", &matrix(96, 64, Dtype::F32)));
    assert!(!is_right("swizzle_one_side", &square));
}

/// What is broken has a kernel for every size of element, like what is right.
#[test]
fn every_broken_rung_has_a_case() {
    let case = matrix(128, 128, Dtype::F32);
    for (rung, _) in broken::<f32>() {
        let own = Transpose.case_for(&rung, &case);
        assert_eq!(rung.refusal(&own), None, "{}", rung.name);
        assert!(rung.is_broken());
    }
}
