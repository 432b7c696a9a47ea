//! Every rung on the timed path, where a rung in place transposes back and forth.

use crate::common::matrix;
use chapter_6_transpose::{chapter::Transpose, rungs};
use harness::Dtype;

#[test]
fn rows_are_timed_and_still_verified() {
    let cases = [matrix(50, 50, Dtype::F32)];
    let steps = testing::steps(&Transpose, &cases, &testing::is_right);
    let rows = testing::check_timed(&Transpose, &steps);
    assert_eq!(rows.len(), rungs::<f32>().len());
    assert!(rows.iter().all(|row| row.bytes == 2 * 50 * 50 * 4));
}
