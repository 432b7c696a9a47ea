//! The trace of a launch: what each warp did, in order, for drawings of small launches.
//!
//! A traced launch is also counted and checked for races, and runs on one host thread, so that the
//! events are in the order of execution. The trace stores the first [`MOST_EVENTS`] events and
//! counts the others.

use std::sync::atomic::Ordering;

use ptx::ir::{ClusterOp, CollectiveOp, Op, Register, Src};
use simt_report::{
    Event, Executed, InstructionClass, MbarrierUse, Place, Trace, TracedAccess, UsedMbarrier,
};

use crate::access::{Access, AccessKind, AccessSpace};
use crate::banks;
use crate::barrier::Passing;
use crate::counters::{self, lanes};
use crate::observe::{Checking, Observed, Observer, Totals};
use crate::proxy::{At, Bulk, Completion, Direction, ProxyEvent};
use crate::registers::{LaneMask, Lanes32, Registers};
use crate::shape::LaunchShape;

/// The largest number of events that a trace stores.
pub const MOST_EVENTS: u64 = 1 << 17;

/// Counts, detects races, and records events.
pub(crate) type Tracing<'a> = (Checking<'a>, Recorder<'a>);

/// Records events.
pub(crate) struct Recorder<'a> {
    grid: &'a LaunchShape<'a>,
    block: u64,
    /// The recorded events, each with its number in the launch.
    events: Vec<(u64, Event)>,
    /// If registers are traced: what is complete, and for each warp the instruction that it executes, with the pc and
    /// the lanes.
    executed: Vec<Executed>,
    pending: Vec<Option<(Executed, u32, LaneMask)>>,
}

impl Recorder<'_> {
    /// Completes what a warp has executed, now that the registers hold the results.
    fn complete(&mut self, warp: u32, registers: &Registers) {
        let Some((mut executed, pc, active)) = self.pending[warp as usize].take() else {
            return;
        };
        let written = self.grid.kernel.ir().code[pc as usize].writes();
        executed.written.extend(written.into_iter().map(|register| {
            let bits = |lane| match register {
                Register::R32(r) => registers.bits(Src::R32(r), lane),
                Register::R64(r) => registers.bits(Src::R64(r), lane),
                Register::Pred(p) => (registers.pred(p) >> lane & 1).into(),
            };
            lanes(active).map(bits).collect()
        }));
        self.executed.push(executed);
    }

    fn place(&self, warp: u32, pc: u32) -> Place {
        Place { block: self.block, warp, line: self.grid.kernel.source(pc) }
    }

    fn add(&mut self, event: impl FnOnce(&Self) -> Event) {
        let number = self.grid.traced.fetch_add(1, Ordering::Relaxed);
        if number < MOST_EVENTS {
            let event = event(self);
            self.events.push((number, event));
        }
    }

    fn traced(&self, access: &Access<'_>) -> TracedAccess {
        let addresses = of_lanes(access.mask, &access.addresses.all());
        let first = addresses.first().copied().unwrap_or_default();
        let (array, base, allocation_bytes) = match access.space {
            AccessSpace::Shared => {
                let (name, offset) = self.grid.kernel.shared_variable(first as u32);
                (name.to_owned(), first - u64::from(offset), 0)
            }
            AccessSpace::Global => {
                let region = self.grid.memory.region(first);
                let (base, bytes) = region.map_or((first, 0), |r| (r.base, r.bytes));
                (String::new(), base, bytes)
            }
        };
        TracedAccess {
            access: access.kind,
            space: access.space,
            bytes: access.bytes,
            array,
            base,
            allocation_bytes,
            lanes: access.mask,
            addresses,
            values: Vec::new(),
            cost: cost(access),
        }
    }
}

/// Returns the cost that the counters add for an access.
fn cost(access: &Access<'_>) -> u64 {
    let &Access { pattern, addresses, mask, bytes, .. } = access;
    match (access.space, access.kind) {
        (AccessSpace::Global, _) => counters::sectors(pattern, addresses, mask, bytes),
        (AccessSpace::Shared, AccessKind::Load) => {
            banks::load(pattern, addresses, mask, bytes).wavefronts
        }
        (AccessSpace::Shared, AccessKind::Store) => {
            banks::store(pattern, addresses, mask, bytes).wavefronts
        }
        (AccessSpace::Shared, AccessKind::Atomic) => {
            let served = banks::atomic::serve(access.form, &addresses.all(), mask, bytes);
            served.wavefronts + served.loads.wavefronts
        }
    }
}

