//! The counts that the book's chapter quotes. If one changes, the page must change too.

use crate::common;
use chapter_3_scan::chapter::Scan;
use harness::simulator::Counters;

const N: u64 = 1 << 20;

/// What the simulator counts for a sum of n f32 by a rung, all its launches together.
fn counted(kernel: &str, n: u64) -> Counters {
    testing::counted(&Scan, kernel, &common::sum_f32(n))
}

/// Shared wavefronts and warps' instructions for each KiB that must be moved, as the page rounds them.
#[track_caller]
fn check(kernel: &str, wavefronts: f64, instructions: f64) {
    let counters = counted(kernel, N);
    let kib = (8 * N / 1024) as f64;
    let shared = counters.shared_load_wavefronts + counters.shared_store_wavefronts;
    let counted = shared as f64 / kib;
    assert!((counted - wavefronts).abs() <= wavefronts / 200.0, "{kernel}: {counted}");
    let counted = counters.warp_instructions as f64 / kib;
    assert!((counted - instructions).abs() <= 1.0, "{kernel}: {counted}");
}

#[test]
fn wavefronts_and_instructions() {
    check("hillis_steele", 101.0, 861.0);
    check("blelloch", 199.0, 624.0);
    check("blelloch_padded", 48.6, 671.0);
    check("shuffle", 8.03, 633.0);
    check("vectorized", 0.502, 211.0);
}

/// Wavefronts a request, to a hundredth.
fn wavefronts_a_request(kernel: &str) -> f64 {
    let counters = counted(kernel, N);
    let wavefronts = counters.shared_load_wavefronts + counters.shared_store_wavefronts;
    let requests = counters.shared_load_requests + counters.shared_store_requests;
    (100.0 * wavefronts as f64 / requests as f64).round() / 100.0
}

#[test]
fn padding_leaves_no_conflicts() {
    assert_eq!(wavefronts_a_request("hillis_steele"), 1.0);
    assert_eq!(wavefronts_a_request("blelloch"), 4.09);
    assert_eq!(wavefronts_a_request("blelloch_padded"), 1.0);
    assert_eq!(counted("blelloch_padded", N).shared_bank_conflicts, 0);
}

/// Barriers of a block: every one of its eight warps passes each.
#[test]
fn a_block_passes_9_20_and_1() {
    let barriers = |kernel, block: u64| {
        // One block, and no block offsets to add.
        counted(kernel, block).barriers / 8
    };
    assert_eq!(barriers("hillis_steele", 256), 9);
    assert_eq!(barriers("blelloch", 512), 20);
    assert_eq!(barriers("shuffle", 256), 1);
}

/// Four words per element where block offsets are added, three where blocks are folded first. Each warp
/// of `add_block_offsets` also reads a sector for its prefix, a quarter word an element, from the cache.
#[test]
fn words_moved() {
    for (kernel, wanted) in [("vectorized", 4.0), ("reduce_then_scan", 3.0)] {
        let counters = counted(kernel, N);
        let words = in_words(counters.global_load_sectors + counters.global_store_sectors);
        assert!((wanted..wanted + 0.3).contains(&words), "{kernel}: {words}");
    }
}

/// In a single pass results are written once. How often blocks look at what others have published
/// depends on the schedule, so the words that are read are not counted here.
#[test]
fn a_single_pass_writes_once() {
    for kernel in ["lookback", "all_gather", "warp_specialized"] {
        let words = in_words(counted(kernel, N).global_store_sectors);
        assert!((1.0..1.1).contains(&words), "{kernel}: {words}");
    }
}

/// Sectors as words an element.
fn in_words(sectors: u64) -> f64 {
    (8 * sectors) as f64 / N as f64
}

/// What Nsight Compute counted on an H100 for the addition of block offsets: the device's own instructions, per warp.
#[test]
fn a_warp_that_adds_block_offsets_executes_48_instructions() {
    let counted =
        include_str!("../../../book/measurements/ncu_nvidia_h100_80gb_hbm3_2026-11-26_rungs.csv");
    let is_addition = |row: &&str| row.starts_with("chapter_3_scan/shuffle/2^16,sum_f32,");
    let row = counted.lines().find(is_addition).expect("a row");
    let instructions: u64 =
        row.rsplit(',').next().and_then(|last| last.parse().ok()).expect("a count");
    assert_eq!(instructions, 48 * (1 << 16) / 32);
}
