//! Every rung that comes to an end at 1,000 elements on the timed path, the broken ones too.

use crate::common;
use chapter_3_scan::chapter::Scan;
use report::{AnyChapter, AnyRung};

#[test]
fn rows_are_timed_and_still_verified() {
    let ends = |rung: &AnyRung, _: &_| !rung.is_endless;
    let steps = testing::steps(&Scan, &[common::sum_f32(1000)], &ends);
    let rows = testing::check_timed(&Scan, &steps);
    let rungs = Scan.rungs().into_iter();
    assert_eq!(rows.len(), rungs.filter(|rung| !rung.is_endless).count());
}