fn of_lanes<T: Copy>(mask: LaneMask, all: &[T; 32]) -> Vec<T> {
    lanes(mask).map(|lane| all[lane as usize]).collect()
}

impl<'a> Observer<'a> for Recorder<'a> {
    const TRACES: bool = true;

    fn new(grid: &'a LaunchShape<'_>) -> Self {
        let (events, executed, pending) = (Vec::new(), Vec::new(), Vec::new());
        Self { grid, block: 0, events, executed, pending }
    }

    fn start_block(&mut self, block: u64, warps: u32, _: u32) {
        self.block = block;
        self.pending.resize_with(warps as usize, || None);
    }

    fn instruction(&mut self, warp: u32, pc: u32, active: LaneMask, registers: &Registers) {
        let instruction = &self.grid.kernel.ir().code[pc as usize];
        let class = class(&instruction.op);
        let stored = self.events.len();
        self.add(|own| Event::Instruction { place: own.place(warp, pc), class, active });
        if self.grid.options.trace_registers {
            self.complete(warp, registers);
            if let Some(&(event, _)) = self.events.get(stored) {
                let written = Vec::new();
                let executed = Executed { event, ptx_line: instruction.ptx_line, written };
                self.pending[warp as usize] = Some((executed, pc, active));
            }
        }
    }

    fn barrier_passed(&mut self, passing: &Passing) {
        self.add(|own| Event::BarrierPassed {
            block: own.block,
            warps: lanes(passing.warps).collect(),
        });
    }

    fn warp_synchronised(&mut self, warp: u32, lanes: LaneMask) {
        self.add(|own| Event::WarpSynchronised { block: own.block, warp, lanes });
    }

    fn proxy(&mut self, event: &ProxyEvent) {
        let Some((at, used)) = used_mbarrier(event) else { return };
        let place = self.place(at.warp, at.pc);
        // The lanes of an instruction follow one another.
        if let Some((_, Event::Mbarrier { place: of, used: last })) = self.events.last_mut()
            && (&*of, last.mbarrier, last.does) == (&place, used.mbarrier, used.does)
            && last.lanes & used.lanes == 0
        {
            last.lanes |= used.lanes;
            last.completes |= used.completes;
            return;
        }
        self.add(|_| Event::Mbarrier { place, used });
    }

    fn access(&mut self, access: &Access<'_>) {
        self.add(|own| Event::Access {
            place: own.place(access.warp, access.pc),
            access: own.traced(access),
        });
    }

    fn access_in_cluster(&mut self, access: &Access<'_>, _: u32) {
        self.access(access);
    }

    fn moved(&mut self, op: &Op, registers: &Registers, active: LaneMask) {
        let parts = active.count_ones();
        let mut found = 0;
        // An instruction with generic addresses may have accessed several spaces.
        for (_, event) in self.events.iter_mut().rev() {
            let Event::Access { access, .. } = event else {
                break;
            };
            if found == parts || access.lanes & !active != 0 || !access.values.is_empty() {
                break;
            }
            access.values = lanes(access.lanes).map(|lane| elements(op, registers, lane)).collect();
            found += access.lanes.count_ones();
        }
    }

    fn shuffled(
        &mut self,
        warp: u32,
        pc: u32,
        mask: LaneMask,
        sources: &Lanes32,
        values: &Lanes32,
    ) {
        self.add(|own| Event::Shuffle {
            place: own.place(warp, pc),
            lanes: mask,
            sources: of_lanes(mask, sources),
            values: of_lanes(mask, values),
        });
    }

    fn finish(&mut self) -> Observed {
        // What a warp executed last writes no register: it ends the warp, or was stopped.
        let last = self.pending.drain(..).flatten().map(|(executed, ..)| executed);
        self.executed.extend(last);
        let events = std::mem::take(&mut self.events);
        let executed = std::mem::take(&mut self.executed);
        let totals = Totals { events, executed, ..Totals::default() };
        Observed { totals, ..Observed::default() }
    }
}

