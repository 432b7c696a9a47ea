//! Kernels that are shown because they are wrong, as published code really was. Each declares what
//! should notice it, and a test holds it to that.

use harness::{By, Case, Dtype, Kind, Op, Parameters, Pattern, broken};

use crate::{
    Rung,
    layout::{self, Layout},
    persistent::lookback,
    scan_then_scatter_by, unordered,
};

/// The broken rungs.
pub const BROKEN: &[Rung] = &[
    broken!(
        "inclusive_index",
        |s| scan_then_scatter_by(s, Kind::Inclusive),
        [Result],
        "the inclusive scan of the flags as places: all one too far",
        ["scan_then_scatter.ptx"]
    ),
    broken!(
        "flag_counted_twice",
        |s| scan_then_scatter_by(s, Kind::Inclusive),
        [Result],
        "an exclusive scan made from the inclusive one by adding a flag instead of taking it away"
    ),
    broken!(
        "mask_not_normalized",
        unordered,
        [Result],
        "the bytes of a mask added up, as if all that is not 0 were 1"
    ),
    broken!(
        "active_lanes",
        unordered,
        [Races, Result],
        "ranks among __activemask(), taken in two branches"
    ),
    broken!(
        "missing_barrier",
        lookback,
        [Races, Result],
        "kept elements read from shared memory before all are there"
    ),
    broken!(
        "last_tile_only",
        lookback,
        [Result],
        "the number kept of the last tile for that of all"
    ),
    broken!(
        "no_capacity",
        unordered,
        [Guard, Fault],
        "what is kept is written, whether there is room or not"
    ),
];

/// Elements that the output of `no_capacity` lacks: few enough to end within a guard zone.
const LACKING: u64 = 100;

/// Elements, or rows, that a rung's output has room for, where so many bytes are kept of `layout`.
pub(crate) fn room(rung: &str, layout: &Layout, kept: usize) -> u64 {
    match rung {
        "no_capacity" => (kept as u64 / layout.size).saturating_sub(LACKING),
        _ => layout.n,
    }
}

/// What brings out the fault of a broken rung, at about the size that was asked for.
pub fn case_for(_rung: &str, case: &Case) -> Case {
    let n = case.elements().max(20_000) | 1;
    Case {
        seed: case.seed,
        parameters: Parameters::of_selection(By::Mask, layout::density(case), Pattern::Random),
        ..Case::vector(n, Dtype::F32, Op::Sum)
    }
}
