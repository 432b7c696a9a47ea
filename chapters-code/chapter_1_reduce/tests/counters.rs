//! The counts that the chapter quotes, for 256 blocks of 256 threads: the same as an H200's.

use crate::common;
use chapter_1_reduce::chapter::Reduce;
use harness::simulator::Counters;
use report::testing;

/// What the launch of 256 blocks counted; the second pass, over their partials, is not in it.
fn first_launch(rung: &str) -> Counters {
    let first = testing::launches(&Reduce, rung, &common::sum_f32(256 * 256)).remove(0);
    assert_eq!(first.grid, [256, 1, 1], "{rung}");
    first.counters.expect("counters are on")
}

/// Load wavefronts, store wavefronts, and conflicts of both, as ncu reads them on an H200.
#[track_caller]
fn check(rung: &str, loads: u64, stores: u64, conflicts: u64) {
    let counters = first_launch(rung);
    let counted = (
        counters.shared_load_wavefronts,
        counters.shared_store_wavefronts,
        counters.shared_bank_conflicts,
    );
    assert_eq!(counted, (loads, stores, conflicts), "{rung}");
    // 65,536 floats are 8,192 sectors, and every one is read once, by 2,048 warps.
    assert_eq!(counters.global_load_requests, 2048, "{rung}");
    assert_eq!(counters.global_load_sectors, 8192, "{rung}");
}

#[test]
fn interleaved_diverges_without_conflicts() {
    check("interleaved_modulo", 24_320, 14_080, 0);
    check("interleaved_mask", 24_320, 14_080, 0);
}

#[test]
fn strided_indices_conflict() {
    check("interleaved_strided", 24_320, 14_080, 17_920 + 8_960);
}

#[test]
fn sequential_has_a_quarter_of_the_wavefronts() {
    check("sequential", 6_400, 5_120, 0);
}
