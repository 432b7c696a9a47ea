//! Stale reads in words.

use ptx::ir::Op;
use simt_report::{
    Action, Cure, Missing, Race, RaceAccess, RaceKind, Space, StaleRead, StaleReads,
};

use super::allocation;
use crate::shape::LaunchShape;
use crate::weak::{LaneAccess, Missable, Stale, Stores, number_of};

/// Stale reads of a launch that are described in words.
const MOST: usize = 16;

/// Describes the stale reads of a launch.
pub(crate) fn stale_reads(grid: &LaunchShape<'_>, weak: &Stores<'_>) -> StaleReads {
    let (all, unordered) = weak.take_stale();
    StaleReads {
        numbers: all.iter().map(|stale| stale.number).collect(),
        first: all.iter().take(MOST).map(|stale| describe(grid, stale)).collect(),
        unordered,
        only_in_ptx: Vec::new(),
    }
}

/// Describes the plain loads of a launch that may miss a store: as races, and those that may by PTX's model of
/// barriers only.
pub(crate) fn missable(grid: &LaunchShape<'_>, weak: &Stores<'_>) -> (Vec<Race>, Vec<StaleRead>) {
    let (mut races, mut only_in_ptx) = (Vec::new(), Vec::new());
    for Missable { load, only_in_ptx: is_only_in_ptx } in weak.take_missable() {
        let mut read = describe(grid, &load);
        read.message = may_miss(grid, &read, is_only_in_ptx);
        if is_only_in_ptx {
            only_in_ptx.push(read);
        } else {
            races.push(race(read));
        }
    }
    (races, only_in_ptx)
}

fn may_miss(grid: &LaunchShape<'_>, read: &StaleRead, is_only_in_ptx: bool) -> String {
    let StaleRead { load, store, array, offset, cure, .. } = read;
    let are_apart = store.as_ref().is_some_and(|store| store.device != load.device);
    let missed = store.as_ref().map_or_else(|| "store by a copy".into(), |s| whose(s, are_apart));
    let note = if is_only_in_ptx {
        " (a barrier, or the order of the fences in this run, orders the two on a GPU; PTX does not promise that)"
    } else {
        ""
    };
    format!(
        "stale read in kernel `{}`: byte {offset} of {array}: the {}, may miss the {missed}; missing is {cure}{note}",
        grid.kernel.ir().name,
        whose(load, are_apart),
    )
}

/// Describes one of two accesses, with its device if they are of two.
fn whose(access: &RaceAccess, are_apart: bool) -> String {
    let words = super::whose(access);
    match access.device.filter(|_| are_apart) {
        Some(device) => words.replacen(" by ", &format!(" by device {device}, "), 1),
        None => words,
    }
}

/// Returns a load that may miss a store as a race of the two.
fn race(read: StaleRead) -> Race {
    let StaleRead { load, store, array, offset, address, cure, message, .. } = read;
    let first = store.unwrap_or_else(|| RaceAccess { access: Action::Copy, ..load.clone() });
    let kind = match first.access {
        Action::Atomic => RaceKind::AtomicRead,
        _ => RaceKind::WriteRead,
    };
    let missing = match cure {
        Cure::Scope => Missing::DeviceScope,
        Cure::SystemScope => Missing::SystemScope,
        Cure::SystemFence | Cure::SystemReaderFence => Missing::ThreadfenceSystem,
        _ => Missing::Threadfence,
    };
    Race {
        kind,
        space: Space::Global,
        array,
        offset,
        address,
        bytes: 0,
        first,
        second: load,
        missing,
        is_update: false,
        message,
    }
}

fn describe(grid: &LaunchShape<'_>, stale: &Stale) -> StaleRead {
    let is_torn = grid.options.torn_vectors && is_of_strong_vector(grid, stale);
    let cure = if is_torn { Cure::OneWord } else { stale.cure };
    let (array, offset) = allocation(grid, stale.word);
    let (load, store) = (access(grid, &stale.load), stale.store.map(|store| access(grid, &store)));
    let are_apart = store.as_ref().is_some_and(|store| store.device != load.device);
    let missed = store.as_ref().map_or_else(|| "a store by a copy".into(), |s| whose(s, are_apart));
    let message = format!(
        "stale read in kernel `{}`: byte {offset} of {array}: {}, misses the {missed}; missing is {}",
        grid.kernel.ir().name,
        whose(&load, are_apart),
        cure,
    );
    let (number, is_strong) = (stale.number, stale.load.is_strong());
    let address = stale.word;
    StaleRead { number, load, store, array, offset, address, is_strong, cure, message }
}

/// Describes an access by the launch, or by one that runs at the same time.
fn access(grid: &LaunchShape<'_>, access: &LaneAccess) -> RaceAccess {
    let (block, thread) = access.thread;
    let block = number_of(block);
    let of_group = grid.neighbours().and_then(|launches| launches.group.launch_of(block));
    let (line, device, block) = match of_group {
        Some(facts) => (facts.line(access.pc), Some(facts.device), facts.block_index(block)),
        None => (grid.kernel.source(access.pc), None, grid.block_index(block)),
    };
    RaceAccess {
        line,
        device: device.filter(|_| grid.memory.devices.is_some()),
        block,
        warp: thread / 32,
        lane: thread % 32,
        access: access.kind.into(),
    }
}

/// Whether the load, or the store that it missed, is a strong access of a vector: what belongs together comes apart.
fn is_of_strong_vector(grid: &LaunchShape<'_>, stale: &Stale) -> bool {
    let launches = grid.neighbours();
    let is_vector = |access: &LaneAccess| {
        let block = number_of(access.thread.0);
        let other = launches.as_ref().and_then(|launches| launches.group.launch_of(block));
        let kernel = other.as_ref().map_or(grid.kernel, |facts| facts.loaded());
        match kernel.ir().code.get(access.pc as usize).map(|instruction| &instruction.op) {
            Some(Op::Ld(load)) => load.len > 1 && access.is_strong(),
            Some(Op::St(store)) => store.len > 1 && access.is_strong(),
            _ => false,
        }
    };
    is_vector(&stale.load) || stale.store.as_ref().is_some_and(is_vector)
}
