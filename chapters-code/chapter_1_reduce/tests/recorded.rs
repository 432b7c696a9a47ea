//! The simulator computes the very bits that a recorded device computed.

mod common;

use std::collections::HashMap;

use chapter_1_reduce::chapter::{checksum_cases, has_fixed_order};
use harness::{
    Row,
    recorded::{Checksum, recordings, unreadable},
};

#[test]
fn recorded_files_can_be_read() {
    assert!(unreadable().is_empty(), "{:?}", unreadable());
}

/// What the chapter computes from the time of one load from memory, and from a data sheet's peak of
/// 4.8e12 bytes a second over 132 multiprocessors.
#[test]
fn a_lone_load_gives_the_figures_of_the_text() {
    let latency = recordings()
        .iter()
        .find(|recording| recording.device.name.contains("H200"))
        .and_then(|recording| recording.ceilings.latency_ns)
        .expect("a recorded H200 has it")
        * 1e-9;
    let quoted = |figure: f64, quoted: f64, half_a_digit: f64| {
        assert!((figure - quoted).abs() <= half_a_digit, "{figure}");
    };
    quoted(32.0 / latency / 1e9, 0.09, 0.005); // GB/s of one thread, a sector at a time
    let in_flight = 4.8e12 * latency;
    quoted(in_flight / 1e6, 1.7, 0.05); // MB
    quoted(in_flight / 132.0 / 1e3, 12.7, 0.05); // KB a multiprocessor
    quoted(2048.0 * 4.0 / (in_flight / 132.0), 2.0 / 3.0, 0.05);
    quoted(131_072.0 / (in_flight / 132.0), 10.0, 0.5);
    // The third budget: a wait is longer than a block may stay, at the clock that the text takes.
    assert!(latency * 2e9 > 448.0);
}

type Key = (String, u64, Option<u64>, String, String, u64);

fn key(checksum: &Checksum) -> Key {
    let Checksum {
        kernel,
        n,
        rows,
        dtype,
        op,
        seed,
        ..
    } = checksum.clone();
    (kernel, n, rows, dtype, op, seed)
}

#[test]
fn results_are_bit_equal_to_the_recorded_ones() {
    // Grids, and so the order of additions, are those of the device whose profile is simulated.
    let same_profile = |name: &str| name.contains("H200");
    let Some(recording) = recordings()
        .iter()
        .find(|recording| same_profile(&recording.device.name) && !recording.checksums.is_empty())
    else {
        eprintln!("SKIPPED: book/measurements/ holds no recorded run of an H200 yet");
        return;
    };
    let own = |checksum: &&Checksum| checksum.chapter == "chapter_1_reduce";
    let recorded: HashMap<Key, &str> = recording
        .checksums
        .iter()
        .filter(own)
        .map(|checksum| (key(checksum), checksum.bits.as_str()))
        .collect();
    let wanted = |rung: &harness::RungInfo, case: &harness::Case| {
        !rung.is_broken() && has_fixed_order(rung.name, case)
    };
    let rows: Vec<Row> = common::run(&checksum_cases(), &wanted);
    let mut compared = 0;
    let mut different = Vec::new();
    for checksum in rows.iter().map(Checksum::of) {
        let Some(&bits) = recorded.get(&key(&checksum)) else {
            continue;
        };
        compared += 1;
        if bits != checksum.bits {
            different.push(format!("{checksum:?}, recorded {bits}"));
        }
    }
    assert!(
        different.is_empty(),
        "{}:\n{}",
        different.len(),
        different.join("\n")
    );
    assert!(
        compared * 10 >= recorded.len() * 9,
        "{compared} of {} compared",
        recorded.len()
    );
}
