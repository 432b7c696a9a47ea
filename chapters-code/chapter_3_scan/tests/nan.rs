//! What a NaN does to a scan: every sum from it on is NaN, and none before it; a maximum skips it.

use crate::common::{both, scanned};
use chapter_3_scan::{Case, Rung, ladder, problem::PrefixScan, reference};
use harness::{Dtype, Kind, Op, Prepare, inputs};

const N: u64 = 9001;

/// In the first warp, at the ends of blocks and of a tile, and the last element.
const INDICES: [usize; 5] = [0, 31, 256, 8191, 9000];

/// Whether element i of a case's result comes after the NaN at `nan`.
fn is_after(case: &Case, i: usize, nan: usize) -> bool {
    match case.task.kind {
        Kind::Inclusive => i >= nan,
        Kind::Exclusive => i > nan,
    }
}

#[track_caller]
fn check(rung: &(Rung, Prepare<PrefixScan<f32>>), case: &Case, nan: usize) {
    let mut host = inputs::generate::<f32>(case);
    host[nan] = f32::NAN;
    let (results, depth) = scanned(rung, case, &host);
    let expected = reference::scan(case.op, case.task.kind, depth, &host);
    for (i, (result, exact)) in results.into_iter().zip(expected).enumerate() {
        let right = match case.op {
            Op::Sum if is_after(case, i, nan) => result.is_nan(),
            _ => exact.accepts(result),
        };
        let (name, kind) = (rung.0.name, case.task.kind);
        assert!(right, "{name}, {kind} {case}, NaN at {nan}: [{i}] is {result}");
    }
}

fn check_all(op: Op) {
    for rung in &ladder() {
        // Two rungs have maxima of f32.
        let has = |case: &Case| rung.0.has_entry(&format!("{}_{op}_f32", case.task.kind));
        for case in both(N, Dtype::F32, op).into_iter().filter(has) {
            INDICES.iter().for_each(|&index| check(rung, &case, index));
        }
    }
}

#[test]
fn sums_are_nan_from_there_on() {
    check_all(Op::Sum);
}

#[test]
fn maxima_skip_it() {
    check_all(Op::Max);
}
