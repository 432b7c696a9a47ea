//! Cases of this chapter, and its rungs run on them.

use chapter_3_scan::{Rung, chapter::Scan};
use harness::{Case, Dtype, Kind, Op, Parameters, Row, buffer, testing};

/// Both kinds of scan of `n` elements.
pub fn both(n: u64, dtype: Dtype, op: Op) -> [Case; 2] {
    [Kind::Inclusive, Kind::Exclusive].map(|kind| Case {
        parameters: Parameters::of_kind(kind),
        ..Case::vector(n, dtype, op)
    })
}

/// An inclusive sum of `n` f32.
pub fn sum_f32(n: u64) -> Case {
    both(n, Dtype::F32, Op::Sum)[0]
}

/// What a rung makes of some f32, and how deep its additions are.
pub fn scanned(rung: &Rung, case: &Case, host: &[f32]) -> (Vec<u8>, u64) {
    let device = &testing::simulator().device;
    let mut ready = rung.ready(device, *case).expect("it is set up");
    let input = buffer::upload(device, host).expect("memory");
    let bytes = testing::written(device, &mut ready, &input.as_view(), size_of_val(host));
    (bytes, ready.depth)
}

/// Runs every rung that is meant to be right on every case.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    testing::run(&Scan, cases, &testing::is_right)
}
