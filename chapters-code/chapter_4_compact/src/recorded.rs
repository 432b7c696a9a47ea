//! What a recorded run has of this chapter: judging 2^28 results takes seconds, so only the last rungs meet all kinds of
//! masks there.

use harness::{Dtype, Op, Shape};
use report::{Planned, Scope};

use crate::{
    By, Case, Density, Pattern, Rung, SelectionParameters,
    rungs::{lookback, warp_specialized},
};

/// Some rungs of the ladder; all if there are none.
type Rungs = &'static [&'static Rung];

const LARGE: u64 = 1 << 28;
/// For what differs in little but a type or what says what is kept.
const MIDDLE: u64 = 1 << 26;

static LADDER: Rungs = &[];
static LAST: Rungs = &[&lookback::STAGED, &warp_specialized::RUNG];
static SINGLE_PASS: Rungs = &[&lookback::LOOKBACK, &lookback::STAGED, &warp_specialized::RUNG];

fn case(n: u64, by: By, density: Density, pattern: Pattern) -> Case {
    Case::vector(n, Dtype::F32, Op::Sum).with(SelectionParameters::new(by, density, pattern))
}

/// Half of f32 by a random mask.
fn half(n: u64) -> Case {
    case(n, By::Mask, Density::HALF, Pattern::Random)
}

type Plan = Planned<SelectionParameters>;

/// Other masks, and what else can say what is kept.
fn selections() -> Vec<Plan> {
    let densities = [(0, 1), (1, 64), (1, 1)].into_iter();
    let densities = densities.filter_map(|(kept, of)| Density::new(kept, of));
    let random = |density| plan(case(LARGE, By::Mask, density, Pattern::Random), LAST);
    let mut all: Vec<Plan> = densities.map(random).collect();
    let half = |pattern| plan(case(LARGE, By::Mask, Density::HALF, pattern), LAST);
    all.extend([Pattern::Clustered, Pattern::Alternating].map(half));
    let by = |by| plan(case(MIDDLE, by, Density::HALF, Pattern::Random), SINGLE_PASS);
    all.extend([By::Bits, By::Predicate].map(by));
    all
}

/// Other types, and rows of matrices.
fn others() -> Vec<Plan> {
    let typed = |dtype| plan(Case { dtype, ..half(MIDDLE) }, LAST);
    let matrix =
        |(rows, cols)| plan(Case { shape: Shape::Matrix { rows, cols }, ..half(0) }, LADDER);
    let types = [Dtype::F64, Dtype::U8].map(typed);
    types.into_iter().chain([(1 << 20, 64), (1 << 16, 1 << 10)].map(matrix)).collect()
}

fn plan(case: Case, rungs: Rungs) -> Plan {
    Planned::all(case).only(rungs)
}

/// Half of f32 by a random mask over the sizes from 2^16 on; then the rest.
pub(crate) fn planned(scope: Scope) -> Vec<Plan> {
    if scope == Scope::Trial {
        return vec![plan(half(1 << 12), LADDER)];
    }
    let sizes = scope.sizes().into_iter().filter(|&n| n >= 1 << 16);
    let mut all: Vec<Plan> = sizes.map(|n| plan(half(n), LADDER)).collect();
    if scope == Scope::Full {
        all.extend(selections());
        all.extend(others());
        all.push(beyond_32_bits());
    }
    all
}

/// More elements than 32 bits count.
fn beyond_32_bits() -> Plan {
    let of_bits = case((1 << 32) + 3, By::Bits, Density::HALF, Pattern::Clustered);
    plan(Case { dtype: Dtype::U8, ..of_bits }, LAST).once()
}
