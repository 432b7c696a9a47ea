//! Describes findings in words: kernel, source lines, threads, arrays, and the missing
//! synchronisation.

mod cluster;
mod devices;
mod proxy;
mod weak;

pub(crate) use weak::{missable, stale_reads};

use std::collections::BTreeSet;

use ptx::ir::Op;
use simt_report::{Action, Missing, Race, RaceAccess, RaceKind, Space};

use crate::access::AccessSpace;
use crate::barrier::Waiter;
use crate::memory::Extent;
use crate::races::{Event, Fenced, Finding, Source, Use};
use crate::shape::LaunchShape;

/// Describes a finding of a block.
pub(crate) fn describe(finding: &Finding, grid: &LaunchShape<'_>, block: u64) -> Race {
    let race = in_report(finding, grid, block);
    let bytes = finding.accessed_by().map_or(0, |pc| element(grid, pc));
    Race { bytes, ..race }
}

/// Returns the bytes of an element that an instruction of the kernel loads, stores or updates; 0 for any other one.
fn element(grid: &LaunchShape<'_>, pc: u32) -> u32 {
    match grid.kernel.ir().code.get(pc as usize).map(|instruction| &instruction.op) {
        Some(Op::Ld(load)) => load.ty.bytes(),
        Some(Op::St(store)) => store.ty.bytes(),
        Some(Op::Atom(atom)) => atom.ty.bytes(),
        _ => 0,
    }
}

fn in_report(finding: &Finding, grid: &LaunchShape<'_>, block: u64) -> Race {
    if let Finding::Global { first_block, .. } = finding
        && let Some(race) = devices::describe_race(grid, finding, [*first_block, block])
    {
        return race;
    }
    let own = grid.index_in_group(block);
    match *finding {
        Finding::Shared { first, second, offset }
            if first.is_asynchronous() || second.is_asynchronous() =>
        {
            let location = (AccessSpace::Shared, offset.into());
            proxy::describe_race(grid, [block; 2], [&first, &second], location)
        }
        Finding::Global { first, first_block, second, address, .. }
            if first.is_asynchronous() || second.is_asynchronous() =>
        {
            let location = (AccessSpace::Global, address);
            proxy::describe_race(grid, [first_block, block], [&first, &second], location)
        }
        Finding::Proxy(ref finding) => proxy::describe(finding, grid, block),
        Finding::Shared { first, second, offset } => {
            describe_shared(grid, own, &first, &second, offset)
        }
        Finding::Global { first, first_block, second, address, fenced } => {
            describe_global(grid, [first_block, block], [&first, &second], address, fenced)
        }
        Finding::InCluster { first, first_block, second, owner, offset } => {
            cluster::describe_race(grid, [first_block, block], [&first, &second], (owner, offset))
        }
        Finding::EarlyExit { event, by, offset } => {
            cluster::describe_exit(grid, block, by, &event, offset)
        }
        Finding::Undefined { warp, source, pc, lane, how } => {
            describe_undefined(grid, own, (warp, source), (pc, lane), how)
        }
        Finding::Uninitialised { event, space, at } => {
            describe_uninitialised(grid, own, &event, space, at)
        }
        Finding::Pending { event, warp, copy, offset } => {
            describe_pending(grid, own, &event, (warp, copy), offset)
        }
        Finding::MissedBarrier { waiter, absent, branch } => {
            let (sides, kind) = ([&waiter, &absent], RaceKind::DivergentBarrier);
            describe_passed_barrier(grid, own, sides, branch, kind)
        }
        Finding::LeftBarrier { waiter, absent, branch } => {
            let (sides, kind) = ([&waiter, &absent], RaceKind::LeftBarrier);
            describe_passed_barrier(grid, own, sides, branch, kind)
        }
        Finding::SplitBarrier { waiter, other } => {
            describe_split_barrier(grid, own, &waiter, &other)
        }
        Finding::BarrierThreads { waiter, threads, disagrees } => {
            describe_barrier_threads(grid, own, &waiter, threads, disagrees)
        }
    }
}

