//! What a recorded run has of this chapter: judging 2^28 results takes seconds, so only the last rungs meet all kinds of
//! segments there.

use harness::{Dtype, Kind, Op};
use report::{Planned, Scope};

use crate::{
    Case, Conversion, Matrix, Rung, Segments, Task,
    rungs::{
        cooperative::{SMALL_TILES, WARP_SPECIALIZED},
        lookback, merge_path, reduce_by_length, reduce_one_length, reduce_per_segment,
        spmv_per_row, spmv_tiles,
    },
};

/// Some rungs of the ladder; all if there are none.
type Rungs = &'static [&'static Rung];

const LARGE: u64 = 1 << 28;
/// For what differs in little but a type or the segments.
const MIDDLE: u64 = 1 << 24;

static LADDER: Rungs = &[];
static LAST: Rungs = &[&lookback::RUNG, &WARP_SPECIALIZED];
/// Where small tiles may be the fastest.
static FEW: Rungs = &[&lookback::RUNG, &WARP_SPECIALIZED, &SMALL_TILES];
/// Lanes per row would all wait for the long one: a sample takes half a second.
static LONG_ROW: Rungs = &[&spmv_per_row::WARP, &merge_path::MULTIPLY, &spmv_tiles::RUNG];
static REDUCTIONS: Rungs = &[
    &reduce_per_segment::LANES,
    &merge_path::REDUCE,
    &reduce_by_length::RUNG,
    &reduce_one_length::RUNG,
];

fn case(n: u64, kind: Option<Kind>, segments: Segments) -> Case {
    Case::vector(n, Dtype::F32, Op::Sum).with(Task::in_segments(kind, segments))
}

/// An inclusive scan of segments of 64.
fn scan(n: u64) -> Case {
    case(n, Some(Kind::Inclusive), Segments::Of(64))
}

/// A product of a matrix and a vector.
fn product(n: u64, matrix: Matrix) -> Case {
    Case::vector(n, Dtype::F32, Op::Sum).with(Task::Multiply(matrix))
}

fn conversion(n: u64, to: Conversion, segments: Segments) -> Case {
    Case::vector(n, Dtype::U32, Op::Sum).with(Task::Convert(to, segments))
}

/// A case, and the rungs that run on it.
type Plan = (Case, Rungs);

/// Segments of 64 over the sizes, with the whole ladder at every other one.
fn sizes() -> Vec<Plan> {
    let all = [28, 24, 20, 16].map(|k| 1 << k);
    let last = [1 << 26, 25_600_000];
    // Powers of two, and sizes between them.
    let few = [1 << 22, 1 << 21, 1_300_000, 1 << 19, 400_000, 1 << 18, 1 << 17];
    let mut cases: Vec<Plan> = all.map(|n| (scan(n), LADDER)).into();
    cases.extend(last.map(|n| (scan(n), LAST)));
    cases.extend(few.map(|n| (scan(n), FEW)));
    cases.extend(all.map(|n| (case(n, None, Segments::Of(64)), LADDER)));
    cases
}

/// All kinds of segments on the last rungs.
fn kinds() -> Vec<Plan> {
    let both = |n, segments| {
        let scan = case(n, Some(Kind::Inclusive), segments);
        let reduce = case(n, None, segments);
        [(scan, &LAST[1..]), (reduce, REDUCTIONS)]
    };
    let mut large = [Segments::PowerLaw, Segments::Giant].map(|s| both(LARGE, s));
    // Lanes per segment wait for the longest one: a sample takes 0.2 s.
    for [_, (_, reductions)] in &mut large {
        *reductions = &REDUCTIONS[1..];
    }
    let lengths = [1, 32, 512, 1 << 16].map(Segments::Of);
    let others = lengths.into_iter().chain([Segments::Empty]);
    let middle = others.map(|segments| both(MIDDLE, segments));
    let ladders = [Segments::PowerLaw, Segments::Giant].map(|segments| {
        let ladder = |(case, _)| (case, LADDER);
        both(MIDDLE, segments).map(ladder)
    });
    // Where segments may have a block each, or several. The reduction of 65,536 is among the others.
    let long = [1 << 11, 1 << 12, 1 << 14, 1 << 20].map(Segments::Of);
    let long = long.into_iter().chain([Segments::Lopsided]);
    let reductions = long.map(|s| [LARGE, MIDDLE].map(|n| (case(n, None, s), REDUCTIONS)));
    let large = large.into_iter().chain([both(LARGE, Segments::Of(1 << 16))]);
    large.chain(reductions).chain(middle).chain(ladders).flatten().collect()
}

/// Types, operators and the other kind of scan; products.
fn others() -> Vec<Plan> {
    let types = [
        (Dtype::F32, Op::Max),
        (Dtype::I32, Op::Sum),
        (Dtype::I64, Op::Sum),
        (Dtype::F64, Op::Sum),
        (Dtype::I64, Op::Affine),
    ];
    let typed = types.map(|(dtype, op)| Case { dtype, op, ..scan(MIDDLE) });
    let mut cases: Vec<Plan> = typed.map(|case| (case, LAST)).into();
    let exclusive = case(MIDDLE, Some(Kind::Exclusive), Segments::Of(64));
    cases.push((exclusive, LAST));
    let ladder = |matrix| match matrix {
        Matrix::LongRow => (product(MIDDLE, matrix), LONG_ROW),
        _ => (product(MIDDLE, matrix), LADDER),
    };
    cases.extend(Matrix::MADE.map(ladder));
    cases
}

/// Between offsets and flags, both ways, for segments that are long, short and shortest.
fn conversions() -> Vec<Plan> {
    let of = |segments| Conversion::ALL.map(|to| (conversion(LARGE, to, segments), LADDER));
    let all = [Segments::Of(64), Segments::Giant, Segments::Of(1)];
    all.into_iter().flat_map(of).collect()
}

/// Everything of the chapter that is to be run.
pub(crate) fn planned(scope: Scope) -> Vec<Planned<Task>> {
    let cases = match scope {
        Scope::Full => [sizes(), kinds(), others(), conversions()].concat(),
        Scope::Quick => vec![(scan(LARGE), LAST)],
        Scope::Trial => {
            let n = 1 << 12;
            let reduce = case(n, None, Segments::Of(64));
            vec![
                (scan(n), LADDER),
                (reduce, LADDER),
                (product(n, Matrix::Banded), LADDER),
                (conversion(n, Conversion::ToFlags, Segments::Of(64)), LADDER),
                (conversion(n, Conversion::ToOffsets, Segments::Of(64)), LADDER),
            ]
        }
    };
    cases.into_iter().map(|(case, rungs)| Planned::all(case).only(rungs)).collect()
}
