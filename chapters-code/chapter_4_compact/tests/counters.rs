//! The counts that the book's chapter quotes. If one changes, the page must change too.

use crate::common;
use chapter_4_compact::chapter::Compact;
use harness::simulator::Counters;

const N: u64 = 1 << 20;

/// What the simulator counts for half of 2^20 f32 by a mask, all launches together.
fn counted(kernel: &str) -> Counters {
    testing::counted(&Compact::DEFAULT, kernel, &common::half(N))
}

#[track_caller]
fn check(kernel: &str, got: f64, wanted: f64) {
    assert!((got - wanted).abs() < 0.06, "{kernel}: {got}");
}

/// Bytes of the sectors that stores touch, for each element; two must be written.
#[test]
fn bytes_written() {
    let expected = [
        ("scan_then_scatter", 10.9),
        ("ballot", 2.9),
        ("unordered", 2.9),
        ("lookback", 8.1),
        ("staged", 2.5),
        ("warp_specialized", 2.9),
    ];
    for (kernel, wanted) in expected {
        let sectors = counted(kernel).global_store_sectors;
        check(kernel, 32.0 * sectors as f64 / N as f64, wanted);
    }
}

/// Sectors that a store touches.
#[test]
fn stores_side_by_side() {
    for (kernel, wanted) in [("lookback", 7.9), ("staged", 4.8), ("warp_specialized", 2.9)] {
        let counters = counted(kernel);
        let requests = counters.global_store_requests as f64;
        check(kernel, counters.global_store_sectors as f64 / requests, wanted);
    }
}

/// Those that read the mask twice, and those that read everything once. Bulk copies are not among the
/// loads, and how often blocks look back depends on the schedule.
#[test]
fn bytes_read() {
    let read = |kernel| 32.0 * counted(kernel).global_load_sectors as f64 / N as f64;
    check("ballot", read("ballot"), 6.1);
    check("unordered", read("unordered"), 5.0);
}

/// One per warp that selects something, as every warp does here.
#[test]
fn an_atomic_a_warp() {
    assert_eq!(counted("unordered").global_atomic_requests, N / 32);
}

/// Passed by each of the eight warps of 128 blocks: one to learn the tile, one in the scan of the counts, one
/// after the look-back. Staging adds none.
#[test]
fn three_barriers() {
    assert_eq!(counted("lookback").barriers, 3 * 8 * 128);
    assert_eq!(counted("staged").barriers, 3 * 8 * 128);
}