fn access(grid: &LaunchShape<'_>, block: [u32; 3], event: &Event) -> RaceAccess {
    RaceAccess {
        line: grid.kernel.source(event.pc),
        device: None,
        block,
        warp: event.warp(),
        lane: event.lane(),
        access: event.kind().into(),
    }
}

/// Names the kernel and the block of a finding.
fn in_block(grid: &LaunchShape<'_>, block: [u32; 3]) -> String {
    format!("in kernel `{}`, {}", grid.kernel.ir().name, name(block))
}

/// A block's coordinates in words.
pub(crate) fn name([x, y, z]: [u32; 3]) -> String {
    format!("block ({x},{y},{z})")
}

/// Returns the name of the allocation that contains an address, and the offset within it.
fn allocation(grid: &LaunchShape<'_>, address: u64) -> (String, u64) {
    let extent = grid.memory.extent(address).unwrap_or(Extent::new(address, 0));
    (grid.memory.name(&extent), address - extent.base)
}

/// A location: a space, and an address or an offset in it.
type Location = (AccessSpace, u64);

/// Returns the array at a location, and the offset within it.
fn named(grid: &LaunchShape<'_>, (space, at): Location) -> (String, u64) {
    match space {
        AccessSpace::Shared => {
            let (array, offset) = grid.kernel.shared_variable(at as u32);
            (array.to_owned(), offset.into())
        }
        AccessSpace::Global => allocation(grid, at),
    }
}

fn in_words(grid: &LaunchShape<'_>, location: Location) -> String {
    let (array, offset) = named(grid, location);
    match location.0 {
        AccessSpace::Shared => format!("byte {offset} of shared array `{array}`"),
        AccessSpace::Global => format!("byte {offset} of {array}"),
    }
}

/// Builds a finding about a location.
fn race(
    grid: &LaunchShape<'_>,
    kind: RaceKind,
    location: Location,
    [first, second]: [RaceAccess; 2],
    missing: Missing,
    message: String,
) -> Race {
    let (array, offset) = named(grid, location);
    Race {
        kind,
        space: location.0.into(),
        array,
        offset,
        address: location.1,
        bytes: 0,
        first,
        second,
        missing,
        is_update: false,
        message,
    }
}

/// What is missing where two threads update one value in several instructions.
const IN_ONE_STEP: &str = "and each of the two computes what it writes from what it has read there: an atomic operation is missing";

fn describe_shared(
    grid: &LaunchShape<'_>,
    block: [u32; 3],
    first: &Event,
    second: &Event,
    offset: u32,
) -> Race {
    let location = (AccessSpace::Shared, offset.into());
    let missing =
        if first.warp() == second.warp() { Missing::Syncwarp } else { Missing::Syncthreads };
    let (a, b) = (access(grid, block, first), access(grid, block, second));
    let is_update = grid.kernel.ir().is_update(first.pc, second.pc);
    let what = match one_instruction(first, second) {
        true if is_update => {
            format!("{}, {IN_ONE_STEP}", another_value(&within(&b), a.lane))
        }
        true => another_value(&within(&b), a.lane),
        false if is_update => format!("{}, then {}, {IN_ONE_STEP}", within(&a), within(&b)),
        false => format!("{}, then {}, with no {missing}() in between", within(&a), within(&b)),
    };
    let message = format!("race {}: {}: {what}", in_block(grid, block), in_words(grid, location));
    let kind = RaceKind::unordered(first.kind(), second.kind());
    Race { is_update, ..race(grid, kind, location, [a, b], missing, message) }
}

/// Whether lanes of one warp write to the same address by one instruction.
fn one_instruction(first: &Event, second: &Event) -> bool {
    first.warp() == second.warp() && first.same_instruction(second) && !first.is_load()
}

