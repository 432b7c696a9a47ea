//! The counts that the chapter quotes per block of 256 threads, for 256 blocks: the same as an H200's.

use crate::common;
use chapter_1_reduce::chapter::Reduce;
use harness::simulator::Counters;

/// What the launch of 256 blocks counted; the second pass, over their partials, is not in it.
fn first_launch(rung: &str) -> Counters {
    let first = testing::launches(&Reduce, rung, &common::sum_f32(256 * 256)).remove(0);
    assert_eq!(first.grid, [256, 1, 1], "{rung}");
    first.counters.expect("counters are on")
}

/// Load wavefronts, store wavefronts, and conflicts of both per block, as ncu reads them on an H200.
#[track_caller]
fn check(rung: &str, loads: u64, stores: u64, conflicts: u64) {
    let counters = first_launch(rung);
    let all = [
        counters.shared_load_wavefronts,
        counters.shared_store_wavefronts,
        counters.shared_bank_conflicts,
    ];
    assert!(all.iter().all(|count| count % 256 == 0), "{rung}: blocks differ, {all:?}");
    let counted = all.map(|count| count / 256);
    assert_eq!(counted, [loads, stores, conflicts], "{rung}");
    // 65,536 floats are 8,192 sectors, and every one is read once, by 2,048 warps.
    assert_eq!(counters.global_load_requests, 2048, "{rung}");
    assert_eq!(counters.global_load_sectors, 8192, "{rung}");
}

#[test]
fn interleaved_diverges_without_conflicts() {
    check("interleaved_modulo", 95, 55, 0);
    check("interleaved_mask", 95, 55, 0);
}

#[test]
fn strided_indices_conflict() {
    check("interleaved_strided", 95, 55, 70 + 35);
}

#[test]
fn sequential_has_less_than_a_third_of_the_wavefronts() {
    check("sequential", 25, 20, 0);
}
