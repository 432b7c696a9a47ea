//! Every rung, on every size that has tripped a reduction, for every type and operator, with the
//! race check on.

use crate::common::{run_all, sum_f32};
use harness::{Case, Dtype, Input, Op, Shape};
use report::Row;
use testing::{SIZES, check};

fn check_type(dtype: Dtype) {
    let cases: Vec<Case> = SIZES
        .iter()
        .flat_map(|&n| [Op::Sum, Op::Max, Op::Min].map(|op| Case::vector(n, dtype, op)))
        .collect();
    let rows = run_all(&cases);
    for case in &cases {
        let is_meant = |row: &&Row| (row.case.shape, row.case.op) == (case.shape, case.op);
        let with = rows.iter().filter(is_meant);
        let (count, expected) = (with.count(), rungs(case));
        assert!(count >= expected, "{count} of {expected} rows of {case}");
    }
    check(&rows);
}

/// Rungs that have the case's type and operator, `redux` aside: sums of all types are everywhere.
fn rungs(case: &Case) -> usize {
    match (case.op, case.dtype) {
        (Op::Sum, Dtype::F32) => 16,
        (Op::Sum, _) | (Op::Max | Op::Min, Dtype::F32) => 11,
        (Op::Max, Dtype::I32 | Dtype::F16) => 11,
        _ => 2,
    }
}

#[test]
fn every_type_at_awkward_sizes() {
    use Dtype::*;
    [I32, U32, I64, F32, F64, F16, Bf16].into_iter().for_each(check_type);
}

#[test]
fn products_and_bitwise_operators() {
    let mut cases = Vec::new();
    for n in SIZES {
        cases.extend(
            [Dtype::I32, Dtype::U32, Dtype::I64, Dtype::F32, Dtype::F64]
                .map(|dtype| Case::vector(n, dtype, Op::Product)),
        );
        for op in [Op::And, Op::Or] {
            cases.extend(
                [Dtype::I32, Dtype::U32, Dtype::I64].map(|dtype| Case::vector(n, dtype, op)),
            );
        }
    }
    check(&run_all(&cases));
}

/// Three passes of the tree rungs, and every block of the striding ones.
#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_a_million_and_three() {
    let n = (1 << 20) + 3;
    check(&run_all(&[
        sum_f32(n),
        Case::vector(n, Dtype::I32, Op::Sum),
        Case::vector(n, Dtype::U32, Op::Max),
    ]));
}

#[test]
fn awkward_inputs() {
    check(&run_all(&testing::awkward_inputs(sum_f32(10_007))));
}

#[test]
fn matrices() {
    let sides = [
        (0, 5),
        (5, 0),
        (1, 1),
        (1, 1000),
        (1000, 1),
        (33, 31),
        (257, 100),
        (100, 257),
        (70, 16),
        (3, 10_001), // rows that are split among blocks
    ];
    let mut cases = Vec::new();
    for (rows, cols) in sides {
        let shape = Shape::Matrix { rows, cols };
        cases.extend([Op::Sum, Op::Max, Op::Min].map(|op| Case { shape, op, ..sum_f32(0) }));
    }
    let rows = run_all(&cases);
    assert_eq!(rows.len(), 7 * cases.len());
    check(&rows);
}

/// The rows of a tall matrix are split among blocks, whose partials are folded in a second launch.
#[test]
fn a_tall_matrix_is_split() {
    let shape = Shape::Matrix { rows: 5000, cols: 40 };
    check(&run_all(&[Case { shape, ..sum_f32(0) }]));
}

/// Adding denormals is exact; but an atomic add in global memory takes and leaves zero for a denormal.
/// One block's partial is one. (The partials of more are not, and what is lost depends on their order.)
#[test]
fn only_atomics_lose_denormals() {
    let rows = run_all(&[Case { input: Input::Denormal, ..sum_f32(31) }]);
    check(&rows);
    for row in rows {
        assert_eq!(
            row.error > 1e-41,
            row.subject.kernel == "finish_atomic",
            "{}: {}",
            row.subject.kernel,
            row.error
        );
    }
}
