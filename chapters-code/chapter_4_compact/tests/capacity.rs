//! A kernel that asks nobody whether there is room is stopped where the output ends. After it the driver
//! takes no more work from the process, so it has a process of its own.

use crate::common;
use chapter_4_compact::{broken::NO_CAPACITY, chapter::Compact};
use report::AnyRung;
use testing::check;

#[test]
fn writing_past_the_end_is_a_fault() {
    testing::in_own_process("capacity::program");
}

#[test]
#[ignore = "run by the other test"]
fn program() {
    let wanted = |rung: &AnyRung, _: &_| rung.name == NO_CAPACITY.name;
    let rows = testing::run(&Compact::DEFAULT, &[common::half(30_000)], &wanted);
    check(&rows);
    assert_eq!(rows.len(), 1);
    let report = &rows[0].failures[0];
    assert!(report.contains("no_capacity.cu:"), "{report}");
}
