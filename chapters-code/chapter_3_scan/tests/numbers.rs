//! What the book's chapter says of rounding: the depths with which results are checked, and which sums
//! are the same bits in every run. If one changes, the page must change too.

use crate::common;
use chapter_3_scan::{chapter::Scan, ladder, problem::PrefixScan};

/// The largest number of rounded additions that one of 2^28 `f32` passes through.
#[track_caller]
fn check(name: &str, depth: u64) {
    let device = &testing::simulator().device;
    let mut problem = PrefixScan::<f32>::new(device, &common::sum_f32(1)).expect("memory");
    // The launch is prepared, and not enqueued, so the elements need no memory.
    (problem.n, problem.case) = (1 << 28, common::sum_f32(1 << 28));
    let rungs = ladder();
    let found = rungs.iter().find(|(rung, _)| rung.name == name);
    let (rung, prepare) = found.expect("a rung");
    let launch = prepare(&problem, rung).expect("a launch");
    assert_eq!(launch.promise, depth, "{name}");
}

#[test]
fn one_after_another() {
    check("one_thread", 268_435_456);
}

#[test]
fn by_levels() {
    check("hillis_steele", 35);
    check("blelloch", 79);
    check("blelloch_padded", 79);
    check("shuffle", 51);
    check("vectorized", 72);
    check("reduce_then_scan", 72);
}

#[test]
fn in_a_chain() {
    check("chained", 16_412);
    check("lookback", 16_419);
    check("all_gather", 1_165);
    check("producer_consumer", 1_533);
    check("warp_specialized", 384);
}

#[test]
fn schedules_show_in_look_back_only() {
    for rung in ["lookback", "chained", "all_gather", "producer_consumer", "warp_specialized"] {
        let is_repeated = testing::is_repeated(&Scan, rung, &common::sum_f32(1 << 20));
        assert_eq!(is_repeated, rung != "lookback", "{rung}");
    }
}
