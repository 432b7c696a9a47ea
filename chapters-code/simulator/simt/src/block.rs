//! Runs one block: schedules its warps, and owns its barriers and its shared memory.

use std::sync::atomic::Ordering;

use ptx::ir::{BarKind, Op, Special, SpecialSlot};
use simt_report::{Fault, FaultKind};

use crate::barrier::{Barriers, Tally};
use crate::barrier::{Passing, Waiter};
use crate::cluster::Peers;
use crate::converge::{NOWHERE, Split, Waiting};
use crate::counters::lanes;
use crate::device_profile::DEVICE;
use crate::exec::{Exec, Pause, Warp, bulk};
use crate::fault::Trap;
use crate::grid::Grid;
use crate::held::Held;
use crate::observe::Observer;
use crate::proxy::{Proxy, ProxyEvent};
use crate::registers::LaneMask;
use crate::schedule::{Schedule, mix};
use crate::stall::SpinDetector;

/// Slots for warps per multiprocessor.
const WARP_SLOTS: u32 = DEVICE.resident_threads / 32;

/// The most instructions of a time slice of a warp whose block is to be held back, so that it may stop anywhere.
const SHORT_SLICE: u32 = 8;

/// The byte that fills shared memory before a block writes to it. It makes no plausible value of
/// any type.
const POISON: u8 = 0xff;

/// A resident block. When it is done, it is reused for the next one.
pub(crate) struct Block<O> {
    /// The block's number in the grid.
    pub index: u64,
    warps: Vec<Warp>,
    shared: Vec<u8>,
    barriers: Barriers,
    proxy: Proxy,
    /// Threads that have not exited.
    alive: u32,
    /// Threads that have not exited and not arrived at the barrier of the cluster.
    absent: u32,
    pub observer: O,
    schedule: Schedule,
    /// Turns of warps so far.
    turns: u32,
    /// When it is held back.
    held: Held,
    spin_detector: SpinDetector,
}

/// How a block's time slice ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Done,
    Unfinished,
    /// Nothing was executed, because each thread waits, and some for other blocks of the cluster.
    Waiting,
}

/// What a warp did in its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    /// It executed nothing, because it waits for other warps of the block.
    Waited,
    /// It polled memory several times without changing anything.
    Spun,
    Worked,
    /// It lets other blocks run.
    Yielded,
}

impl<'a, O: Observer<'a>> Block<O> {
    /// Allocates a block for this grid.
    pub fn new(grid: &'a Grid<'a>) -> Self {
        let mut warps: Vec<Warp> =
            (0..grid.warps_per_block()).map(|index| Warp::new(index, grid)).collect();
        for warp in &mut warps {
            write_specials(warp, grid);
        }
        Self {
            index: 0,
            warps,
            shared: vec![POISON; grid.shared_bytes() as usize],
            barriers: Barriers::default(),
            proxy: Proxy::default(),
            alive: 0,
            absent: 0,
            observer: O::new(grid),
            schedule: Schedule::new(grid.seed()),
            turns: 0,
            held: Held::Not,
            spin_detector: SpinDetector::default(),
        }
    }

    /// Starts the block with this number, which has this rank in its cluster.
    pub fn start(&mut self, grid: &Grid<'_>, index: u64, rank: u32) {
        self.index = index;
        self.alive = grid.threads_per_block();
        self.absent = self.alive;
        self.shared.fill(POISON);
        self.barriers = Barriers::default();
        self.proxy.clear();
        self.schedule.reseed(grid.first_block() + index);
        self.held = Held::of(grid, index);
        self.spin_detector.restart();
        self.observer.start_block(index, self.warps.len() as u32, grid.shared_bytes());
        let coordinates = grid.block_index(index);
        for warp in &mut self.warps {
            warp.start(index, grid.lanes_of(warp.index));
            write_coordinates(warp, grid, coordinates, rank);
        }
    }

