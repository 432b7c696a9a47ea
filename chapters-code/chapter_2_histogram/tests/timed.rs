//! Every rung at 1,000 keys on the timed path, the broken ones too.

use crate::common::{self, CHAPTER};
use report::AnyChapter;

#[test]
fn rows_are_timed_and_still_verified() {
    let steps = testing::steps(&CHAPTER, &[common::u32s(1000)], &|_, _| true);
    let rows = testing::check_timed(&CHAPTER, &steps);
    assert_eq!(rows.len(), CHAPTER.rungs().len());
}
