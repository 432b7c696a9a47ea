//! Describes findings about the shared memory of a cluster.

use simt_report::{Missing, Race, RaceKind};

use super::{access, another_value, in_words, name, one_instruction, race, too_small_scope, whose};
use crate::access::AccessSpace;
use crate::races::Event;
use crate::shape::LaunchShape;

/// Describes two unordered accesses to a byte of a block's shared memory.
pub(super) fn describe_race(
    grid: &LaunchShape<'_>,
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
    let location = (AccessSpace::Shared, offset.into());
    let message = format!(
        "race in kernel `{}`: {} of {}: {what}",
        grid.kernel.ir().name,
        in_words(grid, location),
        name(grid.index_in_group(owner)),
    );
    let kind = RaceKind::unordered(first.kind(), second.kind());
    race(grid, kind, location, [a, b], missing, message)
}

/// Describes a block that exits although another one may still access its shared memory.
pub(super) fn describe_exit(
    grid: &LaunchShape<'_>,
    block: u64,
    by: u64,
    event: &Event,
    offset: u32,
) -> Race {
    let access = access(grid, grid.index_in_group(by), event);
    let location = (AccessSpace::Shared, offset.into());
    let (array, offset) = grid.kernel.shared_variable(offset);
    let (missing, owner) = (Missing::ClusterSync, name(grid.index_in_group(block)));
    let message = format!(
        "early exit in kernel `{}`: {owner} exits, and nothing orders before that the {}, of byte \
         {offset} of its shared array `{array}`: {missing}() is missing",
        grid.kernel.ir().name,
        whose(&access),
    );
    race(grid, RaceKind::EarlyExit, location, [access.clone(), access], missing, message)
}