    /// Runs the block until it is done or each of its warps has had some time slices.
    pub fn run(&mut self, grid: &'a Grid<'a>, peers: &mut Peers<O>) -> Result<Progress, Fault> {
        if self.held != Held::Not && self.held.is_now(&grid.group.meanwhile) {
            return Ok(Progress::Unfinished);
        }
        self.spin_detector.begin(grid, self.warps.len());
        let rounds = match self.held {
            Held::After(rounds) => rounds,
            Held::Not | Held::Now => self.schedule.rounds(),
        };
        let progress = self.run_rounds(grid, rounds, peers);
        if self.held != Held::Not {
            self.held = Held::Now;
        }
        self.spin_detector.end(grid, &mut self.warps);
        progress
    }

    /// If every thread of the block is blocked: the group's change counter when the last one blocked.
    pub fn stuck_since(&self) -> Option<u64> {
        // A pending copy changes memory when it completes.
        if self.held != Held::Not {
            return None;
        }
        let since = self.spin_detector.stuck_since(&self.warps);
        since.filter(|_| self.proxy.is_idle())
    }

    /// Whether all threads have exited.
    pub fn is_finished(&self) -> bool {
        self.alive == 0
    }

    /// Returns the block's shared memory.
    pub fn shared_mut(&mut self) -> &mut [u8] {
        &mut self.shared
    }

    /// Notes that another block has changed this one's shared memory.
    pub fn note_change(&mut self) {
        if let Some(warp) = self.warps.first_mut() {
            warp.has_changed = true;
        }
    }

    fn run_rounds(
        &mut self,
        grid: &'a Grid<'a>,
        rounds: u32,
        peers: &mut Peers<O>,
    ) -> Result<Progress, Fault> {
        for number in 0..rounds {
            let mut round = Turn::Waited;
            for turn in 0..self.warps.len() {
                let warp = self.schedule.pick(turn, self.warps.len());
                round = round.max(self.run_warp(grid, warp, peers)?);
                if !self.proxy.is_idle() {
                    self.move_copies(grid)?;
                }
            }
            if self.alive == 0 {
                self.finish_copies(grid)?;
                if O::CHECKS {
                    self.observer.left_cluster();
                }
                return Ok(Progress::Done);
            }
            match round {
                Turn::Waited if self.waits_for_cluster() => {
                    let nothing = number == 0;
                    return Ok(if nothing { Progress::Waiting } else { Progress::Unfinished });
                }
                Turn::Waited => return Err(self.deadlock(grid)),
                Turn::Spun if self.proxy.is_idle() => break,
                Turn::Yielded => break,
                Turn::Spun | Turn::Worked => {}
            }
        }
        Ok(Progress::Unfinished)
    }

    /// Runs a warp until it waits, ends, or has used up its time slice.
    fn run_warp(
        &mut self,
        grid: &'a Grid<'a>,
        index: usize,
        peers: &mut Peers<O>,
    ) -> Result<Turn, Fault> {
        self.look_at_clock(grid, index);
        let mut did = Turn::Waited;
        let spins = self.warps[index].spins();
        let mut budget = self.schedule.slice();
        if self.held != Held::Not {
            budget = budget.min(SHORT_SLICE);
        }
        while !self.warps[index].splits.is_stuck() {
            let mut pause = Pause::Blocked;
            let mut exec = Exec {
                grid,
                warp: &mut self.warps[index],
                shared: &mut self.shared,
                barriers: &mut self.barriers,
                proxy: &mut self.proxy,
                observer: &mut self.observer,
                peers,
                budget,
                pc: 0,
                pause: &mut pause,
            };
            let ran = exec.run();
            let pc = exec.pc;
            let executed = budget - exec.budget;
            budget = exec.budget;
            if grid.options.instruction_limit > 0 || grid.options.held_back != 0 {
                self.limit(grid, index as u32, pc, executed)?;
            }
            if let Err(trap) = ran {
                return Err(self.fault(grid, index as u32, pc, &trap));
            }
            match pause {
                Pause::Finished => return Ok(did),
                Pause::Blocked => break,
                Pause::SliceOver => {
                    self.sample(index);
                    let spun = self.warps[index].spins() > spins;
                    return Ok(did.max(if spun { Turn::Spun } else { Turn::Worked }));
                }
                Pause::Spinning => {
                    self.sample(index);
                    return Ok(did.max(Turn::Spun));
                }
                Pause::Yielding => {
                    self.sample(index);
                    return Ok(Turn::Yielded);
                }
                Pause::Arrived(id) => self.release(grid, 1 << id),
                Pause::ArrivedInCluster(lanes) => self.leave_absent(grid, lanes, peers),
                Pause::Exited(lanes) => {
                    self.alive -= lanes.count_ones();
                    // No barrier waits for the exited lanes any more.
                    self.release(grid, u16::MAX);
                    if grid.has_clusters {
                        let arrived = self.warps[index].arrived_in_cluster();
                        self.leave_absent(grid, lanes & !arrived, peers);
                    }
                }
            }
            did = Turn::Worked;
        }
        if did != Turn::Waited && !self.warps[index].splits.is_finished() {
            self.sample(index);
        }
        Ok(did)
    }

