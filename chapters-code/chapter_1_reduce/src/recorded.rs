//! What a recorded run has of this chapter.

use harness::{Case, Dtype, Input, Op, Shape};
use report::{Planned, Scope, chapter::sum};

use crate::rungs::{first_add, grid_stride, last_block, vectorized};

/// Sums of `f32` over the sizes, which matter most, first; then matrices, and other types at one size.
pub(crate) fn planned(scope: Scope) -> Vec<Planned<()>> {
    let of_others = if scope == Scope::Trial { 1 << 12 } else { 1 << 26 };
    let mut cases: Vec<Case> =
        scope.sizes().into_iter().map(|n| Case::vector(n, Dtype::F32, Op::Sum)).collect();
    cases.extend(matrices(scope));
    let types = other_types(scope).into_iter();
    cases.extend(types.map(|(dtype, op)| Case::vector(of_others, dtype, op)));
    let mut planned: Vec<Planned<()>> = cases.into_iter().map(Planned::all).collect();
    planned.extend([31, 1000].map(denormals));
    if scope == Scope::Full {
        planned.push(beyond_32_bits());
    }
    planned
}

/// Types and operators besides the sum of f32, all at one size.
fn other_types(scope: Scope) -> Vec<(Dtype, Op)> {
    let sums = Dtype::ALL.iter().filter(|&&dtype| dtype != Dtype::F32).map(|&d| (d, Op::Sum));
    let others = [
        (Dtype::F32, Op::Max),
        (Dtype::F32, Op::Min),
        (Dtype::I32, Op::Product),
        (Dtype::I32, Op::Max),
        (Dtype::F16, Op::Max),
        (Dtype::I32, Op::And),
        (Dtype::I32, Op::Or),
    ];
    match scope {
        Scope::Quick => sums.collect(),
        _ => sums.chain(others).collect(),
    }
}

fn matrices(scope: Scope) -> Vec<Case> {
    let matrix = |rows, cols| sum(Shape::Matrix { rows, cols }, Dtype::F32);
    match scope {
        Scope::Full => [
            (1 << 20, 64),
            (1 << 16, 1 << 10),
            (1 << 10, 1 << 16),
            (64, 1 << 20),
            (1024, 1000), // what the chapter runs on the simulator, whose table shows this time
        ]
        .map(|(rows, cols)| matrix(rows, cols))
        .into(),
        Scope::Quick => vec![matrix(1 << 16, 1 << 10)],
        Scope::Trial => vec![matrix(100, 33)],
    }
}

/// Whether atomics flush denormals on this device: 31 are one partial, itself denormal; the four partials of 1,000 are
/// not.
fn denormals(n: u64) -> Planned<()> {
    let sum = Case::vector(n, Dtype::F32, Op::Sum);
    Planned::all(Case { input: Input::Denormal, ..sum }).once()
}

/// More elements than 32 bits count, where an index in 32 bits would fold some twice.
fn beyond_32_bits() -> Planned<()> {
    let rungs = [
        &first_add::FIRST_ADD,
        &grid_stride::BLOCK_REDUCE,
        &vectorized::RUNG,
        &last_block::SINGLE_PASS_TILED,
        &last_block::FINISH_LAST_BLOCK,
    ];
    Planned::all(Case::vector((1 << 32) + 3, Dtype::I32, Op::Sum)).only(&rungs).once()
}
