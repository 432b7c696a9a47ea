//! Describes findings about the shared memory of a cluster.

use simt_report::{Missing, Race, RaceKind, Space};

use super::{access, another_value, name, one_instruction, too_small_scope, whose};
use crate::grid::Grid;
use crate::races::Event;

/// Describes two unordered accesses to a byte of a block's shared memory.
pub(super) fn describe_race(
    grid: &Grid<'_>,
    blocks: [u64; 2],
    [first, second]: [&Event; 2],
    (owner, offset): (u64, u32),
) -> Race {
    let [one, other] = blocks.map(|block| grid.index_in_group(block));
    let (a, b) = (access(grid, one, first), access(grid, other, second));
    let missing = match (one == other, first.warp() == second.warp()) {
        (true, true) => Missing::Syncwarp,
        (true, false) => Missing::Syncthreads,
        (false, _) if first.both_strong(second) => Missing::DeviceScope,
        (false, _) => Missing::ClusterSync,
    };
    let cure = match missing {
        Missing::DeviceScope => too_small_scope(first, second).into(),
        barrier => format!("with no {barrier}() in between"),
    };
    let what = if one == other && one_instruction(first, second) {
        another_value(&whose(&b), a.lane)
    } else {
        format!("{}, then {}, {cure}", whose(&a), whose(&b))
    };
    let (array, offset) = grid.kernel.shared_variable(offset);
    let message = format!(
        "race in kernel `{}`: byte {offset} of shared array `{array}` of {}: {what}",
        grid.kernel.ir().name,
        name(grid.index_in_group(owner)),
    );
    Race {
        kind: RaceKind::unordered(first.kind(), second.kind()),
        space: Space::Shared,
        array: array.into(),
        offset: offset.into(),
        first: a,
        second: b,
        missing,
        message,
    }
}

/// Describes a block that exits although another one may still access its shared memory.
pub(super) fn describe_exit(
    grid: &Grid<'_>,
    block: u64,
    by: u64,
    event: &Event,
    offset: u32,
) -> Race {
    let access = access(grid, grid.index_in_group(by), event);
    let (array, offset) = grid.kernel.shared_variable(offset);
    let (missing, owner) = (Missing::ClusterSync, name(grid.index_in_group(block)));
    let message = format!(
        "early exit in kernel `{}`: {owner} exits, and nothing orders before that the {}, of byte \
         {offset} of its shared array `{array}`: {missing}() is missing",
        grid.kernel.ir().name,
        whose(&access),
    );
    Race {
        kind: RaceKind::EarlyExit,
        space: Space::Shared,
        array: array.into(),
        offset: offset.into(),
        first: access.clone(),
        second: access,
        missing,
        message,
    }
}
