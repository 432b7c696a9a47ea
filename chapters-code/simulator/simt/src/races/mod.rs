//! Detects unordered accesses, uninitialised reads, and barriers that not all threads reach.
//!
//! | module | detects |
//! | --- | --- |
//! | [`shared`], [`global`] | data races in the shared memory of a block, in device memory |
//! | [`cluster`] | data races in the shared memory of a cluster, and blocks that leave it too early |
//! | [`clock`], [`sync`], [`release`] | (define what orders threads: barriers, and flags) |
//! | [`copies`] | missing waits for asynchronous copies |
//! | [`proxy`], [`thread_clocks`] | mistakes with mbarriers, bulk copies and proxy fences |
//! | [`uninitialised`] | reads of uninitialised memory |
//! | [`undefined`], [`shade`] | uses of what a shuffle read from a lane that does not participate |
//! | [`barriers`] | barriers that not all threads reach |
//!
//! The header of each module describes what it detects, what orders accesses for it, and what it
//! can miss. Deadlocks and illegal addresses
//! always end a launch, with or without the checks: see `stall` and `fault`.
//!
//! **Can miss:** code that the given input does not reach (`branch_not_taken`); a mask that happens
//! to be right (`activemask_as_mask`).
//!
//! The names in these lists are kernels in `tests/planted/kernels/missed.cu`.

mod barriers;
mod branches;
mod clock;
mod cluster;
mod copies;
mod early_reads;
mod event;
mod global;
mod masked_writes;
mod proxy;
mod proxy_events;
mod release;
mod row_access;
mod shade;
mod shared;
mod sync;
mod thread_clocks;
mod undefined;
mod uninitialised;
mod words;

pub(crate) use cluster::ClusterMemory;
pub(crate) use event::Event;
pub(crate) use global::{GlobalHistory, Remembered};
pub(crate) use proxy::ProxyFinding;
pub(crate) use release::{Known, Shared, View, union};
pub(crate) use shade::Source;
pub(crate) use sync::{blocks, inherited};
pub(crate) use undefined::Use;

use std::sync::Arc;

use crate::access::{Access, AccessKind, AccessSpace, Strength};
use crate::barrier::{Passing, Waiter};
use crate::counters::lanes;
use crate::observe::{Observed, Observer};
use crate::proxy::ProxyEvent;
use crate::registers::{LaneMask, Lanes32, Registers};
use crate::shape::LaunchShape;
use barriers::Barriers;
use clock::Clocks;
use copies::{Copies, Pending};
use early_reads::EarlyReads;
use global::GlobalRaces;
use proxy::ProxyRaces;
use ptx::ir::{CollectiveOp, CpAsyncWait, Scope};
use release::{Extent, Reach};
use shared::SharedRaces;
use simt_report::{RaceKind, Space};
use sync::Flags;
use undefined::Undefined;
use uninitialised::Uninitialised;

/// The number of different findings that are stored per block.
const LIMIT: usize = 16;

/// A finding, before it is described in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// Two unordered accesses to the byte at `offset` of a block's shared memory.
    Shared { first: Event, second: Event, offset: u32 },
    /// Two unordered accesses to device memory, the first by a thread of block `first_block`, and what
    /// would order them if they were closer together.
    Global { first: Event, first_block: u64, second: Event, address: u64, fenced: Fenced },
    /// Two unordered accesses to the byte at `offset` of the shared memory of block `owner`, the first
    /// by a thread of block `first_block`, in a cluster.
    InCluster { first: Event, first_block: u64, second: Event, owner: u64, offset: u32 },
    /// A block that exits although nothing orders an access to the byte at `offset` of its shared
    /// memory, by a thread of block `by`, before that.
    EarlyExit { event: Event, by: u64, offset: u32 },
    /// A use, by a lane at an instruction, of a value that a shuffle read from a lane which does not
    /// participate.
    Undefined { warp: u32, source: Source, pc: u32, lane: u32, how: Use },
    /// A read of uninitialised memory: an address, or an offset in shared or local memory.
    Uninitialised { event: Event, space: Space, at: u64 },
    /// An access to shared memory that a pending asynchronous copy writes. Instruction `copy` of a
    /// warp started the copy.
    Pending { event: Event, warp: u32, copy: u32, offset: u32 },
    /// A barrier at which some threads wait while others have gone round it by a branch.
    MissedBarrier {
        waiter: Waiter,
        /// The threads that went round it; `pc` is where they are, or the barrier if they have
        /// exited.
        absent: Waiter,
        branch: u32,
    },
    /// A barrier at which some threads wait while others, which are not the last of the block, have gone
    /// past it to the end of the kernel.
    LeftBarrier { waiter: Waiter, absent: Waiter, branch: u32 },
    /// Threads that wait at two barriers with one number.
    SplitBarrier { waiter: Waiter, other: Waiter },
    /// A barrier for a number of threads that is no multiple of 32, or for which threads name
    /// different numbers.
    BarrierThreads { waiter: Waiter, threads: u32, disagrees: bool },
    /// A finding about mbarriers or bulk copies.
    Proxy(ProxyFinding),
}