    /// Advances pending bulk copies, as the schedule decides.
    #[cold]
    fn move_copies(&mut self, grid: &'a Grid<'a>) -> Result<(), Fault> {
        match self.schedule.copy(self.proxy.copies.count()) {
            Some(index) => self.move_copy(grid, index),
            None => Ok(()),
        }
    }

    fn move_copy(&mut self, grid: &'a Grid<'a>, index: usize) -> Result<(), Fault> {
        let (proxy, shared) = (&mut self.proxy, &mut self.shared[..]);
        let moved = bulk::step(grid, proxy, index, shared, &mut self.observer);
        if let Some(warp) = self.warps.first_mut() {
            warp.has_changed = true;
        }
        moved.map_err(|(copy, trap)| self.fault(grid, copy.warp, copy.pc, &trap))
    }

    /// Completes the copies that are still pending when all threads have exited.
    fn finish_copies(&mut self, grid: &'a Grid<'a>) -> Result<(), Fault> {
        if O::CHECKS {
            self.observer.proxy(&ProxyEvent::Ended);
        }
        while !self.proxy.is_idle() {
            self.move_copy(grid, 0)?;
        }
        Ok(())
    }

    /// Samples a warp's state to find out whether it runs in a circle.
    fn sample(&mut self, warp: usize) {
        if self.spin_detector.is_on() {
            self.spin_detector.sample(&mut self.warps[warp]);
        }
    }

    /// Reports a launch that runs for long. The clock is read rarely.
    #[inline(always)]
    fn look_at_clock(&mut self, grid: &Grid<'_>, warp: usize) {
        self.turns = self.turns.wrapping_add(1);
        if self.turns.is_multiple_of(1024) {
            let pc = || self.warps[warp].splits.iter().next().map_or(u32::MAX, |split| split.pc);
            grid.patience.look(&grid.kernel.ir().name, || grid.kernel.source(pc()));
        }
    }

    /// Stops a launch that has executed more instructions than its limit.
    fn limit(&self, grid: &Grid<'_>, warp: u32, pc: u32, executed: u32) -> Result<(), Fault> {
        let limit = grid.options.instruction_limit;
        if grid.options.held_back != 0 && grid.group.meanwhile.note(executed) {
            return Ok(());
        }
        let before = grid.executed.fetch_add(executed.into(), Ordering::Relaxed);
        if limit == 0 || before + u64::from(executed) <= limit {
            return Ok(());
        }
        let cause = format!("still running after {limit} warp instructions, which is the limit");
        Err(self.fault(grid, warp, pc, &Trap::new(FaultKind::InstructionLimit, None, cause)))
    }

    /// Lets threads pass those of these barriers at which all expected threads have arrived.
    #[inline(always)]
    fn release(&mut self, grid: &Grid<'_>, barriers: u16) {
        while let Some((id, tally)) = self.barriers.complete(barriers, self.alive) {
            self.pass(grid, id, tally);
        }
    }

    /// Lets the threads at a barrier pass.
    fn pass(&mut self, grid: &Grid<'_>, id: u8, tally: Tally) {
        if O::CHECKS {
            let passing = self.passing(grid, id, tally);
            self.observer.barrier_passed(&passing);
        }
        if let Some(weak) = &grid.weak {
            let block = grid.weak_block(self.index);
            let threads = lanes(tally.warps).flat_map(|warp| grid.threads_of(warp));
            weak.barrier(threads.map(|thread| (block, thread)));
        }
        for warp in &mut self.warps {
            let waiting = Waiting::Barrier(id);
            if tally.reduces {
                write_tally(warp, grid, waiting, tally);
            }
            warp.splits.release(waiting);
        }
    }

