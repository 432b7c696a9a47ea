//! `mbarrier` instructions, executed lane by lane.

use ptx::ir::{
    Arrive, ArriveKind, CpAsyncWait, Mbarrier as Instruction, MbarrierOp, Phase, Pred, R32,
    Semantics, Space,
};

use super::memory::{Target, addresses};
use super::weak::shared_word;
use super::{Exec, Flow};
use crate::access::AccessSpace;
use crate::counters::lanes;
use crate::fault::{FaultDetail, FaultKind, Step, Trap};
use crate::module::{BLOCK_WINDOW, WINDOW_BYTES};
use crate::observe::Observer;
use crate::proxy::{Absent, Asked, At, Completion, MBARRIER_BYTES, Mbarrier, Misuse, ProxyEvent};
use crate::registers::LaneMask;

/// A lane's use of an object.
#[derive(Clone, Copy)]
struct Here {
    lane: u32,
    offset: u32,
    /// The instruction's name in reports.
    name: &'static str,
}

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    /// Executes an `mbarrier` instruction. A warp that finds a phase incomplete gives up the rest
    /// of its time slice.
    #[inline(never)]
    pub(super) fn mbarrier(
        &mut self,
        split: usize,
        instruction: &Instruction,
        active: LaneMask,
    ) -> Step<Flow> {
        let objects = addresses(&self.warp.registers, instruction.addr);
        let name = name(instruction.op);
        let mut complete = 0;
        if matches!(instruction.op, MbarrierOp::AfterCopies { .. }) {
            // The completed copies count as writes of this instruction.
            let warp = self.warp.index;
            self.observer.copies_waited(warp, CpAsyncWait::All, active);
        }
        for lane in lanes(active) {
            let address = objects[lane as usize];
            let offset = self.object_offset(instruction.space, address, lane, name)?;
            let here = Here { lane, offset, name };
            if self.at_object(instruction.op, here)? {
                complete |= 1 << lane;
            }
        }
        if let MbarrierOp::Wait { d, .. } = instruction.op {
            return Ok(self.waited(split, d, complete, active));
        }
        self.warp.has_changed = true;
        self.pc += 1;
        Ok(Flow::Next)
    }

    /// Executes the instruction for one lane. Returns true if it tests a phase and the phase is
    /// complete.
    fn at_object(&mut self, op: MbarrierOp, here: Here) -> Step<bool> {
        match op {
            MbarrierOp::Init { count } => self.initialise(here, count)?,
            MbarrierOp::Inval => self.invalidate(here)?,
            MbarrierOp::ExpectTx { bytes } => self.count(here, bytes, Mbarrier::expect)?,
            MbarrierOp::CompleteTx { bytes } => self.count(here, bytes, Mbarrier::complete)?,
            MbarrierOp::Arrive(arrive) => self.arrive(here, &arrive)?,
            MbarrierOp::Wait { phase, semantics, .. } => return self.test(here, phase, semantics),
            MbarrierOp::AfterCopies { is_expected } => {
                self.arrive_after_copies(here, is_expected)?
            }
        }
        Ok(false)
    }

    fn waited(&mut self, split: usize, d: Pred, complete: LaneMask, active: LaneMask) -> Flow {
        self.warp.registers.set_pred(d, complete, active);
        self.pc += 1;
        if complete == active {
            return Flow::Next;
        }
        self.warp.note_poll(self.pc - 1);
        self.spin(split, self.pc)
    }

    fn initialise(&mut self, here: Here, count: R32) -> Step {
        let count = self.warp.registers.r32(count)[here.lane as usize];
        let object = Mbarrier::new(count).map_err(|misuse| self.misused(here, misuse))?;
        let mbarriers = &mut self.proxy.mbarriers;
        let was_live = mbarriers.initialise(here.offset, object, self.shared);
        let (mbarrier, at) = (here.offset, self.at(here.lane));
        self.notify(ProxyEvent::Initialised { mbarrier, at, was_live });
        Ok(())
    }

    fn invalidate(&mut self, here: Here) -> Step {
        self.object(here)?;
        let gone = self.proxy.mbarriers.invalidate(here.offset, self.shared);
        gone.map_err(|absent| self.absent(here, absent))?;
        let (mbarrier, at) = (here.offset, self.at(here.lane));
        self.notify(ProxyEvent::Invalidated { mbarrier, at });
        Ok(())
    }

    fn count(
        &mut self,
        here: Here,
        bytes: R32,
        counted: fn(&mut Mbarrier, u32) -> Result<Completion, Misuse>,
    ) -> Step {
        let bytes = self.warp.registers.r32(bytes)[here.lane as usize];
        let mut object = self.object(here)?;
        let completion = counted(&mut object, bytes).map_err(|m| self.misused(here, m))?;
        let (mbarrier, at) = (here.offset, self.at(here.lane));
        self.proxy.mbarriers.put(mbarrier, object, self.shared);
        self.notify(ProxyEvent::Counted { mbarrier, at, completion });
        Ok(())
    }

    fn arrive(&mut self, here: Here, arrive: &Arrive) -> Step {
        let value = |r: R32| self.warp.registers.r32(r)[here.lane as usize];
        let (count, bytes) = (arrive.count.map_or(1, value), arrive.expect.map(value));
        let mut object = self.object(here)?;
        let state = object.state();
        let completion = arrived(&mut object, arrive.kind, count, bytes);
        let completion = completion.map_err(|misuse| self.misused(here, misuse))?;
        if let Some(d) = arrive.state {
            self.warp.registers.r64_mut(d)[here.lane as usize] = state;
        }
        self.has_arrived(here, object, completion, arrive.semantics);
        Ok(())
    }

    fn arrive_after_copies(&mut self, here: Here, is_expected: bool) -> Step {
        let mut object = self.object(here)?;
        let pending = if is_expected { Ok(()) } else { object.add_pending() };
        let completion = pending.and_then(|()| object.arrive(1));
        let completion = completion.map_err(|misuse| self.misused(here, misuse))?;
        self.has_arrived(here, object, completion, Semantics::Orders);
        Ok(())
    }

    fn has_arrived(
        &mut self,
        here: Here,
        object: Mbarrier,
        completion: Completion,
        semantics: Semantics,
    ) {
        let (mbarrier, at) = (here.offset, self.at(here.lane));
        self.proxy.mbarriers.put(mbarrier, object, self.shared);
        if let Some(weak) = &self.grid.weak
            && semantics == Semantics::Orders
        {
            weak.arrive(
                self.thread(here.lane),
                shared_word(self.grid.weak_block(self.warp.block), mbarrier.into()),
            );
        }
        self.notify(ProxyEvent::Arrived {
            mbarrier,
            at,
            releases: semantics == Semantics::Orders,
            completion,
        });
    }

    /// Tests whether a phase is complete.
    fn test(&mut self, here: Here, phase: Phase, semantics: Semantics) -> Step<bool> {
        let lane = here.lane as usize;
        let asked = match phase {
            Phase::State(state) => Asked::State(self.warp.registers.r64(state)[lane]),
            Phase::Parity(parity) => Asked::Parity(self.warp.registers.r32(parity)[lane]),
        };
        let object = self.object(here)?;
        let is_complete = object.is_complete(asked).map_err(|m| self.misused(here, m))?;
        let (mbarrier, at) = (here.offset, self.at(here.lane));
        let thread = (at.warp, at.lane);
        self.proxy.mbarriers.tested(thread, mbarrier, asked, is_complete);
        let acquires = is_complete && semantics == Semantics::Orders;
        if let Some(weak) = &self.grid.weak
            && acquires
        {
            weak.wait(
                self.thread(here.lane),
                shared_word(self.grid.weak_block(self.warp.block), mbarrier.into()),
            );
        }
        self.notify(ProxyEvent::Tested { mbarrier, at, is_complete, acquires });
        Ok(is_complete)
    }

    /// Returns the object that a lane names.
    fn object(&mut self, here: Here) -> Step<Mbarrier> {
        let found = self.proxy.mbarriers.get(here.offset, self.shared);
        found.map_err(|absent| self.absent(here, absent))
    }

    /// Checks that an object exists at this offset, for an instruction that only names it.
    pub(super) fn expect_object(&mut self, offset: u32, lane: u32, name: &'static str) -> Step {
        self.object(Here { lane, offset, name }).map(drop)
    }

    /// Returns the shared-memory offset of the object at an address.
    pub(super) fn object_offset(
        &self,
        space: Space,
        address: u64,
        lane: u32,
        name: &str,
    ) -> Step<u32> {
        let fail = |kind, cause: String| Err(Trap::new(kind, Some(lane), cause));
        let offset = match space {
            Space::Generic if Target::of(address) == Target::Shared => {
                address.wrapping_sub(Target::Shared.window())
            }
            Space::Generic => {
                let cause = format!("`{name}` at {address:#x}, which is no shared memory");
                return fail(FaultKind::IllegalAddress, cause);
            }
            _ => address,
        };
        if (BLOCK_WINDOW..WINDOW_BYTES).contains(&offset) {
            let cause = format!(
                "`{name}` on an mbarrier of another block of the cluster, which is not supported here"
            );
            return fail(FaultKind::IllegalAddress, cause);
        }
        if !offset.is_multiple_of(MBARRIER_BYTES.into()) {
            let cause = format!(
                "misaligned `{name}` at {offset:#x}: the address of an mbarrier must be a multiple of {MBARRIER_BYTES}"
            );
            return fail(FaultKind::MisalignedAddress, cause);
        }
        let size = self.shared.len() as u64;
        if size < u64::from(MBARRIER_BYTES) || offset > size - u64::from(MBARRIER_BYTES) {
            let cause = format!(
                "out-of-bounds `{name}` in shared memory at {offset:#x}: there are {size} bytes"
            );
            let trap = Trap::new(FaultKind::IllegalAddress, Some(lane), cause);
            return Err(trap.within(Some(AccessSpace::Shared.into())));
        }
        Ok(offset as u32)
    }

    #[cold]
    fn absent(&mut self, here: Here, absent: Absent) -> Box<Trap> {
        if absent == Absent::Overwritten {
            let mbarrier = here.offset;
            self.notify(ProxyEvent::Overwritten { mbarrier });
        }
        let location = self.grid.kernel.shared_location(here.offset);
        let cause = format!("`{}` at {location}, {absent}", here.name);
        let trap = Trap::new(FaultKind::IllegalInstruction, Some(here.lane), cause);
        trap.detailed(FaultDetail::Mbarrier)
    }

    #[cold]
    fn misused(&self, here: Here, misuse: Misuse) -> Box<Trap> {
        let location = self.grid.kernel.shared_location(here.offset);
        let cause = format!("`{}` at {location}: {misuse}", here.name);
        let kind = match misuse {
            Misuse::TooManyArrivals { .. } => FaultKind::Overflow,
            _ => FaultKind::IllegalInstruction,
        };
        Trap::new(kind, Some(here.lane), cause).detailed(FaultDetail::Mbarrier)
    }

    pub(super) fn at(&self, lane: u32) -> At {
        At { warp: self.warp.index, lane, pc: self.pc }
    }

    #[inline(always)]
    pub(super) fn notify(&mut self, event: ProxyEvent) {
        if O::CHECKS {
            self.observer.proxy(&event);
        }
    }
}

