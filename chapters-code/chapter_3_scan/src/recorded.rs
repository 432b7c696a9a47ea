//! What a recorded run has of this chapter.

use harness::{Dtype, Kind, Op};
use report::{Planned, Scope};

use crate::{Case, ScanParameters};

fn scan(n: u64, dtype: Dtype, op: Op, kind: Kind) -> Case {
    Case::vector(n, dtype, op).with(ScanParameters::of_kind(kind))
}

/// Inclusive sums of f32 over all sizes; then, at one size, the other kind, types and operators; last, more bytes than 32
/// bits count.
pub(crate) fn planned(scope: Scope) -> Vec<Planned<ScanParameters>> {
    let sum = |n| scan(n, Dtype::F32, Op::Sum, Kind::Inclusive);
    let mut cases: Vec<Case> = scope.sizes().into_iter().map(sum).collect();
    if scope != Scope::Full {
        return cases.into_iter().map(Planned::all).collect();
    }
    let n = 1 << 26;
    cases.push(scan(n, Dtype::F32, Op::Sum, Kind::Exclusive));
    let others = [
        (Dtype::U32, Op::Sum),
        (Dtype::I64, Op::Sum),
        (Dtype::F64, Op::Sum),
        (Dtype::U8, Op::Sum),
        (Dtype::I32, Op::Max),
        (Dtype::I64, Op::Affine),
    ];
    cases.extend(others.map(|(dtype, op)| scan(n, dtype, op, Kind::Inclusive)));
    let beyond_32_bits = scan((1 << 32) + 3, Dtype::U8, Op::Sum, Kind::Inclusive);
    cases.into_iter().map(Planned::all).chain([Planned::all(beyond_32_bits).once()]).collect()
}
