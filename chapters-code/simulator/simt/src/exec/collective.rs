//! Warp-wide operations: shuffles, votes, matches, reductions, `bar.warp.sync`.
//!
//! Each operation names the lanes that participate. Lanes in different splits wait for one another.
//! Exited lanes are not waited for.

use ptx::ir::{ClusterOp, Collective, CollectiveOp, Op, R32, ReduxOp, Src, Vote};

use super::rows::each_lane;
use super::{Exec, Flow};
use crate::barrier::Waiter;
use crate::converge::Waiting;
use crate::counters::lanes;
use crate::fault::{FaultDetail, FaultKind, Step, Trap};
use crate::observe::Observer;
use crate::registers::LaneMask;
use crate::schedule::mix;

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    /// Executes `bar.warp.sync`, or a collective computation.
    pub(super) fn collective(
        &mut self,
        split: usize,
        op: &Collective,
        active: LaneMask,
    ) -> Step<Flow> {
        let masks = self.warp.registers.r32(op.mask);
        let members = masks[active.trailing_zeros() as usize & 31];
        // All masks are compared at once, because nearly always all lanes have the same mask.
        let differing = masks.iter().fold(0, |all, mask| all | (mask ^ members));
        if differing == 0 && active & !members == 0 {
            return Ok(self.collective_together(split, op, members, active));
        }
        let masks = *masks;
        if let Some(lane) = lanes(active).find(|lane| masks[*lane as usize] >> lane & 1 == 0) {
            let own = masks[lane as usize];
            let cause = format!(
                "executes a warp-wide operation for the lanes {own:#010x}, but is not one of them"
            );
            let trap = Trap::new(FaultKind::IllegalInstruction, Some(lane), cause);
            return Err(trap.detailed(FaultDetail::LaneNotNamed));
        }
        let alike = alike(&masks, active, members);
        if alike != active {
            return Ok(self.collective_in_groups(split, op, &masks, active));
        }
        Ok(self.collective_together(split, op, members, active))
    }

    /// Executes the operation for lanes of one split that name the same lanes, including
    /// themselves.
    fn collective_together(
        &mut self,
        split: usize,
        op: &Collective,
        members: LaneMask,
        active: LaneMask,
    ) -> Flow {
        if members & self.warp.splits.alive() & !active == 0 {
            let is_sync = matches!(op.op, CollectiveOp::Sync);
            if O::CHECKS && is_sync && members & !active != 0 {
                let (warp, lanes, pc) = (self.warp.index, active, self.pc);
                self.observer.warp_passed(&[Waiter { warp, lanes, pc }], members);
            }
            self.combine(&op.op, active);
            self.pc += 1;
            return Flow::Next;
        }
        let waiting = match op.op {
            CollectiveOp::Sync => Waiting::WarpSync(members),
            CollectiveOp::Shfl(_)
            | CollectiveOp::Vote(_)
            | CollectiveOp::MatchAny { .. }
            | CollectiveOp::MatchAll { .. }
            | CollectiveOp::Redux { .. }
            | CollectiveOp::Elect { .. } => Waiting::Collective(members),
        };
        self.park(split, waiting);
        Flow::Switch
    }

    /// Executes `activemask`. With a seed, the lanes are those of two groups that execute it one after the
    /// other: no lane waits for another there, so each partition of the lanes is possible.
    pub(super) fn active_mask(&mut self, d: R32, active: LaneMask) {
        let grid = self.grid;
        let seed = grid.options.active_masks;
        let group = if seed == 0 { active } else { active & mix(seed ^ self.here()) as LaneMask };
        let masks = each_lane(|lane| if group >> lane & 1 == 1 { group } else { active & !group });
        self.write32(d, active, &masks);
    }

    /// Returns a number of this instruction of this warp.
    pub(super) fn here(&self) -> u64 {
        mix(mix(self.warp.block) ^ u64::from(self.warp.index) << 32 ^ u64::from(self.pc))
    }

    /// Whether an operation can proceed without the lanes of the split whose guard is false. It
    /// cannot if it waits for lanes that have not arrived.
    pub(super) fn proceeds_alone(&self, op: &Op, active: LaneMask) -> bool {
        match op {
            Op::Bar(_) | Op::Cluster(ClusterOp::Wait) => false,
            Op::Warp(Collective { mask, .. }) => {
                let (masks, alive) = (self.warp.registers.r32(*mask), self.warp.splits.alive());
                lanes(active).all(|lane| masks[lane as usize] & alive & !active == 0)
            }
            _ => true,
        }
    }

    /// Executes the operation for lanes of one split that name different lanes. If each named group
    /// is present, all of them can continue. Otherwise the first group becomes a split of its own.
    fn collective_in_groups(
        &mut self,
        split: usize,
        op: &Collective,
        masks: &[u32; 32],
        active: LaneMask,
    ) -> Flow {
        let alive = self.warp.splits.alive();
        let mut rest = active;
        let mut groups = Vec::new();
        while rest != 0 {
            let members = masks[rest.trailing_zeros() as usize];
            let group = alike(masks, active, members);
            groups.push(group);
            rest &= !group;
            if members & alive != group {
                self.warp.splits.diverge(split, group, [self.pc; 2], None);
                return Flow::Switch;
            }
        }
        for group in groups {
            self.combine(&op.op, group);
        }
        self.pc += 1;
        Flow::Next
    }

    fn park(&mut self, split: usize, waiting: Waiting) {
        let split = self.warp.splits.get_mut(split);
        (split.pc, split.waiting) = (self.pc, waiting);
        self.release_complete();
    }

    /// Lets a group continue if all its lanes have arrived. An arrival or an exit may cause that.
    pub(super) fn release_complete(&mut self) {
        while let Some(waiting) = self.complete() {
            let gathered = self.warp.splits.waiting_for(waiting);
            match waiting {
                Waiting::WarpSync(members) | Waiting::Collective(members) => {
                    if O::CHECKS && matches!(waiting, Waiting::WarpSync(_)) {
                        self.check_gathered(waiting, members);
                    }
                    self.combine_gathered(waiting, gathered);
                }
                Waiting::No
                | Waiting::Reconvergence
                | Waiting::Barrier(_)
                | Waiting::ClusterBarrier => {}
            }
            self.warp.splits.release(waiting);
        }
    }

    /// Returns a warp-wide operation for which no lane is missing.
    fn complete(&self) -> Option<Waiting> {
        let alive = self.warp.splits.alive();
        let is_complete = |waiting: &Waiting| match *waiting {
            Waiting::WarpSync(members) => {
                members & alive & !self.warp.splits.waiting_for(*waiting) == 0
            }
            Waiting::Collective(members) => {
                let same_instruction = self.common_pc(*waiting).is_some();
                same_instruction && members & alive & !self.warp.splits.waiting_for(*waiting) == 0
            }
            Waiting::No
            | Waiting::Reconvergence
            | Waiting::Barrier(_)
            | Waiting::ClusterBarrier => false,
        };
        self.warp.splits.iter().map(|p| p.waiting).find(is_complete)
    }

    /// Returns the instruction of all splits that wait for this, or `None` if there are several.
    fn common_pc(&self, waiting: Waiting) -> Option<u32> {
        let mut at = self.warp.splits.iter().filter(|p| p.waiting == waiting).map(|p| p.pc);
        let first = at.next()?;
        at.all(|pc| pc == first).then_some(first)
    }

    /// Reports to observers a `bar.warp.sync` that some lanes pass without the others.
    #[cold]
    fn check_gathered(&mut self, waiting: Waiting, members: LaneMask) {
        let gathered = self.warp.splits.waiting_for(waiting);
        if members & !gathered == 0 && self.common_pc(waiting).is_some() {
            return;
        }
        let splits = self.warp.splits.iter().filter(|p| p.waiting == waiting);
        let waiters: Vec<Waiter> = splits
            .map(|split| Waiter { warp: self.warp.index, lanes: split.mask, pc: split.pc })
            .collect();
        self.observer.warp_passed(&waiters, members);
    }

    fn combine_gathered(&mut self, waiting: Waiting, gathered: LaneMask) {
        // `__syncwarp` may be called at several instructions. Any of them serves for the report.
        let Some(pc) = self.warp.splits.iter().find(|p| p.waiting == waiting).map(|p| p.pc) else {
            return;
        };
        let grid = self.grid;
        let here = std::mem::replace(&mut self.pc, pc);
        if let Op::Warp(collective) = &grid.kernel.ir().code[pc as usize].op {
            self.combine(&collective.op, gathered);
        }
        self.pc = here;
    }

    /// Executes a collective for lanes that have all arrived.
    fn combine(&mut self, op: &CollectiveOp, active: LaneMask) {
        self.compute(op, active);
        let warp = self.warp.index;
        let is_shuffle = matches!(op, CollectiveOp::Shfl(_));
        if O::CHECKS && !is_shuffle && self.observer.has_undefined(warp) {
            self.observer.exchanged((warp, self.pc), op, active, None);
        }
    }

    fn compute(&mut self, op: &CollectiveOp, active: LaneMask) {
        match *op {
            CollectiveOp::Sync => {
                self.observer.warp_synchronised(self.warp.index, active);
                if let Some(weak) = &self.grid.weak {
                    weak.synchronise(self.thread(0), lanes(active));
                }
            }
            CollectiveOp::Shfl(shuffle) => self.shuffle(&shuffle, active),
            CollectiveOp::Vote(vote) => self.vote(vote, active),
            CollectiveOp::MatchAny { d, a } => self.match_any(d, a, active),
            CollectiveOp::MatchAll { d, pred, a } => {
                let first = self.key(a, active.trailing_zeros());
                let all = lanes(active).all(|lane| self.key(a, lane) == first);
                let result = if all { active } else { 0 };
                self.write32(d, active, &[result; 32]);
                if let Some(p) = pred {
                    self.warp.registers.set_pred(p, result, active);
                }
            }
            CollectiveOp::Redux { op, d, a } => {
                let values = *self.warp.registers.r32(a);
                let all = lanes(active).map(|lane| values[lane as usize]);
                let result = all.reduce(|x, y| redux(op, x, y)).unwrap_or(0);
                self.write32(d, active, &[result; 32]);
            }
            CollectiveOp::Elect { d, pred } => {
                let elected = active.trailing_zeros();
                if let Some(d) = d {
                    self.write32(d, active, &[elected; 32]);
                }
                self.warp.registers.set_pred(pred, 1 << elected, active);
            }
        }
    }

    fn vote(&mut self, vote: Vote, active: LaneMask) {
        let (Vote::All { a, negated, .. }
        | Vote::Any { a, negated, .. }
        | Vote::Uni { a, negated, .. }
        | Vote::Ballot { a, negated, .. }) = vote;
        let votes = active & self.predicate(a, negated);
        let (d, result) = match vote {
            Vote::Ballot { d, .. } => return self.write32(d, active, &[votes; 32]),
            Vote::All { d, .. } => (d, votes == active),
            Vote::Any { d, .. } => (d, votes != 0),
            Vote::Uni { d, .. } => (d, votes == active || votes == 0),
        };
        self.warp.registers.set_pred(d, if result { active } else { 0 }, active);
    }

    fn match_any(&mut self, d: R32, a: Src, active: LaneMask) {
        let mut result = [0; 32];
        for lane in lanes(active) {
            let key = self.key(a, lane);
            let equal = lanes(active).filter(|l| self.key(a, *l) == key);
            result[lane as usize] = equal.fold(0, |m, l| m | 1 << l);
        }
        self.write32(d, active, &result);
    }

    fn key(&self, a: Src, lane: u32) -> u64 {
        self.warp.registers.bits(a, lane)
    }
}

/// Returns the lanes of `active` that have this value, such as a mask of the lanes that they name.
pub(super) fn alike(values: &[u32; 32], active: LaneMask, value: u32) -> LaneMask {
    let same = lanes(active).filter(|lane| values[*lane as usize] == value);
    same.fold(0, |all, lane| all | 1 << lane)
}

fn redux(op: ReduxOp, x: u32, y: u32) -> u32 {
    match op {
        ReduxOp::Add => x.wrapping_add(y),
        ReduxOp::MinU32 => x.min(y),
        ReduxOp::MaxU32 => x.max(y),
        ReduxOp::MinS32 => (x as i32).min(y as i32) as u32,
        ReduxOp::MaxS32 => (x as i32).max(y as i32) as u32,
        ReduxOp::And => x & y,
        ReduxOp::Or => x | y,
        ReduxOp::Xor => x ^ y,
    }
}
