//! A look-back whose tiles are numbered by blockIdx is found to be a deadlock. After it the driver takes
//! no more work from the process, so it has a file of its own.

mod common;

use chapter_3_scan::chapter::Scan;
use common::sum_f32;
use harness::testing::{self, check};

#[test]
fn a_static_tile_index_waits_for_ever() {
    let rows = testing::run(&Scan, &[sum_f32(1 << 14)], &|rung, _| rung.is_endless);
    check(&rows);
    assert_eq!(rows.len(), 1);
    let report = &rows[0].failures[0];
    assert!(report.contains("deadlock"), "{report}");
    assert!(report.contains("spin on what they read at"), "{report}");
}
