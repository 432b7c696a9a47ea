//! Every rung on the timed path: particles are moved again and again there.

use crate::common::usual;
use chapter_7_coalescing::chapter::Coalescing;
use report::AnyChapter;

#[test]
fn rows_are_timed_and_still_verified() {
    // A table, as people see it, is of one pattern.
    let timed = |case| {
        let steps = testing::steps(&Coalescing, &[case], &testing::is_right);
        testing::check_timed(&Coalescing, &steps)
    };
    let rows: Vec<_> = usual(5003).into_iter().flat_map(timed).collect();
    let all = Coalescing.rungs();
    assert_eq!(rows.len(), all.iter().filter(|rung| !rung.is_broken()).count());
}
