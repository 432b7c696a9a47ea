//! Kernels that are shown because they are wrong, as published code really was. Each declares what
//! should notice it, and a test holds it to that.

use harness::{
    Case, Dtype, Error, Input, Op, Parameters, Shape, broken,
    rung::{Rung, Setup},
};

use crate::{
    Bins, Output,
    bins::{EXTRA, USUAL},
    count,
    geometry::WARPS,
};

/// The broken rungs.
pub const BROKEN: &[Rung] = &[
    broken!(
        "racy",
        |s| count(s, Output::Zeroed, 0, u32::MAX),
        [Races, Result],
        "plain increments of counters in global memory"
    ),
    broken!(
        "missing_barrier",
        |s| count(s, Output::Zeroed, counters(s)?, u32::MAX),
        [Races, Result],
        "__syncwarp for __syncthreads, between zeroing a block's counters and counting"
    ),
    broken!(
        "same_warp",
        |s| count(s, Output::Zeroed, WARPS * counters(s)?, u32::MAX),
        [Races, Result],
        "plain increments of a warp's own copy"
    ),
    broken!(
        "zeroing_races",
        |s| count(s, Output::AsItIs, counters(s)?, u32::MAX),
        [Races, Result],
        "blocks zero the output that others already add to"
    ),
    broken!(
        "packed_overflow",
        |s| count(s, Output::Zeroed, counters(s)?.div_ceil(2), 1),
        [Result],
        "two counters of 16 bits in a word"
    ),
    broken!(
        "rounded_up",
        |s| count(
            s,
            Output::Zeroed,
            WARPS * (counters(s)? - EXTRA) + 1,
            u32::MAX
        ),
        [Result],
        "floats at the range's end are counted behind the last bin"
    ),
];

/// Counters of a case's output.
fn counters(s: &Setup<'_>) -> Result<u32, Error> {
    Ok(Bins::of(&s.case)?.counters())
}

/// What brings out the fault of a broken rung, at about the size that was asked for: more than one
/// block, and what else its kernel's header says that it needs.
pub fn case_for(rung: &str, case: &Case) -> Case {
    let n = case.elements().max(4096) | 1;
    let uniform = Case {
        seed: case.seed,
        parameters: Parameters::of_bins(USUAL),
        ..Case::vector(n, Dtype::U32, Op::Sum)
    };
    match rung {
        "packed_overflow" => Case {
            shape: Shape::Vector { n: n.max(1 << 17) },
            input: Input::Constant,
            ..uniform
        },
        "rounded_up" => Case {
            dtype: Dtype::F32,
            parameters: Parameters::of_bins(257),
            ..uniform
        },
        _ => uniform,
    }
}
