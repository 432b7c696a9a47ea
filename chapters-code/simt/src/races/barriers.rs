//! Barriers that not everybody reaches.
//!
//! **Detects**, when a barrier for the whole block lets threads pass,
//!
//! - threads that went round it: a branch led them past it to where the ways meet again, so that
//!   they never came, or came to a later barrier instead;
//! - lanes of one warp that wait at several of its barriers at once.
//!
//! On a GPU since Volta neither need hang: a thread that has exited is not waited for, and barriers
//! are told apart by their number alone. But `__syncthreads()` is defined in conditional code only
//! where the condition is the same for the whole block. Also reported are barriers for a number
//! of threads that is no multiple of 32, or that not all name alike.
//!
//! **What is no fault:** to return before the barrier (the branch's ways meet at the end of the
//! kernel); different warps at different barriers of one number on the two sides of a branch; named
//! barriers for some of the warps.
//!
//! **Can miss:** a barrier that all go round; what happened after more than one barrier that was
//! gone round. **May report wrongly:** threads that return before a barrier which they had gone
//! round, like all others, in an earlier round of a loop.
//!
//! For this the branches that lanes took since their last barrier are remembered, and beyond it those
//! whose ways have not met yet.

use std::collections::{HashMap, HashSet};

use ptx::ir::{Instruction, Op};

use super::Finding;
use crate::counters::lanes;
use crate::registers::LaneMask;

/// Lanes of a warp that wait at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiter {
    pub warp: u32,
    pub lanes: LaneMask,
    pub pc: u32,
}

/// A barrier that lets threads pass.
#[derive(Debug)]
pub(crate) struct Passing {
    /// Warps that take part, a bit each.
    pub warps: u32,
    /// True if the program names the number of threads.
    pub is_counted: bool,
    /// Those who wait.
    pub waiters: Vec<Waiter>,
    /// For each warp of the block, the lanes that have exited.
    pub exited: Vec<LaneMask>,
}

/// The lanes that took a branch, and those that did not.
type Ways = [LaneMask; 2];

/// The detector for one block at a time.
pub(super) struct Barriers<'a> {
    code: &'a [Instruction],
    /// The instructions that are branches with a condition.
    branches: Vec<u32>,
    /// For each instruction that is one, its place in that list.
    numbers: Vec<u32>,
    /// For each warp, branch by branch of that list.
    ways: Vec<Vec<Ways>>,
    /// For each instruction that is a barrier which lets lanes pass, the branches, by their places in
    /// the list, whose ways have met where it stands.
    met: Vec<Option<Vec<u32>>>,
    /// For a barrier, a branch, and whether it was taken: whether that way leads round the barrier.
    leads_round: HashMap<(u32, u32, bool), bool>,
    /// Exited lanes that a barrier has been checked for.
    checked: HashSet<(u32, u32, LaneMask)>,
}

impl<'a> Barriers<'a> {
    pub fn new(code: &'a [Instruction]) -> Self {
        let is_branch =
            |pc: &u32| matches!(&code[*pc as usize].op, Op::Bra(branch) if branch.guard.is_some());
        let branches: Vec<u32> = (0..code.len() as u32).filter(is_branch).collect();
        let mut numbers = vec![u32::MAX; code.len()];
        for (number, pc) in branches.iter().enumerate() {
            numbers[*pc as usize] = number as u32;
        }
        Self {
            code,
            branches,
            numbers,
            ways: Vec::new(),
            met: vec![None; code.len()],
            leads_round: HashMap::new(),
            checked: HashSet::new(),
        }
    }

    pub fn start_block(&mut self, warps: u32) {
        self.checked.clear();
        self.ways.resize_with(warps as usize, Vec::new);
        for ways in &mut self.ways {
            ways.clear();
            ways.resize(self.branches.len(), [0; 2]);
        }
    }

    /// A warp executes a branch that has a condition.
    #[inline(always)]
    pub fn branched(&mut self, warp: u32, pc: u32, taken: LaneMask, others: LaneMask) {
        let number = self.numbers[pc as usize];
        if let Some([a, b]) = self.ways[warp as usize].get_mut(number as usize) {
            *a |= taken;
            *b |= others;
        }
    }

    /// A barrier lets threads pass; `found` is told what is wrong with that.
    pub fn passed(&mut self, passing: &Passing, found: &mut dyn FnMut(Finding)) {
        if !passing.is_counted {
            self.check(passing, found);
        }
        for waiter in &passing.waiters {
            self.forget(waiter);
        }
    }

    fn check(&mut self, passing: &Passing, found: &mut dyn FnMut(Finding)) {
        let waiters = &passing.waiters[..];
        let together = waiters.iter().all(|w| w.pc == waiters[0].pc);
        if together && passing.exited.iter().all(|lanes| *lanes == 0) {
            return;
        }
        for (i, a) in waiters.iter().enumerate() {
            for b in &waiters[i + 1..] {
                if a.pc == b.pc {
                    continue;
                }
                if a.warp == b.warp {
                    found(Finding::SplitBarrier {
                        waiter: *a,
                        other: *b,
                    });
                    continue;
                }
                for (waiter, other) in [(a, b), (b, a)] {
                    if let Some(branch) = self.way_round(waiter.pc, other, Some(other.pc)) {
                        found(Finding::MissedBarrier {
                            waiter: *waiter,
                            absent: *other,
                            branch,
                        });
                    }
                }
            }
            self.check_exited(a, &passing.exited, found);
        }
    }

