//! What of chapter 4 is run: judging 2^28 results takes seconds, so only the last rungs meet all kinds of
//! masks there.

use chapter_4_compact::{
    By, Density, Pattern, SelectionParameters,
    chapter::Compact,
    rungs::{lookback, staged, warp_specialized},
};
use harness::{Case, Dtype, Op, Shape};

use super::{Part, Rungs, Scope, only, part, sizes, vector};

const LARGE: u64 = 1 << 28;
/// For what differs in little but a type or what says what is kept.
const MIDDLE: u64 = 1 << 26;

static LADDER: Rungs = &[];
static LAST: Rungs = &[&staged::RUNG, &warp_specialized::RUNG];
static SINGLE_PASS: Rungs = &[&lookback::RUNG, &staged::RUNG, &warp_specialized::RUNG];

fn case(n: u64, by: By, density: Density, pattern: Pattern) -> Case {
    vector(n, Dtype::F32, Op::Sum).with(SelectionParameters::new(by, density, pattern))
}

/// Half of f32 by a random mask.
fn half(n: u64) -> Case {
    case(n, By::Mask, Density::HALF, Pattern::Random)
}

/// A case, and the rungs that run on it.
type Planned = (Case, Rungs);

/// Other masks, and what else can say what is kept.
fn selections() -> Vec<Planned> {
    let densities = [(0, 1), (1, 64), (1, 1)].into_iter();
    let densities = densities.filter_map(|(kept, of)| Density::new(kept, of));
    let random = |density| (case(LARGE, By::Mask, density, Pattern::Random), LAST);
    let mut cases: Vec<Planned> = densities.map(random).collect();
    let patterns = [Pattern::Clustered, Pattern::Alternating];
    let half = |pattern| case(LARGE, By::Mask, Density::HALF, pattern);
    cases.extend(patterns.map(|pattern| (half(pattern), LAST)));
    let by = |by| case(MIDDLE, by, Density::HALF, Pattern::Random);
    cases.extend([By::Bits, By::Predicate].map(|what| (by(what), SINGLE_PASS)));
    cases
}

/// Other types, and rows of matrices.
fn others() -> Vec<Planned> {
    let typed = |dtype| Case { dtype, ..half(MIDDLE) };
    let matrix = |(rows, cols)| Case { shape: Shape::Matrix { rows, cols }, ..half(0) };
    let mut cases: Vec<Planned> = [Dtype::F64, Dtype::U8].map(|dtype| (typed(dtype), LAST)).into();
    cases.extend([(1 << 20, 64), (1 << 16, 1 << 10)].map(|shape| (matrix(shape), LADDER)));
    cases
}

fn planned((case, rungs): Planned) -> Part {
    only(part(Box::new(Compact::DEFAULT), case), rungs)
}

/// Half of f32 by a random mask over the sizes from 2^16 on; then the rest.
pub(super) fn parts(scope: Scope) -> Vec<Part> {
    if scope == Scope::Trial {
        return vec![planned((half(1 << 12), LADDER))];
    }
    let sizes = sizes(scope).into_iter().filter(|&n| n >= 1 << 16);
    let mut parts: Vec<Part> = sizes.map(|n| planned((half(n), LADDER))).collect();
    if scope == Scope::Full {
        parts.extend(selections().into_iter().map(planned));
        parts.extend(others().into_iter().map(planned));
        parts.push(beyond_32_bits());
    }
    parts
}

/// More elements than 32 bits count: run once.
fn beyond_32_bits() -> Part {
    let of_bytes = Case {
        dtype: Dtype::U8,
        ..case((1 << 32) + 3, By::Bits, Density::HALF, Pattern::Clustered)
    };
    Part { is_timed: false, skipped: Vec::new(), ..planned((of_bytes, LAST)) }
}
