//! Divergence and reconvergence of the lanes of a warp.
//!
//! A warp is a set of **warp splits**: groups of lanes at the same instruction. A divergent branch
//! splits a group in two and records a **reconvergence point**: the branch's immediate
//! post-dominator and the lanes expected there. A split that reaches its point waits for the
//! others; when all have arrived or exited, they continue as one split. Compilers for Volta and
//! later do the same with convergence barriers.
//!
//! Each split makes progress independently of the others: if a split waits at a reconvergence point
//! while others of its warp keep polling memory, it eventually continues alone. Lanes that spin on
//! a lock can therefore never hold up the lane that owns it for good.
//!
//! With [`crate::Options::independent_lanes`] accesses to memory also divide splits, at no branch: see
//! `exec/independent.rs`. Such splits become one again where they pass a warp-wide operation or a barrier
//! together, or at a reconvergence point of both.
//!
//! Invariants: the masks of a warp's splits are disjoint, none is empty, and their union is the set
//! of lanes that have not exited. The `arrived` mask of a point is the union of the splits that
//! wait at it, and a subset of `expected`.

use crate::registers::LaneMask;

/// No reconvergence point.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Why a split does not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Waiting {
    /// The split can run.
    No,
    /// It is at its reconvergence point and waits for the other lanes.
    Reconvergence,
    /// It waits at a block barrier.
    Barrier(u8),
    /// It waits at the barrier of the cluster.
    ClusterBarrier,
    /// It waits at `bar.warp.sync` for these lanes.
    WarpSync(LaneMask),
    /// It waits at a shuffle, vote, match or reduction for these lanes.
    Collective(LaneMask),
}

/// A warp split: lanes at the same instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub pc: u32,
    pub mask: LaneMask,
    /// Index of the next reconvergence point of this split, or [`NOWHERE`].
    pub reconvergence: u32,
    pub waiting: Waiting,
}

/// An instruction at which lanes reconverge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Point {
    pc: u32,
    expected: LaneMask,
    arrived: LaneMask,
    /// Index of the next reconvergence point after this one.
    outer: u32,
}

/// The splits of a warp and their reconvergence points. A point with no expected lanes is free.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Splits {
    splits: Vec<Split>,
    points: Vec<Point>,
}

impl Splits {
    /// Starts with all lanes of `mask` at the first instruction.
    pub fn restart(&mut self, mask: LaneMask) {
        self.points.clear();
        self.splits.clear();
        self.splits.push(Split { pc: 0, mask, reconvergence: NOWHERE, waiting: Waiting::No });
    }

    /// Returns the lanes that have not exited.
    pub fn alive(&self) -> LaneMask {
        self.splits.iter().fold(0, |all, p| all | p.mask)
    }