    /// Notes that lanes of a warp have arrived at the barrier of the cluster, or exited. Lets all pass
    /// if no thread of the cluster is absent any more.
    #[cold]
    #[inline(never)]
    fn leave_absent(&mut self, grid: &Grid<'_>, lanes: LaneMask, peers: &mut Peers<O>) {
        self.absent -= lanes.count_ones();
        let absent = self.absent + peers.iter_mut().map(|block| block.absent).sum::<u32>();
        if absent == 0 {
            if let Some(weak) = &grid.weak {
                let others = peers.iter_mut().map(|block| block.index);
                let blocks = others.chain([self.index]).map(|index| grid.weak_block(index));
                let blocks: Vec<u64> = blocks.collect();
                let threads = |block| (0..grid.threads_per_block()).map(move |t| (block, t));
                weak.barrier(blocks.into_iter().flat_map(threads));
            }
            self.pass_cluster_barrier();
            peers.iter_mut().for_each(Self::pass_cluster_barrier);
        }
    }

    /// Begins the next phase of the barrier of the cluster.
    fn pass_cluster_barrier(&mut self) {
        self.absent = self.alive;
        for warp in &mut self.warps {
            let waits = |split: &&Split| split.waiting == Waiting::ClusterBarrier;
            let lanes = warp.splits.iter().filter(waits).fold(0, |all, split| all | split.mask);
            if O::CHECKS && lanes != 0 {
                self.observer.cluster_barrier_passed(warp.index, lanes);
            }
            warp.pass_cluster_barrier();
        }
    }

    /// Whether a thread waits for other blocks of the cluster.
    #[cold]
    fn waits_for_cluster(&self) -> bool {
        let mut splits = self.warps.iter().flat_map(|warp| warp.splits.iter());
        splits.any(|split| split.waiting == Waiting::ClusterBarrier)
    }

    /// Describes which threads pass a barrier, and which have exited by then.
    fn passing(&self, grid: &Grid<'_>, id: u8, tally: Tally) -> Passing {
        let mut waiters = Vec::with_capacity(self.warps.len());
        let mut exited = Vec::with_capacity(self.warps.len());
        for warp in &self.warps {
            let waits = |split: &&Split| split.waiting == Waiting::Barrier(id);
            waiters.extend(warp.splits.iter().filter(waits).map(|split| Waiter {
                warp: warp.index,
                lanes: split.mask,
                pc: split.pc,
            }));
            exited.push(grid.lanes_of(warp.index) & !warp.splits.alive());
        }
        Passing { warps: tally.warps, is_counted: tally.is_counted, waiters, exited }
    }

    /// Adds the location to a trap.
    fn fault(&self, grid: &Grid<'_>, warp: u32, pc: u32, trap: &Trap) -> Fault {
        let block = grid.block_name(self.index);
        let kernel = &grid.kernel.ir().name;
        let source = grid.kernel.source(pc);
        let thread = match trap.lane {
            Some(lane) => {
                let [x, y, z] = grid.thread_index(warp, lane);
                format!("thread ({x},{y},{z}) (warp {warp}, lane {lane})")
            }
            None => format!("warp {warp}"),
        };
        let message = format!("kernel `{kernel}` at {source}, {block}, {thread}: {}", trap.cause);
        Fault { kind: trap.kind, space: trap.space, detail: trap.detail, message }
    }

    /// Reports that every thread waits and that nothing can let any of them continue.
    fn deadlock(&self, grid: &Grid<'_>) -> Fault {
        let location = format!(", {}", grid.block_name(self.index));
        deadlock(grid, &location, "every thread waits for another", self.waits(grid))
    }

    /// Describes what each thread waits for, with the block's name.
    pub fn named_waits(&self, grid: &Grid<'_>) -> Vec<String> {
        let name = grid.block_name(self.index);
        self.waits(grid).into_iter().map(|wait| format!("{name}, {wait}")).collect()
    }

