//! What a launch reports, in words and numbers for people and programs.

use crate::counters::Counters;
use crate::grid::Grid;
use crate::observe::AccessKind;
use crate::races::{Event, Finding};

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
    /// `shared`, `global`, or `warp` for shuffles.
    pub space: &'static str,
    /// The array, by its name in the PTX.
    pub array: String,
    /// Byte offset within the array.
    pub offset: u64,
    /// The earlier access in this execution.
    pub first: RaceAccess,
    /// The later one.
    pub second: RaceAccess,
    /// What would order them: `__syncthreads`, `__syncwarp` or `__threadfence`.
    pub missing: &'static str,
    /// All of this as a sentence or two.
    pub message: String,
}

/// Adds those of `more` that tell something new, up to `most` in all.
pub(crate) fn merge(races: &mut Vec<Race>, more: Vec<Race>, most: usize) {
    for race in more {
        let same = |r: &Race| {
            (&r.kind, &r.first.line, &r.second.line)
                == (&race.kind, &race.first.line, &race.second.line)
        };
        if races.len() < most && !races.iter().any(same) {
            races.push(race);
        }
    }
}

/// Puts names to a finding of a block.
pub(crate) fn describe(finding: &Finding, grid: &Grid<'_>, block: u64) -> Race {
    match *finding {
        Finding::Shared {
            first,
            second,
            offset,
        } => describe_shared(grid, grid.block_index(block), &first, &second, offset),
        Finding::Global {
            first,
            first_block,
            second,
            address,
        } => describe_global(grid, [first_block, block], &first, &second, address),
        Finding::AbsentSource {
            warp,
            pc,
            lane,
            source,
        } => describe_shuffle(grid, grid.block_index(block), warp, pc, lane, source),
    }
}

fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "read",
        AccessKind::Store => "write",
        AccessKind::Atomic => "atomic",
    }
}

fn access(grid: &Grid<'_>, block: [u32; 3], event: &Event) -> RaceAccess {
    RaceAccess {
        line: grid.kernel.source(event.pc),
        block,
        warp: event.warp(),
        lane: event.lane(),
        access: verb(event.kind()),
    }
}

fn describe_shared(
    grid: &Grid<'_>,
    block: [u32; 3],
    first: &Event,
    second: &Event,
    offset: u32,
) -> Race {
    let (array, offset) = grid.kernel.shared_variable(offset);
    let missing = if first.warp() == second.warp() {
        "__syncwarp"
    } else {
        "__syncthreads"
    };
    let (a, b) = (access(grid, block, first), access(grid, block, second));
    let [x, y, z] = block;
    let message = format!(
        "race in kernel `{}`, block ({x},{y},{z}): byte {offset} of shared array `{array}`: {}, then {}, with no {missing}() in between",
        grid.kernel.ir().name,
        within(&a),
        within(&b),
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

/// An access of a block that has been named already.
fn within(e: &RaceAccess) -> String {
    format!(
        "{} by warp {}, lane {} at {}",
        e.access, e.warp, e.lane, e.line
    )
}

fn describe_global(
    grid: &Grid<'_>,
    blocks: [u64; 2],
    first: &Event,
    second: &Event,
    address: u64,
) -> Race {
    let [one, other] = blocks.map(|b| grid.block_index(b));
    let (a, b) = (access(grid, one, first), access(grid, other, second));
    let missing = match (one == other, first.warp() == second.warp()) {
        (true, true) => "__syncwarp",
        (true, false) => "__syncthreads",
        (false, _) => "__threadfence",
    };
    let region = grid.table.region(address);
    let (base, bytes) = region.map_or((address, 0), |r| (r.base, r.bytes));
    let array = format!("the allocation of {bytes} bytes at {base:#x}");
    let offset = address - base;
    let whose = |e: &RaceAccess| {
        let [x, y, z] = e.block;
        format!(
            "{} by block ({x},{y},{z}), warp {}, lane {} at {}",
            e.access, e.warp, e.lane, e.line
        )
    };
    let cure = match missing {
        "__threadfence" => "with no __threadfence() and atomic in between".into(),
        barrier => format!("with no {barrier}() in between"),
    };
    let message = format!(
        "race in kernel `{}`: byte {offset} of {array}: {}, then {}, {cure}",
        grid.kernel.ir().name,
        whose(&a),
        whose(&b),
    );
    let kind = format!("{}_{}", a.access, b.access);
    Race {
        kind,
        space: "global",
        array,
        offset,
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
    let side = |lane, access| RaceAccess {
        line: line.clone(),
        block,
        warp,
        lane,
        access,
    };
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
