//! What is found in kernels that are shown because they are wrong, and where they are right.

use crate::common::matrix;
use chapter_6_transpose::{Case, chapter::Transpose};
use harness::{
    Dtype,
    simulator::{Missing, Space},
};

/// A race's report names the lines of the kernel's file, who was there, and what is missing.
#[test]
fn races_name_what_is_missing() {
    let case = matrix(256, 256, Dtype::F32);
    let rows = testing::run(&Transpose, &[case], &testing::is_broken);
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
