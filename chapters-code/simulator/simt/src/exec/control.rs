//! Control flow of a warp's lanes: divergent branches, barriers, exits.

use std::sync::atomic::Ordering;

use ptx::ir::{Bar, BarKind, Branch, R32, Scope};

use super::{Exec, Flow, Pause, collective};
use crate::barrier::{Arrival, Waiter};
use crate::converge::Waiting;
use crate::fault::{FaultKind, Step, Trap};
use crate::observe::Observer;
use crate::registers::LaneMask;

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    /// Splits lanes at a divergent branch: some take it, the others do not.
    #[inline(never)]
    pub(super) fn diverge(&mut self, split: usize, branch: &Branch, taken: LaneMask) {
        self.observer.divergence();
        let targets = [branch.target, self.pc + 1];
        self.warp.splits.diverge(split, taken, targets, branch.reconverge);
    }

    pub(super) fn fence(&mut self, scope: Scope, active: LaneMask) {
        std::sync::atomic::fence(Ordering::SeqCst);
        self.observer.fence(self.warp.index, active, scope);
    }

    pub(super) fn exit(&mut self, split: usize, active: LaneMask) -> Flow {
        self.pc += 1;
        self.warp.has_changed = true;
        self.warp.splits.get_mut(split).pc = self.pc;
        self.warp.splits.exit(split, active);
        self.release_complete();
        self.pause(Pause::Exited(active))
    }

    /// Sends each lane to its target. The lanes with the first lane's target continue as this
    /// split.
    pub(super) fn branch_indexed(
        &mut self,
        split: usize,
        index: R32,
        targets: &[u32],
        meet: Option<u32>,
        active: LaneMask,
    ) -> Step<Flow> {
        let indices = self.warp.registers.r32(index);
        let lane = active.trailing_zeros();
        let chosen = indices[lane as usize];
        let Some(&target) = targets.get(chosen as usize) else {
            let cause = format!("branches to entry {chosen} of a table of {}", targets.len());
            return Err(Trap::new(FaultKind::IllegalInstruction, Some(lane), cause));
        };
        let taken = collective::alike(indices, active, chosen);
        if taken == active {
            self.pc = target;
            return Ok(Flow::Next);
        }
        self.observer.divergence();
        // The other lanes execute this instruction again and find a first lane of their own.
        let targets = [target, self.pc];
        self.warp.splits.diverge(split, taken, targets, meet);
        Ok(Flow::Switch)
    }

    /// Executes the usual barrier, for all threads of the block.
    #[inline(always)]
    pub(super) fn sync(&mut self, split: usize, id: u8, pc: u32, lanes: LaneMask) -> Flow {
        self.observer.barrier();
        self.barriers.arrive_simply(id, self.warp.index, lanes);
        let split = self.warp.splits.get_mut(split);
        (split.pc, split.waiting) = (pc, Waiting::Barrier(id));
        self.pause(Pause::Arrived(id))
    }

    pub(super) fn barrier(&mut self, split: usize, bar: &Bar, active: LaneMask) -> Step<Flow> {
        let id = self.first32(bar.id, active);
        if id > 15 {
            let cause = format!("barrier {id}: there are 16, numbered from 0");
            return Err(Trap::new(FaultKind::IllegalInstruction, None, cause));
        }
        let threads = bar.threads.map(|r| self.first32(r, active));
        let reduces = !matches!(bar.kind, BarKind::Sync | BarKind::Arrive);
        let votes = match bar.kind {
            BarKind::Sync | BarKind::Arrive => 0,
            BarKind::RedPopc { a, negated, .. }
            | BarKind::RedAnd { a, negated, .. }
            | BarKind::RedOr { a, negated, .. } => active & self.predicate(a, negated),
        };
        self.observer.barrier();
        self.warp.has_changed |= reduces;
        let id = id as u8;
        let arrival = Arrival { lanes: active, threads, votes, reduces };
        let warp = self.warp.index;
        if O::CHECKS
            && let Some(threads) = threads
        {
            let disagrees = self.barriers.disagrees(id, &arrival);
            let (lanes, pc) = (active, self.pc);
            let waiter = Waiter { warp, lanes, pc };
            self.observer.barrier_counts(waiter, threads, disagrees);
        }
        self.barriers.arrive(id, warp, &arrival);
        let split = self.warp.splits.get_mut(split);
        split.pc = self.pc;
        if matches!(bar.kind, BarKind::Arrive) {
            split.pc += 1;
        } else {
            split.waiting = Waiting::Barrier(id);
        }
        Ok(self.pause(Pause::Arrived(id)))
    }
}