/// Returns how an event uses an mbarrier, and the thread and the instruction that do.
fn used_mbarrier(event: &ProxyEvent) -> Option<(At, UsedMbarrier)> {
    let used = |mbarrier, at: At, does, completion| {
        let (lanes, completes) = (1 << at.lane, completion == Completion::Phase);
        Some((at, UsedMbarrier { mbarrier, does, lanes, completes, bytes: 0 }))
    };
    let of_copy = |bulk: &Bulk, does, completion| {
        let Direction::Load { mbarrier } = bulk.direction else { return None };
        let at = At { warp: bulk.warp, lane: bulk.lane, pc: bulk.pc };
        let (at, of) = used(mbarrier, at, does, completion)?;
        Some((at, UsedMbarrier { bytes: bulk.bytes, ..of }))
    };
    match *event {
        ProxyEvent::Initialised { mbarrier, at, .. } => {
            used(mbarrier, at, MbarrierUse::Initialise, Completion::None)
        }
        ProxyEvent::Arrived { mbarrier, at, completion, .. } => {
            used(mbarrier, at, MbarrierUse::Arrive, completion)
        }
        ProxyEvent::Tested { mbarrier, at, is_complete, .. } => {
            let does = if is_complete { MbarrierUse::Pass } else { MbarrierUse::Wait };
            used(mbarrier, at, does, Completion::None)
        }
        ProxyEvent::Started(ref bulk) => of_copy(bulk, MbarrierUse::StartCopy, Completion::None),
        ProxyEvent::Loaded { ref bulk, completion } => {
            of_copy(bulk, MbarrierUse::EndCopy, completion)
        }
        ProxyEvent::Counted { .. }
        | ProxyEvent::Invalidated { .. }
        | ProxyEvent::Overwritten { .. }
        | ProxyEvent::Fenced { .. }
        | ProxyEvent::Waited { .. }
        | ProxyEvent::Ended => None,
    }
}

/// Returns the bits of what a lane loads or stores.
fn elements(op: &Op, registers: &Registers, lane: u32) -> Vec<u64> {
    let value = |source: Src| registers.bits(source, lane);
    if let Op::Ld(load) = op {
        let loaded = load.d[..usize::from(load.len)].iter().flatten();
        loaded.map(|&d| value(d)).collect()
    } else if let Op::St(store) = op {
        let stored = store.s[..usize::from(store.len)].iter();
        stored.map(|&s| value(s)).collect()
    } else {
        Vec::new()
    }
}

fn class(op: &Op) -> InstructionClass {
    use InstructionClass as Class;
    match op {
        Op::Alu(_) | Op::ReadClock { .. } | Op::ReadClock64 { .. } => Class::Arithmetic,
        Op::Ld(_) => Class::Load,
        Op::St(_) => Class::Store,
        Op::Atom(_) => Class::Atomic,
        Op::CpAsync { .. } | Op::CpAsyncWait(_) | Op::Bulk(_) | Op::BulkWait(_) => Class::AsyncCopy,
        Op::Bra(_) | Op::BrxIdx { .. } => Class::Branch,
        Op::Exit | Op::Trap | Op::AssertFail { .. } => Class::Exit,
        Op::Bar(_) | Op::Mbarrier(_) | Op::Cluster(ClusterOp::Arrive { .. } | ClusterOp::Wait) => {
            Class::Barrier
        }
        Op::Cluster(
            ClusterOp::Mapa32 { .. }
            | ClusterOp::Mapa64 { .. }
            | ClusterOp::Rank32 { .. }
            | ClusterOp::Rank64 { .. },
        ) => Class::Arithmetic,
        Op::Fence(_) | Op::ProxyFence(_) => Class::Fence,
        Op::Warp(collective) if matches!(collective.op, CollectiveOp::Sync) => Class::Barrier,
        Op::Warp(_) | Op::ActiveMask { .. } => Class::Warp,
        Op::Nop | Op::Nanosleep { .. } | Op::Vprintf { .. } => Class::Other,
    }
}

/// Merges the events of all blocks in the order of execution, and counts the dropped ones.
pub(crate) fn gather(
    mut events: Vec<(u64, Event)>,
    mut executed: Vec<Executed>,
    grid: &LaunchShape<'_>,
) -> Trace {
    events.sort_by_key(|(number, _)| *number);
    executed.sort_by_key(|executed| executed.event);
    Trace {
        executed,
        events: events.into_iter().map(|(_, event)| event).collect(),
        dropped: grid.traced.load(Ordering::Relaxed).saturating_sub(MOST_EVENTS),
    }
}
