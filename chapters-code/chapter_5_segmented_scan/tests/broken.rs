//! Every kernel that is shown because it is wrong is caught, by what is said to catch it, and not where
//! it is said to be right.

use crate::common::{Run, case, judged, product, product_of, scan};
use chapter_5_segmented_scan::{
    Matrix, Segments, broken::broken_products, chapter::Segmented, segments::Offsets,
};
use harness::{
    Dtype, Kind, Op, inputs,
    simulator::{Missing, Space},
    verify::Checker,
};
use report::Row;
use testing::check;

fn broken_rows(n: u64) -> Vec<Row> {
    let cases = [scan(n, Segments::Of(64)), product(n, Matrix::Banded)];
    testing::run(&Segmented::DEFAULT, &cases, &testing::is_broken)
}

#[test]
fn all_are_caught_at_every_size() {
    for n in [1, 5000, 1 << 16] {
        check(&broken_rows(n));
    }
}

/// The checker that the chapter names for each.
#[test]
fn each_by_its_checker() {
    let expected = [
        ("flags_not_joined", Checker::Result),
        ("one_buffer", Checker::Races),
        ("exclusive_leaks", Checker::Result),
        ("border_ignored", Checker::Result),
        ("previous_block_only", Checker::Result),
        ("missing_barrier", Checker::Races),
        ("previous_tile_only", Checker::Result),
    ];
    testing::check_caught(&broken_rows(1 << 14), &expected);
}

/// A race's report names the lines of the kernel's file, who was there, and what is missing.
#[test]
fn races_name_what_is_missing() {
    let rows = broken_rows(1 << 14);
    let of = |kernel: &str| {
        let mut races = testing::row(&rows, kernel).races.iter();
        let race = races.find(|race| race.missing == Missing::Syncthreads);
        race.expect("one that a barrier mends")
    };
    let race = of("one_buffer");
    assert!(race.first.line.contains("one_buffer.cu:"));
    assert_ne!(race.first.warp, race.second.warp);
    let race = of("missing_barrier");
    assert_eq!(race.space, Space::Shared);
    assert!(race.first.line.contains("warp_scan.cuh:"));
}

/// Whether a rung that is meant to be wrong gives the right sums of f32 in segments of these lengths.
fn is_right(rung: &str, kind: Kind, lengths: &[u32]) -> bool {
    let offsets = Offsets::of_lengths(lengths.iter().copied()).expect("they are few");
    let n = offsets.elements() as u64;
    let case = case(n, Dtype::F32, Op::Sum, Some(kind), Segments::Giant);
    let elements = inputs::generate::<f32>(&case);
    judged(rung, &case, &elements, &offsets).is_correct()
}

/// The blocks have 256 elements.
#[test]
fn what_hides_them() {
    // A head at every border.
    assert!(is_right("border_ignored", Kind::Inclusive, &[1000]));
    assert!(!is_right("border_ignored", Kind::Inclusive, &[300, 700]));
    // No segment over a whole block.
    assert!(is_right("previous_block_only", Kind::Inclusive, &[256, 200, 300, 100]));
    assert!(is_right("previous_block_only", Kind::Inclusive, &[512]));
    assert!(!is_right("previous_block_only", Kind::Inclusive, &[513]));
    assert!(is_right("previous_block_only", Kind::Inclusive, &[250; 8]));
    assert!(!is_right("previous_block_only", Kind::Inclusive, &[500; 4]));
    // Nothing to leak into.
    assert!(is_right("exclusive_leaks", Kind::Exclusive, &[1000]));
    assert!(!is_right("exclusive_leaks", Kind::Exclusive, &[999, 1]));
    // No head that a step reaches over.
    assert!(is_right("flags_not_joined", Kind::Inclusive, &[256]));
    assert!(!is_right("flags_not_joined", Kind::Inclusive, &[254, 2]));
    // Segments that are blocks.
    let blocks = [256; 4];
    assert!(!is_right("border_ignored", Kind::Inclusive, &blocks));
    for rung in ["previous_block_only", "flags_not_joined"] {
        assert!(is_right(rung, Kind::Inclusive, &blocks), "{rung}");
    }
    assert!(is_right("exclusive_leaks", Kind::Exclusive, &blocks));
}

/// The tiles have 4,096 entries.
#[test]
fn what_hides_a_tile_that_is_left_out() {
    let is_right = |lengths: &[u32]| {
        Run::new(product_of(lengths), &broken_products()[0]).once().judged().is_correct()
    };
    // No row that begins before a tile and covers it.
    assert!(is_right(&[4000; 5]));
    assert!(is_right(&[4096; 3]));
    assert!(is_right(&[4095, 4096]));
    assert!(!is_right(&[4095, 4097]));
    assert!(!is_right(&[8192]));
}