    fn check_exited(
        &mut self,
        waiter: &Waiter,
        exited: &[LaneMask],
        found: &mut dyn FnMut(Finding),
    ) {
        for (warp, &lanes) in exited.iter().enumerate().filter(|(_, lanes)| **lanes != 0) {
            let (warp, pc) = (warp as u32, waiter.pc);
            if !self.checked.insert((pc, warp, lanes)) {
                continue;
            }
            let absent = Waiter { warp, lanes, pc };
            if let Some(branch) = self.way_round(pc, &absent, None) {
                found(Finding::MissedBarrier {
                    waiter: *waiter,
                    absent,
                    branch,
                });
            }
        }
    }

    /// The branch by which some of these lanes went round the barrier at `barrier`, and past the
    /// place where its ways meet: they are at `now`, or have exited.
    fn way_round(&mut self, barrier: u32, absent: &Waiter, now: Option<u32>) -> Option<u32> {
        for number in 0..self.branches.len() {
            let pc = self.branches[number];
            let ways = self.ways[absent.warp as usize][number];
            for (lanes, taken) in ways.into_iter().zip([true, false]) {
                if lanes & absent.lanes != 0
                    && self.goes_round(barrier, pc, taken)
                    && now.is_none_or(|here| !self.is_within(here, pc))
                {
                    return Some(pc);
                }
            }
        }
        None
    }

    /// True if this way from a branch leads round a barrier to which the other way may lead.
    fn goes_round(&mut self, barrier: u32, branch: u32, taken: bool) -> bool {
        if let Some(known) = self.leads_round.get(&(barrier, branch, taken)) {
            return *known;
        }
        let answer = self.finds_goes_round(barrier, branch, taken);
        self.leads_round.insert((barrier, branch, taken), answer);
        answer
    }

    fn finds_goes_round(&self, barrier: u32, branch: u32, taken: bool) -> bool {
        let Some(Op::Bra(op)) = self.code.get(branch as usize).map(|i| &i.op) else {
            return false;
        };
        let Some(meet) = op.reconverge else {
            return false;
        };
        let is_end = matches!(self.code[meet as usize].op, Op::Exit);
        let (way, other) = if taken {
            (op.target, branch + 1)
        } else {
            (branch + 1, op.target)
        };
        !is_end && !self.reaches(way, barrier, meet) && self.reaches(other, barrier, meet)
    }

    /// True if `here` lies between a branch and where its ways meet.
    fn is_within(&self, here: u32, branch: u32) -> bool {
        let Op::Bra(op) = &self.code[branch as usize].op else {
            return false;
        };
        let meet = op.reconverge.unwrap_or(u32::MAX);
        self.reaches(op.target, here, meet) || self.reaches(branch + 1, here, meet)
    }

    /// True if control can come from one instruction to another without passing `meet`.
    fn reaches(&self, from: u32, to: u32, meet: u32) -> bool {
        let mut seen = vec![false; self.code.len()];
        let mut open = vec![from];
        while let Some(pc) = open.pop() {
            if pc == meet || seen.get(pc as usize).is_none_or(|seen| *seen) {
                continue;
            }
            if pc == to {
                return true;
            }
            seen[pc as usize] = true;
            successors(self.code, pc, &mut open);
        }
        false
    }

    /// Lanes go on behind a barrier: of the branches that they took, those remain whose ways have
    /// not met here.
    fn forget(&mut self, waiter: &Waiter) {
        let barrier = waiter.pc as usize;
        if self.met[barrier].is_none() {
            self.met[barrier] = Some(self.branches_met_at(waiter.pc));
        }
        let ways = &mut self.ways[waiter.warp as usize];
        for &branch in self.met[barrier].iter().flatten() {
            for lanes in &mut ways[branch as usize] {
                *lanes &= !waiter.lanes;
            }
        }
    }

    fn branches_met_at(&self, barrier: u32) -> Vec<u32> {
        let numbers = 0..self.branches.len() as u32;
        numbers
            .filter(|number| !self.is_within(barrier, self.branches[*number as usize]))
            .collect()
    }
}

/// Appends the instructions that may come after this one.
fn successors(code: &[Instruction], pc: u32, to: &mut Vec<u32>) {
    let instruction = &code[pc as usize];
    let mut guard = instruction.guard;
    if let Op::Bra(branch) = &instruction.op {
        to.push(branch.target);
        guard = branch.guard;
    }
    if let Op::BrxIdx { targets, .. } = &instruction.op {
        to.extend(targets.iter());
    }
    let leaves = matches!(
        instruction.op,
        Op::Bra(_) | Op::BrxIdx { .. } | Op::Exit | Op::Trap
    );
    if !leaves || guard.is_some() {
        to.push(pc + 1);
    }
}

impl Waiter {
    /// Its first lane.
    pub fn lane(&self) -> u32 {
        lanes(self.lanes).next().unwrap_or(0)
    }
}