/// Describes an access by the block that is named already.
fn within(e: &RaceAccess) -> String {
    format!("{} by warp {}, lane {} at {}", e.access, e.warp, e.lane, e.line)
}

/// Describes an access by any block.
fn whose(e: &RaceAccess) -> String {
    format!("{} by {}, warp {}, lane {} at {}", e.access, name(e.block), e.warp, e.lane, e.line)
}

/// Describes the later of two writes by one instruction.
fn another_value(access: &str, first_lane: u32) -> String {
    format!("{access} writes another value there than lane {first_lane} of the same warp")
}

/// What is missing where a thread writes a flag for others.
const BEHIND_FIRST: &str = "with a fence and a flag in between; but another thread of the first block wrote the flag, and \
     no barrier orders the first access before that thread's fence: __syncthreads() is missing (within a warp, \
     __syncwarp())";
/// What is missing where a thread reads a flag for others.
const BEFORE_SECOND: &str = "with a fence and a flag in between; but another thread of the second block read the flag, and \
     no barrier orders that before the second access: __syncthreads() is missing (within a warp, __syncwarp())";

fn describe_global(
    grid: &LaunchShape<'_>,
    blocks: [u64; 2],
    [first, second]: [&Event; 2],
    address: u64,
    fenced: Fenced,
) -> Race {
    let [one, other] = blocks.map(|b| grid.index_in_group(b));
    let (a, b) = (access(grid, one, first), access(grid, other, second));
    let missing = match (one == other, first.warp() == second.warp()) {
        (true, true) => Missing::Syncwarp,
        (true, false) => Missing::Syncthreads,
        (false, _) if first.both_strong(second) => Missing::DeviceScope,
        (false, _) if matches!(fenced, Fenced::RaisedByAnother | Fenced::ReadByAnother) => {
            Missing::Syncthreads
        }
        (false, _) => Missing::Threadfence,
    };
    let location = (AccessSpace::Global, address);
    let is_update = grid.kernel.ir().is_update(first.pc, second.pc);
    let cure = match missing {
        _ if is_update => IN_ONE_STEP.into(),
        Missing::DeviceScope => too_small_scope(first, second).into(),
        Missing::Threadfence if fenced == Fenced::InBlock => {
            "with a fence in between whose scope is the block (.cta), not the device: __threadfence() is missing".into()
        }
        Missing::Threadfence => "with no __threadfence() and atomic in between".into(),
        _ if fenced == Fenced::RaisedByAnother => BEHIND_FIRST.into(),
        _ if fenced == Fenced::ReadByAnother => BEFORE_SECOND.into(),
        barrier => format!("with no {barrier}() in between"),
    };
    let what = match one == other && one_instruction(first, second) {
        true if is_update => format!("{}, {cure}", another_value(&whose(&b), a.lane)),
        true => another_value(&whose(&b), a.lane),
        false => format!("{}, then {}, {cure}", whose(&a), whose(&b)),
    };
    let (kernel, where_) = (&grid.kernel.ir().name, in_words(grid, location));
    let message = format!("race in kernel `{kernel}`: {where_}: {what}");
    let kind = RaceKind::unordered(first.kind(), second.kind());
    Race { is_update, ..race(grid, kind, location, [a, b], missing, message) }
}

/// Names the access, of two atomic ones by different blocks, whose scope does not include the other
/// block.
fn too_small_scope(first: &Event, second: &Event) -> &'static str {
    match (first.is_of_block_scope(), second.is_of_block_scope()) {
        (true, true) => {
            "where each access has the scope of its own block (.cta), not of the device (.gpu)"
        }
        (true, false) => {
            "where the first access has the scope of its own block (.cta), not of the device (.gpu)"
        }
        _ => {
            "where the second access has the scope of its own block (.cta), not of the device (.gpu)"
        }
    }
}