    /// Describes what each thread that has not exited waits for, one line per warp split.
    fn waits(&self, grid: &Grid<'_>) -> Vec<String> {
        let splits = self.warps.iter().flat_map(|w| w.splits.iter().map(move |p| (w, p)));
        let line = |(warp, split): (&Warp, &Split)| {
            let location = grid.kernel.source(split.pc);
            let phase = self.awaited_phase(grid, warp, split);
            let what = match split.waiting {
                Waiting::No if phase.is_some() => phase.unwrap_or_default(),
                Waiting::Barrier(id) => format!("wait at barrier {id} ({location})"),
                Waiting::ClusterBarrier => {
                    format!("wait at the barrier of the cluster ({location})")
                }
                Waiting::WarpSync(m) => {
                    format!("wait in __syncwarp for the lanes {m:#010x} ({location})")
                }
                Waiting::Collective(m) => {
                    format!("wait at a warp-wide operation of the lanes {m:#010x} ({location})")
                }
                Waiting::No if warp.polled_at == NOWHERE => {
                    format!("loop for ever ({location})")
                }
                Waiting::No => {
                    let polled = grid.kernel.source(warp.polled_at);
                    format!("spin on what they read at {polled}")
                }
                Waiting::Reconvergence => return None,
            };
            Some(format!("warp {}, lanes {:#010x}, {what}", warp.index, split.mask))
        };
        splits.filter_map(line).collect()
    }

    /// Describes the mbarrier phase that a warp split waits for, if it does, and what that phase
    /// lacks.
    fn awaited_phase(&self, grid: &Grid<'_>, warp: &Warp, split: &Split) -> Option<String> {
        let (offset, object) = self.proxy.mbarriers.awaited(warp.index, split.mask)?;
        let location = grid.kernel.shared_location(offset);
        let (phase, wants) = (object.phase(), object.wants());
        let at = grid.kernel.source(warp.polled_at);
        Some(format!("spin on phase {phase} of the mbarrier at {location} ({at}): {wants}"))
    }
}

/// Reports that every resident thread waits or runs in a circle, and that no thread changes memory.
pub(crate) fn stall<'a, 'b, O: Observer<'a> + 'b>(
    grid: &'a Grid<'a>,
    blocks: impl Iterator<Item = &'b Block<O>>,
) -> Fault {
    let mut blocks: Vec<_> = blocks.collect();
    blocks.sort_by_key(|block| block.index);
    let waits = blocks.into_iter().flat_map(|block| block.named_waits(grid)).collect();
    let cause = "no thread changes memory any more, and every thread waits for a change";
    deadlock(grid, "", cause, waits)
}

/// Builds the fault that describes which threads wait for what.
pub(crate) fn deadlock(
    grid: &Grid<'_>,
    location: &str,
    cause: &str,
    mut waits: Vec<String>,
) -> Fault {
    const MOST: usize = 8;
    let total = waits.len();
    waits.truncate(MOST);
    if total > MOST {
        waits.push(format!("and {} more", total - MOST));
    }
    let kernel = &grid.kernel.ir().name;
    let waits = waits.join("\n  ");
    Fault {
        kind: FaultKind::Deadlock,
        space: None,
        detail: None,
        message: format!("kernel `{kernel}`{location}: deadlock, {cause}:\n  {waits}"),
    }
}

/// Writes the results of a barrier's reductions into the registers of the threads that wait there.
fn write_tally(warp: &mut Warp, grid: &Grid<'_>, waiting: Waiting, tally: Tally) {
    let Warp { splits, registers, .. } = warp;
    for split in splits.iter().filter(|p| p.waiting == waiting) {
        let Op::Bar(bar) = &grid.kernel.ir().code[split.pc as usize].op else {
            continue;
        };
        let bits = |truth| if truth { split.mask } else { 0 };
        match bar.kind {
            BarKind::Sync | BarKind::Arrive => {}
            BarKind::RedPopc { d, .. } => registers.write32(d, split.mask, &[tally.votes; 32]),
            BarKind::RedAnd { d, .. } => {
                registers.set_pred(d, bits(tally.votes == tally.threads), split.mask);
            }
            BarKind::RedOr { d, .. } => {
                registers.set_pred(d, bits(tally.votes > 0), split.mask);
            }
        }
    }
}