    pub fn is_finished(&self) -> bool {
        self.splits.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Split> {
        self.splits.iter()
    }

    pub fn get_mut(&mut self, index: usize) -> &mut Split {
        &mut self.splits[index]
    }

    pub fn get(&self, index: usize) -> Split {
        self.splits[index]
    }

    /// Returns the instruction of a reconvergence point, or [`NOWHERE`].
    #[inline(always)]
    pub fn reconvergence_pc(&self, reconvergence: u32) -> u32 {
        if reconvergence == NOWHERE { NOWHERE } else { self.points[reconvergence as usize].pc }
    }

    /// Whether only another warp can let a split run again. May be false although it is true if
    /// there are several splits.
    #[inline(always)]
    pub fn is_stuck(&self) -> bool {
        match self.splits[..] {
            [] => true,
            [only] => !matches!(only.waiting, Waiting::No | Waiting::Reconvergence),
            _ => false,
        }
    }

    /// Returns the latest split that can run. If all wait, and some of them at a reconvergence
    /// point, those continue alone.
    #[inline(always)]
    pub fn runnable(&mut self) -> Option<usize> {
        match self.splits[..] {
            [only] if only.waiting == Waiting::No => Some(0),
            _ => self.runnable_of_several(),
        }
    }

    #[inline(never)]
    fn runnable_of_several(&mut self) -> Option<usize> {
        loop {
            let ready = self.splits.iter().rposition(|p| p.waiting == Waiting::No);
            if ready.is_some() || !self.give_up_reconvergence() {
                return ready;
            }
        }
    }

    /// Moves a split behind the others, so that they get a turn.
    pub fn rotate(&mut self, index: usize) {
        let split = self.splits.remove(index);
        self.splits.insert(0, split);
    }

    pub fn is_diverged(&self) -> bool {
        self.splits.len() > 1
    }

    pub fn count(&self) -> usize {
        self.splits.len()
    }

    /// Splits the lanes: `taken` goes to the first of two targets, the rest to the other. They
    /// reconverge at `meet`, if there is such an instruction.
    pub fn diverge(
        &mut self,
        index: usize,
        taken: LaneMask,
        [target, other]: [u32; 2],
        meet: Option<u32>,
    ) {
        let split = self.splits[index];
        let reconvergence = self.point_for(split, meet);
        self.splits[index] = Split { pc: target, mask: taken, reconvergence, waiting: Waiting::No };
        let rest = split.mask & !taken;
        self.splits.push(Split { pc: other, mask: rest, reconvergence, waiting: Waiting::No });
    }

    /// Returns the reconvergence point at `meet` for the lanes of `split`: the split's current one
    /// if it is at the same pc, else a new one.
    fn point_for(&mut self, split: Split, meet: Option<u32>) -> u32 {
        let Some(pc) = meet.filter(|pc| *pc != self.reconvergence_pc(split.reconvergence)) else {
            return split.reconvergence;
        };
        let new = Point { pc, expected: split.mask, arrived: 0, outer: split.reconvergence };
        match self.points.iter().position(|point| point.expected == 0) {
            Some(free) => {
                self.points[free] = new;
                free as u32
            }
            None => {
                self.points.push(new);
                self.points.len() as u32 - 1
            }
        }
    }

    /// Handles the arrival of a split at its reconvergence point. Splits that have all arrived
    /// become one.
    pub fn arrive(&mut self, index: usize) {
        let split = &mut self.splits[index];
        split.waiting = Waiting::Reconvergence;
        let reconvergence = split.reconvergence;
        self.points[reconvergence as usize].arrived |= split.mask;
        self.merge_if_complete(reconvergence);
    }

    fn merge_if_complete(&mut self, reconvergence: u32) {
        let point = self.points[reconvergence as usize];
        if point.arrived != point.expected || point.expected == 0 {
            return;
        }
        self.splits
            .retain(|p| !(p.reconvergence == reconvergence && p.waiting == Waiting::Reconvergence));
        let waiting = Waiting::No;
        self.splits.push(Split {
            pc: point.pc,
            mask: point.expected,
            reconvergence: point.outer,
            waiting,
        });
        self.points[reconvergence as usize].expected = 0;
    }

    /// Removes exited lanes from a split. Returns true if the split is empty and was removed.
    pub fn exit(&mut self, index: usize, lanes: LaneMask) -> bool {
        let split = &mut self.splits[index];
        split.mask &= !lanes;
        let gone = split.mask == 0;
        if gone {
            self.splits.remove(index);
        }
        for index in 0..self.points.len() {
            if self.points[index].expected & lanes != 0 {
                self.points[index].expected &= !lanes;
                self.merge_if_complete(index as u32);
            }
        }
        gone
    }

    /// Lets the split that has waited longest at a reconvergence point continue alone. Returns
    /// false if there is none.
    pub fn give_up_reconvergence(&mut self) -> bool {
        let waits = |p: &Split| p.waiting == Waiting::Reconvergence;
        let Some(index) = self.splits.iter().position(waits) else {
            return false;
        };
        let split = self.splits[index];
        let point = &mut self.points[split.reconvergence as usize];
        point.expected &= !split.mask;
        point.arrived &= !split.mask;
        let outer = point.outer;
        self.splits[index] = Split { reconvergence: outer, waiting: Waiting::No, ..split };
        self.merge_if_complete(split.reconvergence);
        true
    }

    /// Returns the lanes that wait for the same as `waiting`.
    pub fn waiting_for(&self, waiting: Waiting) -> LaneMask {
        self.splits.iter().filter(|p| p.waiting == waiting).fold(0, |all, p| all | p.mask)
    }

    /// Lets the splits that wait for this continue after the instruction at which they wait.
    #[inline(always)]
    pub fn release(&mut self, waiting: Waiting) {
        if let [only] = &mut self.splits[..] {
            if only.waiting == waiting {
                only.waiting = Waiting::No;
                only.pc += 1;
            }
            return;
        }
        self.release_several(waiting);
    }

    #[inline(never)]
    fn release_several(&mut self, waiting: Waiting) {
        for split in self.splits.iter_mut().filter(|p| p.waiting == waiting) {
            split.waiting = Waiting::No;
            split.pc += 1;
        }
        if self.is_diverged() {
            self.join_equal();
        }
    }

    /// Joins runnable splits that are at the same instruction and have the same reconvergence
    /// point.
    fn join_equal(&mut self) {
        let mut i = 0;
        while i < self.splits.len() {
            let a = self.splits[i];
            let twin = |b: &Split| {
                b.waiting == Waiting::No && (b.pc, b.reconvergence) == (a.pc, a.reconvergence)
            };
            let later = self.splits[i + 1..].iter().position(twin);
            match later.filter(|_| a.waiting == Waiting::No) {
                Some(offset) => {
                    let b = self.splits.remove(i + 1 + offset);
                    self.splits[i].mask |= b.mask;
                }
                None => i += 1,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start() -> Splits {
        let mut splits = Splits::default();
        splits.restart(LaneMask::MAX);
        splits
    }

    fn at(splits: &mut Splits, index: usize, pc: u32) {
        splits.get_mut(index).pc = pc;
    }

    #[test]
    fn lanes_that_part_meet_again() {
        let mut splits = start();
        splits.diverge(0, 0xff, [10, 6], Some(20));
        assert_eq!(
            splits.iter().map(|p| (p.pc, p.mask)).collect::<Vec<_>>(),
            [(10, 0xff), (6, !0xff)]
        );
        at(&mut splits, 1, 20);
        splits.arrive(1);
        assert_eq!(splits.runnable(), Some(0));
        at(&mut splits, 0, 20);
        splits.arrive(0);
        let whole = splits.get(0);
        assert_eq!((whole.pc, whole.mask, whole.reconvergence), (20, LaneMask::MAX, NOWHERE));
    }

    #[test]
    fn exited_lanes_are_not_waited_for() {
        let mut splits = start();
        splits.diverge(0, 0xff, [10, 1], Some(20));
        at(&mut splits, 1, 20);
        splits.arrive(1);
        assert!(splits.exit(0, 0xff));
        assert_eq!(splits.get(0).mask, !0xff);
        assert_eq!(splits.get(0).waiting, Waiting::No);
    }

    #[test]
    fn a_loop_needs_one_meeting_however_often_lanes_leave_it() {
        let mut splits = start();
        for lane in 0..31 {
            let running = splits.runnable().unwrap();
            let mask = splits.get(running).mask;
            // This is the backward branch at 7: all lanes but one go back to 3.
            splits.diverge(running, mask & !(1 << lane), [3, 8], Some(8));
            let left = splits.runnable().unwrap();
            assert_eq!(splits.get(left).pc, 8);
            splits.arrive(left);
        }
        assert_eq!(splits.points.len(), 1);
        let last = splits.runnable().unwrap();
        at(&mut splits, last, 8);
        splits.arrive(last);
        assert_eq!((splits.get(0).mask, splits.is_diverged()), (LaneMask::MAX, false));
    }

    #[test]
    fn a_path_that_waits_in_vain_goes_on() {
        let mut splits = start();
        splits.diverge(0, 0xff, [10, 1], Some(20));
        at(&mut splits, 1, 20);
        splits.arrive(1);
        splits.get_mut(0).waiting = Waiting::Barrier(0);
        assert_eq!(splits.runnable(), Some(1));
        splits.release(Waiting::Barrier(0));
        at(&mut splits, 0, 20);
        splits.arrive(0);
        assert_eq!(splits.get(splits.splits.len() - 1).mask, 0xff);
    }

    #[test]
    fn equal_paths_join_at_a_release() {
        let mut splits = start();
        splits.diverge(0, 0xff, [6, 1], None);
        for index in 0..2 {
            at(&mut splits, index, 9);
            splits.get_mut(index).waiting = Waiting::WarpSync(LaneMask::MAX);
        }
        assert_eq!(splits.waiting_for(Waiting::WarpSync(LaneMask::MAX)), LaneMask::MAX);
        splits.release(Waiting::WarpSync(LaneMask::MAX));
        assert_eq!((splits.get(0).pc, splits.get(0).mask), (10, LaneMask::MAX));
    }
}