fn describe_uninitialised(
    grid: &LaunchShape<'_>,
    block: [u32; 3],
    event: &Event,
    space: Space,
    at: u64,
) -> Race {
    let (array, offset, name) = match space {
        Space::Global => {
            let (name, offset) = allocation(grid, at);
            (name.clone(), offset, name)
        }
        Space::Shared => {
            let (array, offset) = grid.kernel.shared_variable(at as u32);
            (array.to_owned(), offset.into(), format!("shared array `{array}`"))
        }
        _ => (String::new(), at, "the thread's local memory".into()),
    };
    let reader = access(grid, block, event);
    let message = format!(
        "uninitialised read {}: byte {offset} of {name}: {}, but nothing has been written there",
        in_block(grid, block),
        within(&reader),
    );
    Race {
        kind: RaceKind::UninitialisedRead,
        space,
        array,
        offset,
        address: at,
        bytes: 0,
        first: reader.clone(),
        second: reader,
        missing: Missing::Write,
        is_update: false,
        message,
    }
}

fn describe_pending(
    grid: &LaunchShape<'_>,
    block: [u32; 3],
    event: &Event,
    (warp, copy): (u32, u32),
    offset: u32,
) -> Race {
    let location = (AccessSpace::Shared, offset.into());
    let second = access(grid, block, event);
    let first = RaceAccess {
        line: grid.kernel.source(copy),
        device: None,
        block,
        warp,
        lane: second.lane,
        access: Action::Copy,
    };
    let message = format!(
        "race {}: {}: {}, while the asynchronous copy that warp {warp} started at {} is pending",
        in_block(grid, block),
        in_words(grid, location),
        within(&second),
        first.line,
    );
    race(grid, RaceKind::PendingCopy, location, [first, second], Missing::CopyWait, message)
}

fn describe_undefined(
    grid: &LaunchShape<'_>,
    block: [u32; 3],
    (warp, source): (u32, Source),
    (pc, lane): (u32, u32),
    how: Use,
) -> Race {
    let (shuffle, line) = (grid.kernel.source(source.pc), grid.kernel.source(pc));
    let (reader, absent) = (u32::from(source.lane), u32::from(source.absent));
    let what = match how {
        Use::Store => "stores",
        Use::Address => "accesses memory at an address that depends on",
        Use::Atomic => "updates memory with",
        Use::Decision => "branches by",
        Use::Other => "uses",
    };
    let message = format!(
        "undefined value {}, warp {warp}: at {shuffle}, lane {reader} reads from lane {absent}, which does not participate in the shuffle, and at {line}, lane {lane} {what} what comes of it",
        in_block(grid, block)
    );
    let side = |line, lane, access| RaceAccess { line, device: None, block, warp, lane, access };
    Race {
        kind: RaceKind::ShuffleSource,
        space: Space::Warp,
        array: String::new(),
        offset: 0,
        address: 0,
        bytes: 0,
        first: side(shuffle, absent, Action::Absent),
        second: side(line, lane, Action::Read),
        missing: Missing::SourceLane,
        is_update: false,
        message,
    }
}

/// Builds a finding about a barrier: what threads did there.
fn barrier_race(
    kind: RaceKind,
    space: Space,
    block: [u32; 3],
    [first, second]: [(&Waiter, String, Action); 2],
    missing: Missing,
    message: String,
) -> Race {
    let side = |(waiter, line, access): (&Waiter, String, _)| RaceAccess {
        line,
        device: None,
        block,
        warp: waiter.warp,
        lane: waiter.lane(),
        access,
    };
    Race {
        kind,
        space,
        array: String::new(),
        offset: 0,
        address: 0,
        bytes: 0,
        first: side(first),
        second: side(second),
        missing,
        is_update: false,
        message,
    }
}