/// Returns the effect of an arrival on its object.
fn arrived(
    object: &mut Mbarrier,
    kind: ArriveKind,
    count: u32,
    bytes: Option<u32>,
) -> Result<Completion, Misuse> {
    if let Some(bytes) = bytes {
        object.expect(bytes)?;
    }
    let phase = object.phase();
    match kind {
        ArriveKind::Arrive => object.arrive(count),
        ArriveKind::Drop => object.drop(count),
        ArriveKind::NoComplete => Mbarrier::keeps_promise(object.arrive(count)?, phase),
        ArriveKind::DropNoComplete => Mbarrier::keeps_promise(object.drop(count)?, phase),
    }
}

/// Returns the name of an instruction.
fn name(op: MbarrierOp) -> &'static str {
    match op {
        MbarrierOp::Init { .. } => "mbarrier.init",
        MbarrierOp::Inval => "mbarrier.inval",
        MbarrierOp::ExpectTx { .. } => "mbarrier.expect_tx",
        MbarrierOp::CompleteTx { .. } => "mbarrier.complete_tx",
        MbarrierOp::Arrive(arrive) => match (arrive.kind, arrive.expect) {
            (ArriveKind::Arrive, Some(_)) => "mbarrier.arrive.expect_tx",
            (ArriveKind::Arrive, None) => "mbarrier.arrive",
            (ArriveKind::NoComplete, _) => "mbarrier.arrive.noComplete",
            (ArriveKind::Drop | ArriveKind::DropNoComplete, _) => "mbarrier.arrive_drop",
        },
        MbarrierOp::Wait { .. } => "mbarrier.try_wait",
        MbarrierOp::AfterCopies { .. } => "cp.async.mbarrier.arrive",
    }
}
