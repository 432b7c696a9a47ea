//! What a recorded run has of this chapter.

use harness::{Dtype, Shape};
use report::{Planned, Scope, chapter::sum};

use crate::{
    Case, MatrixParameters,
    rungs::{in_place, packs, sectors, tiles},
};

fn of(rows: u64, cols: u64, dtype: Dtype, task: MatrixParameters) -> Case {
    sum(Shape::Matrix { rows, cols }, dtype).with(task)
}

/// Squares of f32 over the sizes; then shapes, sizes of elements, batches and gaps, for the rungs that are meant for them.
pub(crate) fn planned(scope: Scope) -> Vec<Planned<MatrixParameters>> {
    let whole = MatrixParameters::default();
    let ladder = |side: u64| Planned::all(of(side, side, Dtype::F32, whole));
    match scope {
        Scope::Trial => return vec![ladder(100)],
        Scope::Quick => return vec![ladder(1 << 14), ladder(1 << 10)],
        Scope::Full => {}
    }
    let batch = MatrixParameters { batch: 1 << 14, ..whole };
    let gaps = MatrixParameters { ld: Some(8224), ..whole };
    let others = [
        of(1 << 14, 1 << 13, Dtype::F32, whole),
        of(16_383, 8191, Dtype::F32, whole),
        of(8191, 8191, Dtype::F64, whole),
        of(1 << 15, 1 << 14, Dtype::U8, whole),
        of(1 << 14, 1 << 14, Dtype::U16, whole),
        // The same work, for elements of a type that a library has.
        of(1 << 14, 1 << 14, Dtype::F16, whole),
        of(1 << 13, 1 << 13, Dtype::F64, whole),
        of(1 << 13, 1 << 12, Dtype::U128, whole),
        of(1 << 7, 1 << 6, Dtype::F32, batch),
        of(1 << 14, 1 << 13, Dtype::F32, gaps),
    ];
    let last = [
        &tiles::COARSENED,
        &packs::VECTORIZED,
        &packs::COLUMN_MAJOR_TILES,
        &sectors::RUNG,
        &in_place::RUNG,
    ];
    let others = others.map(|case| Planned::all(case).only(&last));
    (6..=14).rev().map(|k| ladder(1 << k)).chain(others).collect()
}
