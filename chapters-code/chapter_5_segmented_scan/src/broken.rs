//! Kernels that are shown because they are wrong, as published code really was. Each declares what
//! should notice it, and a test holds it to that.

use harness::{Case, Dtype, Error, Kind, Op, Parameters, Segments, broken};

use crate::{
    Ready, Rung, Setup, Task,
    by_segment::block_per_segment,
    levels::{SHUFFLE, STRUCTS, scan_then_add, scan_then_add_by, scan_then_add_folds},
};

/// The broken rungs.
pub const BROKEN: &[Rung] = &[
    broken!(
        "flags_not_joined",
        |s| scan_then_add(s, STRUCTS),
        [Result],
        "an operator on pairs that forgets to join the flags"
    ),
    broken!(
        "one_buffer",
        |s| scan_then_add(s, STRUCTS),
        [Races, Result],
        "Hillis and Steele's steps over pairs in one buffer"
    ),
    broken!(
        "exclusive_leaks",
        |s| scan_then_add(s, SHUFFLE),
        [Result],
        "an exclusive scan by a shift: it leaks over the heads"
    ),
    broken!(
        "border_ignored",
        border_ignored,
        [Result],
        "what is open before a block, put before all its elements",
        ["shuffle.ptx"]
    ),
    broken!(
        "previous_block_only",
        previous_block_only,
        [Result],
        "a block is told the fold of the block before it, and of no other",
        ["shuffle.ptx"]
    ),
    broken!(
        "missing_barrier",
        block_per_segment,
        [Races, Result],
        "a block a segment, without the barrier that ends a round"
    ),
];

fn border_ignored(s: &Setup<'_>) -> Result<Ready, Error> {
    const PTX: &str = include_str!("../kernels/broken/border_ignored.ptx");
    scan_then_add_by(s, SHUFFLE, "border_ignored", PTX)
}

fn previous_block_only(s: &Setup<'_>) -> Result<Ready, Error> {
    const PTX: &str = include_str!("../kernels/broken/previous_block_only.ptx");
    scan_then_add_folds(s, SHUFFLE, "previous_block_only", PTX)
}

/// What brings out the fault of a broken rung, at about the size that was asked for: more than two
/// blocks, and segments that it does not get away with. Cases of other tasks stay as they are, and have
/// no broken rungs.
pub fn case_for(rung: &str, case: &Case) -> Case {
    if !matches!(Task::of(case), Task::Scan(_)) {
        return *case;
    }
    let (kind, segments) = match rung {
        "exclusive_leaks" => (Kind::Exclusive, Segments::Of(64)),
        "previous_block_only" | "missing_barrier" => (Kind::Inclusive, Segments::Giant),
        // A block of 256 has a head, and what is open before it.
        _ => (Kind::Inclusive, Segments::Of(100)),
    };
    Case {
        seed: case.seed,
        parameters: Parameters {
            kind: Some(kind),
            segments: Some(segments),
            ..Parameters::default()
        },
        ..Case::vector(case.elements().max(4096) | 1, Dtype::F32, Op::Sum)
    }
}
