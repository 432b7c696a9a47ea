//! Every rung that comes to an end on the timed path, the broken ones too.

use crate::common;
use chapter_4_compact::{broken::NO_CAPACITY, chapter::Compact};
use report::{AnyChapter, AnyRung};

#[test]
fn rows_are_timed_and_still_verified() {
    let ends = |rung: &AnyRung, _: &_| rung.name != NO_CAPACITY.name;
    let steps = testing::steps(&Compact::DEFAULT, &[common::half(1000)], &ends);
    let rows = testing::check_timed(&Compact::DEFAULT, &steps);
    // All but that one, and the rung for matrices.
    assert_eq!(rows.len(), Compact::DEFAULT.rungs().len() - 2);
}