/// Writes the special registers that are the same for all blocks.
fn write_specials(warp: &mut Warp, grid: &Grid<'_>) {
    for &(slot, special) in &grid.kernel.ir().specials {
        let value = |lane| special_value(special, grid, warp.index, lane as u32);
        let values: [u64; 32] = std::array::from_fn(value);
        match slot {
            SpecialSlot::R32(r) => {
                let values = values.map(|v| v as u32);
                warp.registers.write32(r, LaneMask::MAX, &values);
            }
            SpecialSlot::R64(r) => warp.registers.write64(r, LaneMask::MAX, &values),
        }
    }
}

/// Writes the special registers that differ between blocks: the coordinates, the rank in its cluster, and the
/// warp's slot.
fn write_coordinates(warp: &mut Warp, grid: &Grid<'_>, block: [u32; 3], rank: u32) {
    for &(slot, special) in &grid.kernel.ir().specials {
        let of = |axis: u8| (block[usize::from(axis)], grid.cluster[usize::from(axis)]);
        let value = match special {
            Special::Ctaid(axis) => of(axis).0,
            Special::ClusterId(axis) => of(axis).0 / of(axis).1,
            Special::ClusterCtaid(axis) => of(axis).0 % of(axis).1,
            Special::ClusterCtarank => rank,
            Special::WarpId => warp_slot(grid, warp),
            _ => continue,
        };
        match slot {
            SpecialSlot::R32(r) => *warp.registers.r32_mut(r) = [value; 32],
            SpecialSlot::R64(r) => *warp.registers.r64_mut(r) = [value.into(); 32],
        }
    }
}

/// Returns the slot of a warp in its multiprocessor: `%warpid`. The warps of a block are in slots one after
/// another, of which the first is never slot 0, so that no warp has its number in the block. Those of two blocks may be
/// the same: the simulator does not assign blocks to multiprocessors.
fn warp_slot(grid: &Grid<'_>, warp: &Warp) -> u32 {
    let first = 1 + mix(grid.seed() ^ warp.block) % u64::from(WARP_SLOTS - 1);
    (warp.index + first as u32) % WARP_SLOTS
}

fn special_value(special: Special, grid: &Grid<'_>, warp: u32, lane: u32) -> u64 {
    let below = (1u32 << lane) - 1;
    let value = match special {
        Special::Tid(axis) => grid.thread_index(warp, lane)[usize::from(axis)],
        Special::Ntid(axis) => grid.threads[usize::from(axis)],
        Special::Nctaid(axis) => grid.blocks[usize::from(axis)],
        Special::NclusterId(axis) => grid.clusters()[usize::from(axis)],
        Special::ClusterNctaid(axis) => grid.cluster[usize::from(axis)],
        Special::ClusterNctarank => grid.blocks_per_cluster(),
        Special::IsExplicitCluster => grid.has_clusters.into(),
        Special::Ctaid(_)
        | Special::ClusterId(_)
        | Special::ClusterCtaid(_)
        | Special::ClusterCtarank
        | Special::WarpId
        | Special::SmId => 0,
        // `%envreg1` is the higher half.
        Special::EnvReg(1) => (grid.options.grid_workspace >> 32) as u32,
        Special::EnvReg(2) => grid.options.grid_workspace as u32,
        Special::EnvReg(_) => 0,
        Special::LaneId => lane,
        Special::NwarpId => WARP_SLOTS,
        Special::NsmId => DEVICE.multiprocessors,
        Special::GridId => return grid.id,
        Special::LaneMaskEq => 1 << lane,
        Special::LaneMaskLt => below,
        Special::LaneMaskLe => below | 1 << lane,
        Special::LaneMaskGt => !(below | 1 << lane),
        Special::LaneMaskGe => !below,
        Special::DynamicSharedSize => grid.dynamic_shared,
        Special::TotalSharedSize => grid.shared_bytes(),
    };
    u64::from(value)
}
