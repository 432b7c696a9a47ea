//! Stale reads in words.

use simt_report::{RaceAccess, StaleRead, StaleReads};

use super::{allocation, whose};
use crate::grid::Grid;
use crate::weak::{LaneAccess, Stale, Stores};

/// Stale reads of a launch that are described in words.
const MOST: usize = 16;

/// Describes the stale reads of a launch.
pub(crate) fn stale_reads(grid: &Grid<'_>, weak: &Stores<'_>) -> StaleReads {
    let (all, unordered) = weak.take_stale();
    StaleReads {
        numbers: all.iter().map(|stale| stale.number).collect(),
        first: all.iter().take(MOST).map(|stale| describe(grid, stale)).collect(),
        unordered,
    }
}

fn describe(grid: &Grid<'_>, stale: &Stale) -> StaleRead {
    let (array, offset) = allocation(grid, stale.word);
    let (load, store) = (access(grid, &stale.load), stale.store.map(|store| access(grid, &store)));
    let missed = store.as_ref().map_or_else(|| "a store by a copy".into(), whose);
    let message = format!(
        "stale read in kernel `{}`: byte {offset} of {array}: {}, misses the {missed}; missing is {}",
        grid.kernel.ir().name,
        whose(&load),
        stale.cure,
    );
    StaleRead { number: stale.number, load, store, array, offset, cure: stale.cure, message }
}

fn access(grid: &Grid<'_>, access: &LaneAccess) -> RaceAccess {
    let (block, thread) = access.thread;
    RaceAccess {
        line: grid.kernel.source(access.pc),
        device: None,
        block: grid.index_in_group(block),
        warp: thread / 32,
        lane: thread % 32,
        access: access.kind.into(),
    }
}
