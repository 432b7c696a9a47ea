//! Every rung on the timed path: one in place is turned back and forth there.

use crate::common::matrix;
use chapter_6_transpose::{RUNGS, chapter::Transpose};
use harness::{Dtype, testing};

#[test]
fn rows_are_timed_and_still_verified() {
    let cases = [matrix(50, 50, Dtype::F32)];
    let steps = testing::steps(&Transpose, &cases, &testing::is_right);
    let rows = testing::check_timed(&Transpose, &steps);
    let right = RUNGS.iter().filter(|rung| rung.caught_by.is_empty());
    assert_eq!(rows.len(), right.count());
    assert!(rows.iter().all(|row| row.bytes == 2 * 50 * 50 * 4));
}
