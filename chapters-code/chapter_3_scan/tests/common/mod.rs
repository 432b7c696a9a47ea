//! Cases of this chapter, and its rungs run on them.

use chapter_3_scan::{
    Case, Rung, ScanParameters, broken::broken, chapter::Scan, ladder, problem::PrefixScan,
};
use harness::{Dtype, Kind, Ladder, Op, Prepare, Problem};
use report::Row;

/// Both kinds of scan of `n` elements.
pub fn both(n: u64, dtype: Dtype, op: Op) -> [Case; 2] {
    [Kind::Inclusive, Kind::Exclusive]
        .map(|kind| Case::vector(n, dtype, op).with(ScanParameters::of_kind(kind)))
}

/// An inclusive sum of `n` f32.
pub fn sum_f32(n: u64) -> Case {
    both(n, Dtype::F32, Op::Sum)[0]
}

/// Every rung for `f32`, the broken ones last.
pub fn all_rungs() -> Ladder<PrefixScan<f32>> {
    let ladder = [ladder(), broken()];
    ladder.into_iter().flatten().collect()
}

/// What a rung writes for some `f32`, and the largest number of additions that an element passes through.
pub fn scanned(
    (rung, prepare): &(Rung, Prepare<PrefixScan<f32>>),
    case: &Case,
    host: &[f32],
) -> (Vec<f32>, u64) {
    let device = &testing::simulator().device;
    let mut problem = PrefixScan::of(device, case, host.to_vec()).expect("memory");
    let mut launch = prepare(&problem, rung).expect("a launch");
    problem.reset().expect("the output is poisoned");
    (launch.enqueue)(&mut problem).expect("a launch");
    let written = problem.out.download().expect("the kernel runs");
    let results = written.expect("the kernel writes only to its output");
    (results, launch.promise)
}

/// Runs every rung that is meant to be right on every case.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    testing::run(&Scan, cases, &testing::is_right)
}
