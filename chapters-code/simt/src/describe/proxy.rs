//! Names for what is found about mbarriers and bulk copies.

use super::{access, allocation, in_block, whose, within};
use crate::grid::Grid;
use crate::observe::AccessKind;
use crate::races::{Event, ProxyFinding};
use crate::report::{Race, RaceAccess};

/// Where something is: its space, and its address or its offset in shared memory.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub space: &'static str,
    pub at: u64,
}

impl Place {
    /// The array, and the offset within it.
    fn named(self, grid: &Grid<'_>) -> (String, u64) {
        match self.space {
            "shared" => {
                let (array, offset) = grid.kernel.shared_variable(self.at as u32);
                (array.to_owned(), offset.into())
            }
            _ => allocation(grid, self.at),
        }
    }

    fn in_words(self, grid: &Grid<'_>) -> String {
        let (array, offset) = self.named(grid);
        match self.space {
            "shared" => format!("byte {offset} of shared array `{array}`"),
            _ => format!("byte {offset} of {array}"),
        }
    }
}

/// A side of a finding.
fn side(grid: &Grid<'_>, block: [u32; 3], event: &Event) -> RaceAccess {
    let access = access(grid, block, event);
    if event.is_asynchronous() {
        return RaceAccess {
            access: "copy",
            ..access
        };
    }
    access
}

/// The copy that an asynchronous access belongs to.
fn copy(event: &Event, side: &RaceAccess) -> String {
    let there = match event.kind() {
        AccessKind::Load => "from",
        AccessKind::Store | AccessKind::Atomic => "to",
    };
    let (warp, lane, line) = (side.warp, side.lane, &side.line);
    format!("the bulk copy {there} there by warp {warp}, lane {lane} at {line}")
}

/// What the end of a copy is known by.
fn wait(event: &Event, space: &str) -> &'static str {
    match (event.kind(), space) {
        (AccessKind::Load, "shared") => "cp.async.bulk.wait_group.read",
        (AccessKind::Store, "global") => "cp.async.bulk.wait_group",
        _ => "a wait at the copy's mbarrier",
    }
}

/// A race with a bulk copy, between threads of one block or of two.
pub(super) fn describe_race(
    grid: &Grid<'_>,
    blocks: [u64; 2],
    [first, second]: [&Event; 2],
    place: Place,
) -> Race {
    let [one, other] = blocks.map(|block| grid.block_index(block));
    let (a, b) = (side(grid, one, first), side(grid, other, second));
    let name = |side: &RaceAccess| {
        if one == other {
            within(side)
        } else {
            whose(side)
        }
    };
    let (kind, missing, what) = if first.is_asynchronous() {
        let missing = wait(first, place.space);
        let later = if second.is_asynchronous() {
            copy(second, &b)
        } else {
            name(&b)
        };
        let what = format!(
            "{later}, while {} may be under way: {missing} is missing",
            copy(first, &a)
        );
        ("pending_copy", missing, what)
    } else {
        let missing = "a barrier, or an arrival and a wait";
        let what = format!(
            "{}, then {}, with neither a barrier nor an arrival and a wait in between",
            name(&a),
            copy(second, &b)
        );
        ("early_copy", missing, what)
    };
    let message = format!(
        "race {}: {}: {what}",
        in_block(grid, other),
        place.in_words(grid)
    );
    race(grid, kind, place, [a, b], missing, message)
}

/// Puts names to a finding of a block.
pub(super) fn describe(finding: &ProxyFinding, grid: &Grid<'_>, block: u64) -> Race {
    let block = grid.block_index(block);
    let at = in_block(grid, block);
    let object = |mbarrier: u32| Place {
        space: "shared",
        at: mbarrier.into(),
    };
    let sides = |first: &Event, second: &Event| [first, second].map(|e| side(grid, block, e));
    match finding {
        ProxyFinding::Unfenced {
            write,
            copy: bulk,
            space,
            at: address,
        } => {
            let (space, place) = (
                *space,
                Place {
                    space,
                    at: *address,
                },
            );
            let [a, b] = sides(write, bulk);
            let message = format!(
                "race {at}: {}: {}, which {} need not see: fence.proxy.async is missing",
                place.in_words(grid),
                within(&a),
                copy(bulk, &b),
            );
            let missing = "fence.proxy.async";
            race(
                grid,
                "missing_proxy_fence",
                Place { space, ..place },
                [a, b],
                missing,
                message,
            )
        }
        ProxyFinding::UnfencedInit {
            init,
            copy: bulk,
            mbarrier,
        } => {
            let place = object(*mbarrier);
            let [a, b] = sides(init, bulk);
            let message = format!(
                "race {at}: the mbarrier at {}, initialised by warp {}, lane {} at {}, need not be initialised for the bulk copy that warp {}, lane {} starts at {}: fence.mbarrier_init, or fence.proxy.async, is missing",
                place.in_words(grid),
                a.warp,
                a.lane,
                a.line,
                b.warp,
                b.lane,
                b.line,
            );
            let missing = "fence.mbarrier_init";
            race(grid, "missing_proxy_fence", place, [a, b], missing, message)
        }
        ProxyFinding::Reinitialised { init, mbarrier } => {
            let place = object(*mbarrier);
            let [a, b] = sides(init, init);
            let message = format!(
                "mbarrier misused {at}: warp {}, lane {} at {} initialises the mbarrier at {}, which is one already: mbarrier.inval is missing",
                a.warp,
                a.lane,
                a.line,
                place.in_words(grid),
            );
            race(
                grid,
                "mbarrier_reinitialised",
                place,
                [a, b],
                "mbarrier.inval",
                message,
            )
        }
        ProxyFinding::Overwritten { write, mbarrier } => {
            let place = object(*mbarrier);
            let [a, b] = sides(write, write);
            let message = format!(
                "mbarrier misused {at}: {} goes over the mbarrier at {}",
                within(&a),
                place.in_words(grid),
            );
            race(
                grid,
                "mbarrier_overwritten",
                place,
                [a, b],
                "mbarrier.inval",
                message,
            )
        }
        ProxyFinding::Abandoned { copy: bulk, loads } => abandoned(grid, block, bulk, *loads),
    }
}

fn abandoned(grid: &Grid<'_>, block: [u32; 3], bulk: &Event, loads: bool) -> Race {
    let a = side(grid, block, bulk);
    let (way, missing) = if loads {
        ("writes to", "a wait at the copy's mbarrier")
    } else {
        ("reads from", "cp.async.bulk.wait_group.read")
    };
    let message = format!(
        "copy not waited for {}: all threads exit while the bulk copy that warp {}, lane {} started at {} still {way} the block's shared memory: {missing} is missing",
        in_block(grid, block),
        a.warp,
        a.lane,
        a.line,
    );
    let a = RaceAccess {
        access: "copy",
        ..a
    };
    Race {
        kind: "abandoned_copy".into(),
        space: "shared",
        array: String::new(),
        offset: 0,
        first: a.clone(),
        second: a,
        missing,
        message,
    }
}

fn race(
    grid: &Grid<'_>,
    kind: &str,
    place: Place,
    [first, second]: [RaceAccess; 2],
    missing: &'static str,
    message: String,
) -> Race {
    let (array, offset) = place.named(grid);
    Race {
        kind: kind.into(),
        space: place.space,
        array,
        offset,
        first,
        second,
        missing,
        message,
    }
}
