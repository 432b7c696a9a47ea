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