/// Whether a fence and a flag lie between two accesses that they do not order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fenced {
    No,
    /// They would order accesses by one block.
    InBlock,
    /// They would order accesses on one device, because the scope of the fence is the device.
    OnDevice,
    /// The same, because the scope of the flag is the device.
    ByFlagOnDevice,
    /// They would order the accesses if the thread of the first one had met those of its block before one of
    /// them fenced.
    RaisedByAnother,
    /// Another thread of the second access's block has read the flag.
    ReadByAnother,
}

impl Finding {
    /// Returns the two instructions of a race.
    fn race(&self) -> Option<(u32, u32)> {
        match self {
            Self::Shared { first, second, .. }
            | Self::Global { first, second, .. }
            | Self::InCluster { first, second, .. } => Some((first.pc, second.pc)),
            Self::EarlyExit { .. }
            | Self::Undefined { .. }
            | Self::Uninitialised { .. }
            | Self::Pending { .. }
            | Self::MissedBarrier { .. }
            | Self::LeftBarrier { .. }
            | Self::SplitBarrier { .. }
            | Self::BarrierThreads { .. }
            | Self::Proxy(_) => None,
        }
    }

    /// Returns the instruction of the access by the block that has this finding, if it is about accesses.
    pub fn accessed_by(&self) -> Option<u32> {
        match self {
            Self::Uninitialised { event, .. } | Self::Pending { event, .. } => Some(event.pc),
            other => other.race().map(|(_, second)| second),
        }
    }

    /// Whether it is a race in shared memory between lanes of one warp, which a barrier mends. Two stores
    /// are more likely one too many.
    fn is_in_warp(&self) -> bool {
        let Self::Shared { first, second, .. } = self else { return false };
        let are_asynchronous = first.is_asynchronous() || second.is_asynchronous();
        let kind = RaceKind::unordered(first.kind(), second.kind());
        first.warp() == second.warp() && !are_asynchronous && kind != RaceKind::WriteWrite
    }

    /// Returns a key that is equal for findings with the same cause.
    fn key(&self) -> (u32, u32) {
        match self {
            Self::Shared { first, second, .. }
            | Self::Global { first, second, .. }
            | Self::InCluster { first, second, .. } => (first.pc, second.pc),
            Self::EarlyExit { event, .. } => (event.pc, u32::MAX - 2),
            Self::Undefined { source, .. } => (source.pc, u32::MAX),
            Self::Uninitialised { event, .. } => (event.pc, u32::MAX - 1),
            Self::Pending { event, copy, .. } => (*copy, event.pc),
            Self::MissedBarrier { waiter, branch, .. }
            | Self::LeftBarrier { waiter, branch, .. } => (waiter.pc, *branch),
            Self::SplitBarrier { waiter, other } => (waiter.pc, other.pc),
            Self::BarrierThreads { waiter, .. } => (waiter.pc, u32::MAX),
            Self::Proxy(finding) => finding.key(),
        }
    }
}

/// The different findings of a block, at most [`LIMIT`].
pub(crate) type Findings = Vec<Finding>;

/// All detectors of one block.
pub(crate) struct Races<'a> {
    clocks: Clocks,
    shared: SharedRaces,
    global: GlobalRaces<'a>,
    barriers: Barriers<'a>,
    flags: Flags<'a>,
    copies: Copies,
    proxy: ProxyRaces,
    uninitialised: Uninitialised<'a>,
    early_reads: EarlyReads,
    undefined: Undefined<'a>,
    /// The shared memory of the cluster, if the block is in one of several blocks.
    cluster: Option<Arc<ClusterMemory>>,
    /// The number of the launch's first block in its group.
    first_block: u64,
    /// The number of the block in the group.
    block: u64,
    findings: Findings,
}