/// Describes a barrier at which one warp waits, and past which a branch has led another: forever, or to the end of the
/// kernel, which is a note.
fn describe_passed_barrier(
    grid: &LaunchShape<'_>,
    block: [u32; 3],
    [waiter, absent]: [&Waiter; 2],
    branch: u32,
    kind: RaceKind,
) -> Race {
    let (at, branch) = (grid.kernel.source(waiter.pc), grid.kernel.source(branch));
    let is_of_block = matches!(grid.kernel.ir().code[waiter.pc as usize].op, Op::Bar(_));
    let (what, space, missing) = if is_of_block {
        ("barrier", Space::Block, Missing::BlockCondition)
    } else {
        ("__syncwarp", Space::Warp, Missing::ArrivingMask)
    };
    let place = in_block(grid, block);
    let [waiting, missed] =
        [waiter, absent].map(|side| format!("warp {}, lanes {:#010x}", side.warp, side.lanes));
    let message = if kind.is_note() {
        format!(
            "note {place}: {waiting} wait at {at}, a barrier, and the branch at {branch} leads {missed} past it to the end of the kernel; that is allowed if they return early, but a __syncthreads() inside an if looks the same, and needs a condition that is the same for the whole block"
        )
    } else {
        format!(
            "{what} in divergent code {place}: {waiting} wait at {at}, where {missed} never arrive: the branch at {branch} leads them past it"
        )
    };
    let sides = [(waiter, at, Action::Wait), (absent, branch, Action::Branch)];
    barrier_race(kind, space, block, sides, missing, message)
}

fn describe_split_barrier(
    grid: &LaunchShape<'_>,
    block: [u32; 3],
    waiter: &Waiter,
    other: &Waiter,
) -> Race {
    let (at, elsewhere) = (grid.kernel.source(waiter.pc), grid.kernel.source(other.pc));
    let (who, missing) = if waiter.warp == other.warp {
        let who = format!(
            "of warp {}, lanes {:#010x} wait at {at}, and lanes {:#010x} at {elsewhere}",
            waiter.warp, waiter.lanes, other.lanes
        );
        (who, Missing::WarpBarrier)
    } else {
        let who = format!(
            "warp {}, lanes {:#010x} wait at {at}, and warp {}, lanes {:#010x} at another barrier, {elsewhere}",
            waiter.warp, waiter.lanes, other.warp, other.lanes
        );
        (who, Missing::BlockBarrier)
    };
    let message = format!("barrier in divergent code {}: {who}", in_block(grid, block));
    let sides = [(waiter, at, Action::Wait), (other, elsewhere, Action::Wait)];
    let kind = RaceKind::DivergentBarrier;
    barrier_race(kind, Space::Block, block, sides, missing, message)
}

fn describe_barrier_threads(
    grid: &LaunchShape<'_>,
    block: [u32; 3],
    waiter: &Waiter,
    threads: u32,
    disagrees: bool,
) -> Race {
    let at = grid.kernel.source(waiter.pc);
    let what = if disagrees {
        "where other threads that wait there named another number"
    } else {
        "which is no multiple of 32"
    };
    let message = format!(
        "barrier misused {}: at {at}, warp {} arrives at a barrier for {threads} threads, {what}",
        in_block(grid, block),
        waiter.warp,
    );
    let sides = [(waiter, at.clone(), Action::Wait), (waiter, at, Action::Wait)];
    let (kind, missing) = (RaceKind::BarrierThreads, Missing::BarrierThreads);
    barrier_race(kind, Space::Block, block, sides, missing, message)
}

/// Names numbered things: `devices 0, 1 and 2`.
pub(crate) fn list(one: &str, several: &str, numbers: &BTreeSet<u32>) -> Option<String> {
    let all: Vec<_> = numbers.iter().map(u32::to_string).collect();
    match &all[..] {
        [] => None,
        [only] => Some(format!("{one} {only}")),
        [first @ .., last] => Some(format!("{several} {} and {last}", first.join(", "))),
    }
}
