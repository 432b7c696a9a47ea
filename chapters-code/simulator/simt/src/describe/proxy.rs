//! Describes findings about mbarriers and bulk copies.

use simt_report::{Action, Missing, Race, RaceAccess, RaceKind, Space};

use super::{Location, access, in_block, in_words, race, whose, within};
use crate::access::{AccessKind, AccessSpace};
use crate::races::{Event, ProxyFinding};
use crate::shape::LaunchShape;

/// Builds one of the two accesses of a finding.
fn side(grid: &LaunchShape<'_>, block: [u32; 3], event: &Event) -> RaceAccess {
    let mut side = access(grid, block, event);
    if event.is_asynchronous() {
        side.access = Action::Copy;
    }
    side
}

/// Describes the copy that an asynchronous access belongs to.
fn copy(event: &Event, side: &RaceAccess) -> String {
    let there = match event.kind() {
        AccessKind::Load => "from",
        AccessKind::Store | AccessKind::Atomic => "to",
    };
    let RaceAccess { warp, lane, line, .. } = side;
    format!("the bulk copy {there} there by warp {warp}, lane {lane} at {line}")
}

/// Names the instruction that waits for the end of a copy.
fn wait(event: &Event, space: AccessSpace) -> Missing {
    match (event.kind(), space) {
        (AccessKind::Load, AccessSpace::Shared) => Missing::BulkReadWait,
        (AccessKind::Store, AccessSpace::Global) => Missing::BulkWait,
        _ => Missing::MbarrierWait,
    }
}

/// Describes a race with a bulk copy, between threads of one block or of two.
pub(super) fn describe_race(
    grid: &LaunchShape<'_>,
    blocks: [u64; 2],
    [first, second]: [&Event; 2],
    location: Location,
) -> Race {
    let [one, other] = blocks.map(|block| grid.index_in_group(block));
    let (a, b) = (side(grid, one, first), side(grid, other, second));
    let name = if one == other { within } else { whose };
    let (kind, missing, what) = if first.is_asynchronous() {
        let missing = wait(first, location.0);
        let later = if second.is_asynchronous() { copy(second, &b) } else { name(&b) };
        let first = copy(first, &a);
        let what = format!("{later}, while {first} may be pending: {missing} is missing");
        (RaceKind::PendingCopy, missing, what)
    } else {
        let (first, second) = (name(&a), copy(second, &b));
        let what = format!(
            "{first}, then {second}, with neither a barrier nor an arrival and a wait in between"
        );
        (RaceKind::EarlyCopy, Missing::BarrierBeforeCopy, what)
    };
    let (block, where_) = (in_block(grid, other), in_words(grid, location));
    let message = format!("race {block}: {where_}: {what}");
    race(grid, kind, location, [a, b], missing, message)
}

/// Describes a finding of a block.
pub(super) fn describe(finding: &ProxyFinding, grid: &LaunchShape<'_>, block: u64) -> Race {
    let block = grid.index_in_group(block);
    match finding {
        ProxyFinding::Unfenced { earlier, copy, space, at } => {
            unfenced(grid, block, [earlier, copy], (*space, *at))
        }
        ProxyFinding::UnfencedInit { init, copy, mbarrier } => {
            unfenced_init(grid, block, [init, copy], *mbarrier)
        }
        ProxyFinding::Reinitialised { init, mbarrier } => {
            reinitialised(grid, block, init, *mbarrier)
        }
        ProxyFinding::Overwritten { write, mbarrier } => overwritten(grid, block, write, *mbarrier),
        ProxyFinding::Abandoned { copy, loads } => abandoned(grid, block, copy, *loads),
    }
}

fn unfenced(
    grid: &LaunchShape<'_>,
    block: [u32; 3],
    [earlier, bulk]: [&Event; 2],
    location: Location,
) -> Race {
    let (a, b) = (side(grid, block, earlier), side(grid, block, bulk));
    let by = copy(bulk, &b);
    let unordered = if earlier.is_load() {
        format!("for which {by} need not wait")
    } else {
        format!("which {by} need not see")
    };
    let message = format!(
        "race {}: {}: {}, {unordered}: fence.proxy.async is missing",
        in_block(grid, block),
        in_words(grid, location),
        within(&a),
    );
    let (kind, missing) = (RaceKind::MissingProxyFence, Missing::ProxyFence);
    race(grid, kind, location, [a, b], missing, message)
}

fn object(mbarrier: u32) -> Location {
    (AccessSpace::Shared, mbarrier.into())
}

fn unfenced_init(
    grid: &LaunchShape<'_>,
    block: [u32; 3],
    [init, bulk]: [&Event; 2],
    mbarrier: u32,
) -> Race {
    let (a, b) = (side(grid, block, init), side(grid, block, bulk));
    let message = format!(
        "race {}: the mbarrier at {}, initialised by warp {}, lane {} at {}, need not be initialised for the bulk copy that warp {}, lane {} starts at {}: fence.mbarrier_init, or fence.proxy.async, is missing",
        in_block(grid, block),
        in_words(grid, object(mbarrier)),
        a.warp,
        a.lane,
        a.line,
        b.warp,
        b.lane,
        b.line,
    );
    let (kind, missing) = (RaceKind::MissingProxyFence, Missing::MbarrierInitFence);
    race(grid, kind, object(mbarrier), [a, b], missing, message)
}

fn reinitialised(grid: &LaunchShape<'_>, block: [u32; 3], init: &Event, mbarrier: u32) -> Race {
    let a = side(grid, block, init);
    let message = format!(
        "mbarrier misused {}: warp {}, lane {} at {} initialises the mbarrier at {}, which is one already: mbarrier.inval is missing",
        in_block(grid, block),
        a.warp,
        a.lane,
        a.line,
        in_words(grid, object(mbarrier)),
    );
    let (kind, missing) = (RaceKind::MbarrierReinitialised, Missing::MbarrierInval);
    let sides = [a.clone(), a];
    race(grid, kind, object(mbarrier), sides, missing, message)
}

fn overwritten(grid: &LaunchShape<'_>, block: [u32; 3], write: &Event, mbarrier: u32) -> Race {
    let a = side(grid, block, write);
    let (who, location) = (within(&a), in_words(grid, object(mbarrier)));
    let what = format!("{who} overwrites the mbarrier at {location}");
    let message = format!("mbarrier misused {}: {what}", in_block(grid, block));
    let (kind, missing) = (RaceKind::MbarrierOverwritten, Missing::MbarrierInval);
    let sides = [a.clone(), a];
    race(grid, kind, object(mbarrier), sides, missing, message)
}

fn abandoned(grid: &LaunchShape<'_>, block: [u32; 3], bulk: &Event, loads: bool) -> Race {
    let a = side(grid, block, bulk);
    let (way, missing) = if loads {
        ("writes to", Missing::MbarrierWait)
    } else {
        ("reads from", Missing::BulkReadWait)
    };
    let message = format!(
        "copy not waited for {}: all threads exit while the bulk copy that warp {}, lane {} started at {} still {way} the block's shared memory: {missing} is missing",
        in_block(grid, block),
        a.warp,
        a.lane,
        a.line,
    );
    Race {
        kind: RaceKind::AbandonedCopy,
        space: Space::Shared,
        array: String::new(),
        offset: 0,
        address: 0,
        bytes: 0,
        first: a.clone(),
        second: a,
        missing,
        is_update: false,
        message,
    }
}