impl<'a> Observer<'a> for Races<'a> {
    const CHECKS: bool = true;

    fn new(grid: &'a LaunchShape<'_>) -> Self {
        let shared = SharedRaces::new(grid.isa);
        let history = grid.group.history.get_or_init(GlobalHistory::new);
        let read_only_loads = grid.options.read_only_loads;
        let global = GlobalRaces::new(history, grid.neighbours(), read_only_loads);
        Self {
            clocks: Clocks::default(),
            shared,
            global,
            barriers: Barriers::new(&grid.kernel.ir().code, grid.threads),
            flags: Flags::new(history.publications(), grid.neighbours()),
            copies: Copies::default(),
            proxy: ProxyRaces::default(),
            uninitialised: Uninitialised::new(grid.kernel.ir(), &grid.memory, grid.shared_bytes()),
            early_reads: EarlyReads::default(),
            undefined: Undefined::new(grid.kernel.ir()),
            cluster: None,
            first_block: grid.first_block(),
            block: 0,
            findings: Vec::new(),
        }
    }

    fn start_block(&mut self, block: u64, warps: u32, shared_bytes: u32) {
        let block = self.first_block + block;
        self.clocks.start_block(block, warps, self.flags.inherited());
        self.shared.start_block(shared_bytes);
        self.global.start_block(block);
        self.barriers.start_block(warps);
        self.flags.start_block(block);
        self.copies.start_block(warps);
        self.proxy.start_block();
        self.uninitialised.start_block(warps);
        self.early_reads.clear();
        self.undefined.start_block(warps);
        self.cluster = None;
        self.block = block;
    }

    fn join_cluster(&mut self, cluster: &Arc<ClusterMemory>) {
        self.cluster = Some(cluster.clone());
    }

    fn cluster_barrier_passed(&mut self, warp: u32, lanes: LaneMask) {
        let Some(cluster) = &self.cluster else { return };
        if let Some(arrived) = cluster.arrived() {
            self.clocks.learn_of_fences(warp, lanes, &arrived);
        }
    }

    fn arrived_in_cluster(&mut self, warp: u32, lanes: LaneMask, releases: bool) {
        let Some(cluster) = &self.cluster else { return };
        if releases {
            self.clocks.fence(warp, lanes, Scope::Device);
        }
        cluster.arrive(&self.clocks.joined_view(warp, lanes));
    }

    fn left_cluster(&mut self) {
        let Some(cluster) = self.cluster.take() else { return };
        if let Some(finding) = cluster.left(&self.clocks, self.block) {
            self.add(finding);
        }
    }

    fn access_in_cluster(&mut self, access: &Access<'_>, rank: u32) {
        if let Some(cluster) = self.cluster.clone()
            && let Some(owner) = cluster.owner(rank)
        {
            self.access_shared_of(&cluster, owner, access);
        }
    }

    fn barrier_passed(&mut self, passing: &Passing) {
        self.clocks.barrier_passed(passing.warps);
        let findings = &mut self.findings;
        self.barriers.passed(passing, &mut |finding| add(findings, finding));
    }

    fn warp_passed(&mut self, waiters: &[Waiter], members: LaneMask) {
        let findings = &mut self.findings;
        self.barriers.warp_passed(waiters, members, &mut |finding| add(findings, finding));
    }

    fn barrier_counts(&mut self, waiter: Waiter, threads: u32, disagrees: bool) {
        if disagrees || !threads.is_multiple_of(32) {
            self.add(Finding::BarrierThreads { waiter, threads, disagrees });
        }
    }

    #[inline(always)]
    fn branched(&mut self, warp: u32, pc: u32, taken: LaneMask, others: LaneMask) {
        self.barriers.branched(warp, pc, taken, others);
    }

    fn warp_synchronised(&mut self, warp: u32, lanes: LaneMask) {
        self.clocks.warp_synchronised(warp, lanes);
    }

    /// Notes a fence, or a release, by lanes of a warp.
    fn fence(&mut self, warp: u32, lanes: LaneMask, scope: Scope) {
        self.clocks.fence(warp, lanes, scope);
    }

    /// Notes that a strong load, or an atomic, has read.
    fn has_read(&mut self, access: &Access<'_>) {
        self.flags.acquire(access, &mut self.clocks);
    }

    /// Notes that two lanes write different values to one address.
    fn writes_differ(&mut self, access: &Access<'_>, lanes: [u32; 2]) {
        let [first, second] = lanes.map(|lane| self.event(access).by(lane, 0xf));
        let address = access.addresses.of(lanes[0]);
        self.add(match access.space {
            AccessSpace::Shared => Finding::Shared { first, second, offset: address as u32 },
            AccessSpace::Global => Finding::Global {
                first,
                first_block: self.block,
                second,
                address,
                fenced: Fenced::No,
            },
        });
    }

    /// Checks a load or store in local memory by a warp at an instruction.
    fn local(
        &mut self,
        kind: AccessKind,
        addresses: &[u64; 32],
        bytes: u32,
        mask: LaneMask,
        (warp, pc): (u32, u32),
    ) {
        let event = Event::new(pc, 1, warp, kind, Strength::Weak);
        let found = self.uninitialised.local(kind, addresses, bytes, mask, event);
        found.into_iter().for_each(|finding| self.add(finding));
    }

    /// Notes that the store to shared memory seen last is an asynchronous copy.
    fn copy_started(&mut self, to: &Access<'_>) {
        self.copies.start(to);
    }

    /// Notes that lanes of a warp wait for asynchronous copies, which now write as these lanes.
    fn copies_waited(&mut self, warp: u32, wait: CpAsyncWait, active: LaneMask) {
        for copy in self.copies.wait(warp, wait, active) {
            let to = copy.as_store();
            let event = self.event(&to);
            let found = self.shared_race(&to, event);
            found.into_iter().for_each(|finding| self.add(finding));
        }
    }

    #[inline(always)]
    fn has_undefined(&self, warp: u32) -> bool {
        self.undefined.is_in(warp)
    }

    #[inline(never)]
    fn exchanged(
        &mut self,
        at: (u32, u32),
        op: &CollectiveOp,
        active: LaneMask,
        sources: Option<&Lanes32>,
    ) {
        self.undefined.exchanged(at, op, active, sources);
    }

    #[inline(never)]
    fn follow(&mut self, at: (u32, u32), lanes: (LaneMask, LaneMask), registers: &Registers) {
        if let Some(finding) = self.undefined.step(at, lanes, registers) {
            self.add(finding);
        }
    }

    fn proxy(&mut self, event: &ProxyEvent) {
        self.proxy_event(event);
    }

    /// A read that is both uninitialised and a race is only reported as a race, and a barrier that threads have missed by
    /// mistake needs no note.
    fn finish(&mut self) -> Observed {
        let mut findings = std::mem::take(&mut self.findings);
        let races: Vec<_> = findings.iter().filter_map(Finding::race).collect();
        let missed = |finding: &Finding| match finding {
            Finding::MissedBarrier { waiter, .. } => Some(waiter.pc),
            _ => None,
        };
        let missed: Vec<_> = findings.iter().filter_map(missed).collect();
        findings.retain(|finding| match finding {
            Finding::LeftBarrier { waiter, .. } => !missed.contains(&waiter.pc),
            Finding::Uninitialised { event, .. } => {
                !races.iter().any(|(first, second)| [*first, *second].contains(&event.pc))
            }
            _ => true,
        });
        Observed { findings, ..Observed::default() }
    }

    fn access(&mut self, access: &Access<'_>) {
        if access.space == AccessSpace::Shared
            && let Some(cluster) = self.cluster.clone()
            && let Some(owner) = cluster.index_of(self.block)
        {
            return self.access_shared_of(&cluster, owner, access);
        }
        let event = self.event(access);
        if access.strength != Strength::Weak && access.kind != AccessKind::Load {
            self.flags.publish(access, &mut self.clocks);
        }
        let race = match access.space {
            AccessSpace::Shared => self.shared_race(access, event),
            AccessSpace::Global => self.global.access(&self.clocks, access, event),
        };
        if let Some(finding) = race {
            let finding = self.with_fences(finding);
            self.add(finding);
        }
        if let Some(finding) = self.early_reads.race(&self.clocks, access, event) {
            self.add(finding);
        }
        if let Some(finding) = self.uninitialised.access(access, event) {
            self.early_reads.note(&finding);
            self.add(finding);
        }
        if access.space == AccessSpace::Shared && !self.copies.is_idle() {
            self.note_pending(access, event);
        }
    }
}

