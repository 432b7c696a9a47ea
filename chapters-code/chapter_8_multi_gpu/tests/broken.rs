//! Every kernel that is shown because it is wrong is caught, by what is said to catch it.

use crate::common::of;
use chapter_8_multi_gpu::chapter::MultiGpu;
use harness::verify::Checker;
use report::Row;

fn broken_rows() -> Vec<Row> {
    testing::run(&MultiGpu, &[of(4, 4096)], &testing::is_broken)
}

#[test]
fn each_by_its_checker() {
    let expected = [
        ("gpu_scope", Checker::Races),
        ("missing_release", Checker::Races),
        ("reused_slot", Checker::Races),
        ("early_sums", Checker::Races),
        ("unfinished_tile", Checker::Races),
        ("counted_by_host", Checker::Replay),
        ("lookback_gpu_scope", Checker::Races),
        ("carry_and_flag", Checker::Races),
    ];
    testing::check_caught(&broken_rows(), &expected);
}
