//! What the book's chapter says of rounding: the depths with which results are checked, and which sums
//! are the same bits in every run. Where one changes, the page must change too.

mod common;

use chapter_3_scan::{LADDER, Setup, chapter::Scan};
use harness::{kernel::load_module, testing};

/// The most rounded additions that an element of 2^28 f32 passes through.
#[track_caller]
fn check(rung: &str, depth: u64) {
    let runner = common::simulator();
    let device = &runner.device;
    let rung = LADDER.iter().find(|it| it.name == rung).expect("a rung");
    let setup = Setup {
        device,
        module: load_module(device, rung.name, rung.ptx).expect("a module"),
        case: common::sum_f32(1 << 28),
        block: None,
    };
    let ready = (rung.setup)(&setup).expect("it can be set up");
    assert_eq!(ready.depth, depth, "{}", rung.name);
}

#[test]
fn one_after_another() {
    check("one_thread", 268_435_456);
}

#[test]
fn by_levels() {
    check("hillis_steele", 36);
    check("blelloch", 80);
    check("blelloch_padded", 80);
    check("shuffle", 52);
    check("vectorized", 75);
    check("reduce_then_scan", 75);
}

#[test]
fn in_a_chain() {
    check("lookback", 114_716);
    check("gather", 1_165);
    check("specialized", 2_533);
}

/// A rung's results under several schedules.
fn results(kernel: &str) -> Vec<String> {
    let of_seed = |seed| {
        let set = |seed| {
            let runner = common::simulator();
            let simulator = runner.device.simulator().expect("it is one");
            assert!(simulator.set(c"seed", seed));
        };
        set(seed);
        let case = common::sum_f32(1 << 20);
        let rows = testing::run(&Scan, &[case], &|rung, _| rung.name == kernel);
        set(0);
        common::check(&rows);
        rows[0].checksum.clone()
    };
    (1..=4).map(of_seed).collect()
}

#[test]
fn schedules_show_in_look_back_only() {
    let is_repeated = |kernel: &str| {
        let results = results(kernel);
        results.iter().all(|bits| *bits == results[0])
    };
    assert!(!is_repeated("lookback"));
    assert!(is_repeated("gather"));
    assert!(is_repeated("specialized"));
}