impl Races<'_> {
    /// Notes an access to the shared memory of a block of the cluster.
    fn access_shared_of(&mut self, cluster: &ClusterMemory, owner: usize, access: &Access<'_>) {
        let event = self.event(access);
        let there = cluster.addresses(owner, access);
        let placed = cluster::placed(access, &there);
        if access.strength != Strength::Weak && access.kind != AccessKind::Load {
            self.flags.publish(&placed, &mut self.clocks);
        }
        if let Some(finding) = cluster.access(&self.clocks, self.block, &placed, event) {
            self.add(finding);
        }
        let written = cluster.written(owner);
        if let Some(finding) = self.uninitialised.access_shared(written, access, event) {
            self.add(finding);
        }
        if access.strength != Strength::Weak && access.kind != AccessKind::Store {
            self.has_read(&placed);
        }
    }

    /// Returns an access as an event, without lanes and bytes.
    #[inline(always)]
    fn event(&self, access: &Access<'_>) -> Event {
        let epoch = self.clocks.epoch(access.warp);
        Event::new(access.pc, epoch, access.warp, access.kind, access.strength)
    }

    #[inline(always)]
    fn shared_race(&mut self, access: &Access<'_>, event: Event) -> Option<Finding> {
        self.shared.access(&self.clocks, access, event)
    }

    /// Completes a race between blocks that is found now with what would order it.
    #[cold]
    fn with_fences(&self, mut finding: Finding) -> Finding {
        if let Finding::Global { first, first_block, second, fenced, .. } = &mut finding
            && *first_block != self.block
        {
            *fenced = self.fenced(*first_block, first, second);
        }
        finding
    }

    /// Returns what fences and flags lie between an access by another block and one by this block, although they
    /// do not order the two.
    fn fenced(&self, block: u64, first: &Event, second: &Event) -> Fenced {
        let view = self.clocks.view_of(second, Extent::Lane);
        let is_ordered = |reach| sync::orders(view, block, first, reach, Extent::Lane);
        if self.global.is_on_other_device(block) {
            sync::narrow(view, block, first)
        } else if is_ordered(Reach::Block) {
            Fenced::InBlock
        } else if self.clocks.any_thread_knows(block, first) {
            Fenced::ReadByAnother
        } else if is_ordered(Reach::DeviceOfAll) {
            Fenced::RaisedByAnother
        } else {
            Fenced::No
        }
    }

    #[cold]
    fn note_pending(&mut self, access: &Access<'_>, event: Event) {
        let Some((copy, event, address)) = self.copies.touched(access, event) else {
            return;
        };
        let &Pending { warp, pc: copy, .. } = copy;
        let offset = address as u32;
        self.add(Finding::Pending { event, warp, copy, offset });
    }

    fn add(&mut self, finding: Finding) {
        add(&mut self.findings, finding);
    }
}

