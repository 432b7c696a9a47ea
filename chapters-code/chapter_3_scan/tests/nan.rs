//! What a NaN does to a scan: every sum from it on is NaN, and none before it; a maximum skips it.

use crate::common::{both, scanned};
use chapter_3_scan::{LADDER, Rung, reference};
use harness::{Case, Dtype, Kind, Op, inputs, verify::Exact};

const N: u64 = 9001;

/// In the first warp, at the ends of blocks and of a tile, and the last element.
const PLACES: [usize; 5] = [0, 31, 256, 8191, 9000];

/// Whether element i of a case's result comes after a NaN at `place`.
fn is_after(case: &Case, i: usize, place: usize) -> bool {
    match case.kind() {
        Kind::Inclusive => i >= place,
        Kind::Exclusive => i > place,
    }
}

fn word(bytes: &[u8]) -> f32 {
    f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

#[track_caller]
fn check(rung: &Rung, case: &Case, place: usize) {
    let mut host = inputs::generate::<f32>(case);
    host[place] = f32::NAN;
    let (bytes, depth) = scanned(rung, case, &host);
    let results = bytes.chunks_exact(4).map(word);
    let expected = reference::scan(case, depth, &host);
    for (i, (result, exact)) in results.zip(expected).enumerate() {
        let right = match exact {
            _ if case.op == Op::Sum && is_after(case, i, place) => result.is_nan(),
            Exact::Equal(value) => result == value,
            Exact::Within { value, bound } => (f64::from(result) - value).abs() <= bound,
        };
        let (name, kind) = (rung.name, case.kind());
        assert!(
            right,
            "{name}, {kind} {case}, NaN at {place}: [{i}] is {result}"
        );
    }
}

fn check_all(op: Op) {
    for rung in LADDER {
        for case in both(N, Dtype::F32, op) {
            PLACES.iter().for_each(|&place| check(rung, &case, place));
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
