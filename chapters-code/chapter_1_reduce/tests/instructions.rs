//! The counts of instructions and of global memory that the book's chapter quotes, besides those of
//! `counters.rs`. If one changes, the page must change too.

use crate::common;
use chapter_1_reduce::chapter::Reduce;
use harness::simulator::Counters;

/// What the simulator counts for a sum of n f32 by a rung, all its passes together.
fn counted(kernel: &str, n: u64) -> Counters {
    testing::counted(&Reduce, kernel, &common::sum_f32(n))
}

/// PTX instructions of warps for each KiB of input, to the nearest one or beside it.
#[track_caller]
fn check(kernel: &str, n: u64, quoted: f64) {
    let kib = 4.0 * n as f64 / 1024.0;
    let counted = counted(kernel, n).warp_instructions as f64 / kib;
    assert!((counted - quoted).abs() <= 1.0, "{kernel}: {counted}");
}

#[test]
fn one_thread_of_a_warp() {
    check("one_thread", 1 << 20, 832.0);
    let counted = counted("one_thread", 1 << 20);
    assert_eq!(counted.thread_instructions, counted.warp_instructions);
}

#[test]
fn wavefronts_of_a_whole_run() {
    let counted = counted("interleaved_modulo", 1 << 20);
    let wavefronts = counted.shared_load_wavefronts + counted.shared_store_wavefronts;
    // 150 per block, and a few more for the sums of partial sums.
    assert!((150.5..151.5).contains(&(wavefronts as f64 / 4096.0)), "{wavefronts}");
}

#[test]
fn trees_in_shared_memory() {
    check("interleaved_modulo", 1 << 20, 1090.0);
    check("interleaved_mask", 1 << 20, 1155.0);
    check("interleaved_strided", 1 << 20, 869.0);
    check("sequential", 1 << 20, 716.0);
}

#[test]
fn fewer_blocks_and_unrolled_steps() {
    check("first_add", 1 << 20, 397.0);
    check("unrolled_warp", 1 << 20, 261.0);
    check("unrolled", 1 << 20, 197.0);
}

#[test]
fn grids_that_stride() {
    check("grid_stride", 1 << 20, 143.0);
    check("grid_stride", 1 << 24, 61.5);
    check("shuffle", 1 << 20, 183.0);
    check("shuffle", 1 << 24, 64.0);
    check("block_reduce", 1 << 20, 189.0);
    check("block_reduce", 1 << 24, 64.0);
    check("vectorized", 1 << 20, 184.0);
    check("vectorized", 1 << 24, 38.0);
    check("single_pass_tiled", 1 << 24, 39.5);
}

#[test]
fn packs_take_a_quarter_of_the_requests_for_the_same_sectors() {
    let (scalar, packed) = (counted("block_reduce", 1 << 20), counted("vectorized", 1 << 20));
    // 2^20 elements are 2^17 sectors; the partials add a few requests and sectors.
    for (counters, requests) in [(scalar, 1 << 15), (packed, 1 << 13)] {
        let extra = counters.global_load_requests - requests;
        assert!(extra < 64, "{extra} more requests");
        assert!(counters.global_load_sectors - (1 << 17) < 256);
    }
}