#[cold]
fn add(findings: &mut Findings, finding: Finding) {
    let has_room = findings.len() < LIMIT;
    match findings.iter_mut().find(|f| f.key() == finding.key()) {
        // What orders two warps also orders the lanes of one.
        Some(known) if known.is_in_warp() && !finding.is_in_warp() => *known = finding,
        Some(_) => {}
        None if has_room => findings.push(finding),
        None => {}
    }
}

/// Calls `touch` with each 4-byte word that each lane touches: its address, and the event.
#[inline(always)]
fn each_word(access: &Access<'_>, event: Event, mut touch: impl FnMut(u64, Event)) {
    let words = words_of(access.bytes) as u64;
    for lane in lanes(access.mask) {
        let (address, event) = lane_event(access, access.bytes, event, lane);
        // There is a single call, so that it is inlined.
        for word in 0..words {
            touch(address + 4 * word, event);
        }
    }
}

/// Returns how many 4-byte words a lane touches, wholly or partly, with an access of `bytes` bytes.
#[inline(always)]
const fn words_of(bytes: u32) -> usize {
    if bytes < 4 { 1 } else { bytes as usize / 4 }
}

/// Returns the address of a lane's access of `bytes` bytes, and the event.
#[inline(always)]
fn lane_event(access: &Access<'_>, bytes: u32, event: Event, lane: u32) -> (u64, Event) {
    let address = access.addresses.of(lane);
    let part = if bytes < 4 { ((1 << bytes) - 1) << (address & 3) } else { 0xf };
    (address, event.by(lane, part))
}
