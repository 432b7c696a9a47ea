//! What is found in kernels that are shown because they are wrong, and where they are right.

use crate::common::{self, case, half, written};
use chapter_4_compact::{
    By, Density, Pattern, Rung,
    broken::{FLAG_COUNTED_TWICE, LAST_TILE_ONLY},
    chapter::Compact,
};
use harness::{Dtype, simulator::Space};

#[test]
fn races_name_what_is_missing() {
    let rows = testing::run(&Compact::DEFAULT, &[half(1 << 16)], &testing::is_broken);
    let race = |kernel: &str| &testing::row(&rows, kernel).races[0];
    let barrier = race("missing_barrier");
    assert_eq!(barrier.space, Space::Shared);
    assert!(barrier.second.line.contains("missing_barrier.cu:"), "{barrier:?}");
    let lanes = race("active_lanes");
    assert_eq!(lanes.space, Space::Global);
    assert!(
        lanes.first.line.contains("compact.cuh:") || lanes.first.line.contains("active_lanes.cu:")
    );
}

/// Whether a broken rung gives the right result.
fn is_right(broken: &Rung, n: u64, pattern: Pattern, density: Density) -> bool {
    let case = case(n, Dtype::F32, By::Mask, density, pattern);
    let device = &testing::simulator().device;
    let mut problem = common::problem::<f32>(device, &case, n);
    let (count, out) = written(&common::rung(broken), &mut problem);
    count == problem.selected_count() && out.starts_with(&problem.selected)
}

/// Between two selected elements lies one that is not selected, whose flag is 0: the jump is by one.
#[test]
fn an_alternating_mask_hides_the_jump() {
    assert!(is_right(&FLAG_COUNTED_TWICE, 1000, Pattern::Alternating, Density::HALF));
    assert!(!is_right(&FLAG_COUNTED_TWICE, 1000, Pattern::Random, Density::HALF));
    assert!(!is_right(&FLAG_COUNTED_TWICE, 1000, Pattern::Random, common::part(1, 1)));
}

#[test]
fn one_tile_is_the_last_tile() {
    assert!(is_right(&LAST_TILE_ONLY, 8192, Pattern::Random, Density::HALF));
    assert!(!is_right(&LAST_TILE_ONLY, 8193, Pattern::Alternating, Density::HALF));
}
