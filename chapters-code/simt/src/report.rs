//! What a launch reports, in words and numbers for people and programs.

use crate::counters::Counters;
use crate::grid::Grid;
use crate::races::{Event, EventKind, Finding};

/// What was counted and found.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Report {
    /// `None` if counting was off.
    pub counters: Option<Counters>,
    /// Different findings, each once, however often it happened.
    pub races: Vec<Race>,
}

/// One of the two accesses of a [`Race`].
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct RaceAccess {
    /// `file.cu:12`.
    pub line: String,
    /// The block's coordinates.
    pub block: [u32; 3],
    /// The warp's number in the block.
    pub warp: u32,
    /// The lane's number in the warp.
    pub lane: u32,
    /// `read`, `write` or `atomic`.
    pub access: &'static str,
}

/// Two accesses that nothing orders, or a shuffle from a lane that takes no part.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Race {
    /// `read_write`, `write_read`, `write_write`, … or `shuffle_source`.
    pub kind: String,
    /// `shared`, or `warp` for shuffles.
    pub space: &'static str,
    /// The array, by its name in the PTX.
    pub array: String,
    /// Byte offset within the array.
    pub offset: u64,
    /// The earlier access in this execution.
    pub first: RaceAccess,
    /// The later one.
    pub second: RaceAccess,
    /// What would order them: `__syncthreads` or `__syncwarp`.
    pub missing: &'static str,
    /// All of this as a sentence or two.
    pub message: String,
}

/// Adds those of `more` that tell something new, up to `most` in all.
pub(crate) fn merge(races: &mut Vec<Race>, more: Vec<Race>, most: usize) {
    for race in more {
        let same = |r: &Race| {
            (&r.kind, &r.first.line, &r.second.line) == (&race.kind, &race.first.line, &race.second.line)
        };
        if races.len() < most && !races.iter().any(same) {
            races.push(race);
        }
    }
}

/// Puts names to a finding of a block.
pub(crate) fn describe(finding: &Finding, grid: &Grid<'_>, block: u64) -> Race {
    match *finding {
        Finding::Race { first, second, offset } => {
            describe_race(grid, grid.block_index(block), &first, &second, offset)
        }
        Finding::AbsentSource { warp, pc, lane, source } => {
            describe_shuffle(grid, grid.block_index(block), warp, pc, lane, source)
        }
    }
}

fn verb(kind: EventKind) -> &'static str {
    match kind {
        EventKind::Load => "read",
        EventKind::Store => "write",
        EventKind::Atomic => "atomic",
    }
}

fn access(grid: &Grid<'_>, block: [u32; 3], event: &Event) -> RaceAccess {
    RaceAccess {
        line: grid.kernel.source(event.pc),
        block,
        warp: event.warp.into(),
        lane: event.lane.into(),
        access: verb(event.kind),
    }
}

fn describe_race(
    grid: &Grid<'_>,
    block: [u32; 3],
    first: &Event,
    second: &Event,
    offset: u32,
) -> Race {
    let (array, offset) = grid.kernel.shared_variable(offset);
    let missing = if first.warp == second.warp { "__syncwarp" } else { "__syncthreads" };
    let (a, b) = (access(grid, block, first), access(grid, block, second));
    let [x, y, z] = block;
    let where_ = |e: &RaceAccess| {
        format!("{} by warp {}, lane {} at {}", e.access, e.warp, e.lane, e.line)
    };
    let message = format!(
        "race in kernel `{}`, block ({x},{y},{z}): byte {offset} of shared array `{array}`: {}, then {}, with no {missing}() in between",
        grid.kernel.ir().name,
        where_(&a),
        where_(&b),
    );
    Race {
        kind: format!("{}_{}", a.access, b.access),
        space: "shared",
        array: array.into(),
        offset: offset.into(),
        first: a,
        second: b,
        missing,
        message,
    }
}

fn describe_shuffle(
    grid: &Grid<'_>,
    block: [u32; 3],
    warp: u32,
    pc: u32,
    lane: u32,
    source: u32,
) -> Race {
    let line = grid.kernel.source(pc);
    let [x, y, z] = block;
    let message = format!(
        "undefined value in kernel `{}`, block ({x},{y},{z}), warp {warp}: at {line}, lane {lane} reads from lane {source}, which takes no part in the shuffle",
        grid.kernel.ir().name
    );
    let side =
        |lane, access| RaceAccess { line: line.clone(), block, warp, lane, access };
    Race {
        kind: "shuffle_source".into(),
        space: "warp",
        array: String::new(),
        offset: 0,
        first: side(source, "absent"),
        second: side(lane, "read"),
        missing: "participation of the source lane",
        message,
    }
}
