//! A look-back whose tiles are numbered by blockIdx is found to be a deadlock. After it the driver takes
//! no more work from the process, so it has a process of its own.

use crate::common::sum_f32;
use chapter_3_scan::chapter::Scan;
use testing::check;

#[test]
fn a_static_tile_index_waits_for_ever() {
    testing::in_own_process("deadlock::program");
}

#[test]
#[ignore = "run by the other test"]
fn program() {
    let rows = testing::run(&Scan, &[sum_f32(1 << 14)], &|rung, _| rung.is_endless);
    check(&rows);
    assert_eq!(rows.len(), 1);
    let report = &rows[0].failures[0];
    assert!(report.contains("deadlock"), "{report}");
    assert!(report.contains("spin on what they read at"), "{report}");
}
