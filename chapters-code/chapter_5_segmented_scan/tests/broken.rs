//! What is found in kernels that are shown because they are wrong, and where they are right.

use crate::common::{Run, case, judged, product_of, scan};
use chapter_5_segmented_scan::{
    Segments, broken::broken_products, chapter::Segmented, segments::Offsets,
};
use harness::{
    Dtype, Kind, Op, inputs,
    simulator::{Missing, Space},
};

/// A race's report names the lines of the kernel's file, who was there, and what is missing.
#[test]
fn races_name_what_is_missing() {
    let case = scan(1 << 14, Segments::Of(64));
    let rows = testing::run(&Segmented::DEFAULT, &[case], &testing::is_broken);
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
