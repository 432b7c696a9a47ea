//! Barriers that not all threads reach.
//!
//! **Detects**, when a barrier for the whole block lets threads pass,
//!
//! - threads that went round it: a branch led them past it to the branch's reconvergence point, so
//!   that they never arrived, or arrived at a later barrier instead;
//! - threads that wait at different `__syncthreads()` of the source, for example one on each side
//!   of a branch;
//! - lanes of one warp that wait at several of the block's barriers at once.
//!
//! It also detects the first of these at `__syncwarp()`, for the lanes that its mask names.
//!
//! On a GPU since Volta none of this needs to hang: exited threads are not waited for, and barriers
//! are distinguished by their number alone. But in conditional code `__syncthreads()` is defined
//! only if the condition is the same for the whole block, and one statement is one barrier. The
//! compiler may copy a statement, so statements are compared and not instructions (see
//! [`ptx::ir::Bar::origin`]). Also reported are barriers for a number of threads that is no
//! multiple of 32, or for which threads name different numbers.
//!
//! **A note, not a fault:** a return before the barrier of threads that are not the last of the block in
//! some direction. A barrier inside `if (c)` at the end of a kernel has the same PTX.
//!
//! **Not a fault:** any other return before the barrier (the branch reconverges at the end of the kernel);
//! a barrier for a stated number of threads, or `barrier.sync` without `.aligned`, at different
//! statements; `__syncwarp()` at different statements.
//!
//! Any path to the end of the kernel counts as a return, with two exceptions: its branch is on the
//! barrier's own line (`if (c) __syncthreads();`), or the threads that take it passed the same
//! barrier earlier (a loop that they leave before others).
//!
//! **Can miss:** a barrier that threads skip on their way to the kernel's end
//! (`barrier_skipped_on_the_way_out`); warps that iterate a loop differently often, with the same
//! number of barriers (`rounds_differ_in_between`); a barrier under a guard that is no branch
//! (`barrier_under_a_guard`); different statements in code without line information. **May report
//! wrongly:** threads that return before a barrier which all threads had skipped in an earlier
//! iteration of a loop.
//!
//! The detector remembers the branches that lanes took since their last barrier, and older ones
//! that have not reconverged yet.

use std::collections::{HashMap, HashSet};

use ptx::ir::{Instruction, Op};

use super::Finding;
use super::branches::Branches;
use crate::barrier::{Passing, Waiter};
use crate::registers::LaneMask;

/// The identity of a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Statement {
    /// The statement of the source with this number.
    Source(u32),
    /// The instruction, if there is no line information.
    Instruction(u32),
}

impl Statement {
    /// Returns the statement of an instruction, if it is a barrier of the block.
    fn of(code: &[Instruction], pc: u32) -> Option<Self> {
        match &code[pc as usize].op {
            Op::Bar(bar) => Some(bar.origin.map_or(Self::Instruction(pc), Self::Source)),
            _ => None,
        }
    }
}

/// The lanes that took a branch, and those that did not.
type Ways = [LaneMask; 2];

/// The detector for one block at a time.
pub(super) struct Barriers<'a> {
    code: &'a [Instruction],
    /// The instructions that are branches with a condition.
    branches: Vec<u32>,
    /// For each branch instruction its index in `branches`. For each barrier instruction a number
    /// that all copies of the same statement share.
    numbers: Vec<u32>,
    /// The number of different barrier statements.
    statements: usize,
    /// For each warp and barrier statement, the lanes that have passed it.
    passed: Vec<LaneMask>,
    /// For each warp, one entry per branch in `branches`.
    ways: Vec<Vec<Ways>>,
    /// For each barrier instruction that has let lanes pass, the branches (as indices into
    /// `branches`) that have reconverged where it is.
    met: Vec<Option<Vec<u32>>>,
    flow: Branches<'a>,
    /// Exited lanes for which a barrier has been checked.
    checked: HashSet<(u32, u32, LaneMask)>,
    /// Threads of a block in x, y and z.
    shape: [u32; 3],
}

impl<'a> Barriers<'a> {
    pub fn new(code: &'a [Instruction], shape: [u32; 3]) -> Self {
        let is_branch =
            |pc: &u32| matches!(&code[*pc as usize].op, Op::Bra(branch) if branch.guard.is_some());
        let branches: Vec<u32> = (0..code.len() as u32).filter(is_branch).collect();
        let mut numbers = vec![u32::MAX; code.len()];
        for (number, pc) in branches.iter().enumerate() {
            numbers[*pc as usize] = number as u32;
        }
        let mut statements = HashMap::new();
        for (pc, number) in numbers.iter_mut().enumerate() {
            if let Some(statement) = Statement::of(code, pc as u32) {
                let next = statements.len() as u32;
                *number = *statements.entry(statement).or_insert(next);
            }
        }
        Self {
            code,
            branches,
            numbers,
            statements: statements.len(),
            passed: Vec::new(),
            ways: Vec::new(),
            met: vec![None; code.len()],
            flow: Branches::new(code),
            checked: HashSet::new(),
            shape,
        }
    }

    pub fn start_block(&mut self, warps: u32) {
        self.checked.clear();
        self.ways.resize_with(warps as usize, Vec::new);
        for ways in &mut self.ways {
            ways.clear();
            ways.resize(self.branches.len(), [0; 2]);
        }
        self.passed.clear();
        self.passed.resize(warps as usize * self.statements, 0);
    }

    /// Notes that a warp executes a conditional branch.
    #[inline(always)]
    pub fn branched(&mut self, warp: u32, pc: u32, taken: LaneMask, others: LaneMask) {
        let number = self.numbers[pc as usize];
        if let Some([a, b]) = self.ways[warp as usize].get_mut(number as usize) {
            *a |= taken;
            *b |= others;
        }
    }

    /// Checks a barrier that lets threads pass, and calls `found` with each finding.
    pub fn passed(&mut self, passing: &Passing, found: &mut dyn FnMut(Finding)) {
        if !passing.is_counted {
            self.check(passing, found);
        }
        for waiter in &passing.waiters {
            let index_of = self.index_of(waiter.pc, waiter.warp);
            self.passed[index_of] |= waiter.lanes;
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
            for b in waiters[i + 1..].iter().filter(|b| b.pc != a.pc) {
                self.check_apart(a, b, found);
            }
            for (warp, &lanes) in passing.exited.iter().enumerate() {
                if self.check_exited(a, warp as u32, lanes, found) {
                    self.note_left(a, warp as u32, &passing.exited, found);
                }
            }
        }
    }

    /// Notes that threads have returned before a barrier, unless they are the last of the block in some
    /// direction, as those are that have no data.
    fn note_left(
        &mut self,
        waiter: &Waiter,
        warp: u32,
        exited: &[LaneMask],
        found: &mut dyn FnMut(Finding),
    ) {
        let absent = Waiter { warp, lanes: exited[warp as usize], pc: waiter.pc };
        if !is_end_of_block(exited, self.shape)
            && let Some(branch) = self.way_round(waiter.pc, &absent, |_, _, _| true)
        {
            found(Finding::LeftBarrier { waiter: *waiter, absent, branch });
        }
    }

    /// Checks threads that wait at two instructions.
    fn check_apart(&mut self, a: &Waiter, b: &Waiter, found: &mut dyn FnMut(Finding)) {
        let statements = [a, b].map(|waiter| Statement::of(self.code, waiter.pc));
        let are_known =
            matches!(statements, [Some(Statement::Source(_)), Some(Statement::Source(_))]);
        let differ = statements[0] != statements[1];
        let is_split = a.warp == b.warp && differ;
        if !is_split && (self.is_missed(a, b, found) || self.is_missed(b, a, found)) {
            return;
        }
        let are_aligned = [a, b].iter().all(|waiter| self.is_aligned(waiter.pc));
        if are_aligned && (is_split || are_known && differ) {
            found(Finding::SplitBarrier { waiter: *a, other: *b });
        }
    }

    /// Reports threads that wait elsewhere if they have gone round this barrier.
    fn is_missed(
        &mut self,
        waiter: &Waiter,
        absent: &Waiter,
        found: &mut dyn FnMut(Finding),
    ) -> bool {
        let branch = self
            .way_round(waiter.pc, absent, |all, branch, _| !all.flow.is_within(absent.pc, branch));
        if let Some(branch) = branch {
            found(Finding::MissedBarrier { waiter: *waiter, absent: *absent, branch });
        }
        branch.is_some()
    }

    /// Checks lanes of a warp that have exited while others wait. Returns whether they are new and have
    /// returned before the barrier.
    fn check_exited(
        &mut self,
        waiter: &Waiter,
        warp: u32,
        lanes: LaneMask,
        found: &mut dyn FnMut(Finding),
    ) -> bool {
        let pc = waiter.pc;
        if lanes == 0 || !self.checked.insert((pc, warp, lanes)) {
            return false;
        }
        let absent = Waiter { warp, lanes, pc };
        let missed = self
            .way_round(pc, &absent, |all, branch, lanes| !all.is_return(pc, branch, (warp, lanes)));
        if let Some(branch) = missed {
            found(Finding::MissedBarrier { waiter: *waiter, absent, branch });
        }
        missed.is_none()
    }

    /// Checks a `__syncwarp()` for the lanes `members` that lets lanes pass although some have
    /// exited or wait at other instructions.
    pub fn warp_passed(
        &mut self,
        waiters: &[Waiter],
        members: LaneMask,
        found: &mut dyn FnMut(Finding),
    ) {
        let present = waiters.iter().fold(0, |all, waiter| all | waiter.lanes);
        for a in waiters {
            for b in waiters.iter().filter(|b| b.pc != a.pc) {
                self.is_missed(a, b, found);
            }
            self.check_exited(a, a.warp, members & !present, found);
        }
        for waiter in waiters {
            self.forget(waiter);
        }
    }

    /// Returns the branch by which some of these lanes went round the barrier at `barrier`, of those
    /// branches that `counts` accepts with the lanes.
    fn way_round(
        &mut self,
        barrier: u32,
        absent: &Waiter,
        counts: impl Fn(&Self, u32, LaneMask) -> bool,
    ) -> Option<u32> {
        for number in 0..self.branches.len() {
            let pc = self.branches[number];
            let ways = self.ways[absent.warp as usize][number];
            for (lanes, taken) in ways.into_iter().zip([true, false]) {
                let lanes = lanes & absent.lanes;
                if lanes != 0 && self.flow.goes_round(barrier, pc, taken) && counts(self, pc, lanes)
                {
                    return Some(pc);
                }
            }
        }
        None
    }

    /// Whether exited lanes that went round a barrier by this branch count as having returned
    /// before it.
    fn is_return(&self, barrier: u32, branch: u32, (warp, lanes): (u32, LaneMask)) -> bool {
        self.flow.meet_at_end(branch)
            && !self.is_guarded_by(barrier, branch)
            && !self.has_passed(barrier, warp, lanes)
    }

    /// Whether a line of the source holds only a branch and a barrier.
    fn is_guarded_by(&self, barrier: u32, branch: u32) -> bool {
        let line = self.code[barrier as usize].source;
        let stores = |i: &Instruction| i.source == line && matches!(i.op, Op::St(_) | Op::Atom(_));
        line.file.is_some()
            && self.code[branch as usize].source == line
            && !self.code.iter().any(stores)
    }

    /// Whether some of these lanes have passed the same barrier before.
    fn has_passed(&self, barrier: u32, warp: u32, lanes: LaneMask) -> bool {
        Statement::of(self.code, barrier).is_some()
            && self.passed[self.index_of(barrier, warp)] & lanes != 0
    }

    /// Returns the index in [`Self::passed`] of a barrier and a warp.
    fn index_of(&self, barrier: u32, warp: u32) -> usize {
        warp as usize * self.statements + self.numbers[barrier as usize] as usize
    }

    fn is_aligned(&self, barrier: u32) -> bool {
        matches!(&self.code[barrier as usize].op, Op::Bar(bar) if bar.aligned)
    }

    /// Lanes continue behind a barrier: only branches that have not reconverged here are still
    /// remembered.
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
            .filter(|number| !self.flow.is_within(barrier, self.branches[*number as usize]))
            .collect()
    }
}

/// Whether exited threads are the last of their block, in the order of their numbers or in x, y or z.
fn is_end_of_block(exited: &[LaneMask], [nx, ny, nz]: [u32; 3]) -> bool {
    let stays = |thread: &u32| exited[*thread as usize / 32] >> (thread % 32) & 1 == 0;
    let place = |thread: u32| [thread % nx, thread / nx % ny, thread / nx / ny];
    let (count, total) = ((0..nx * ny * nz).filter(stays).count() as u32, nx * ny * nz);
    let mut past = [0; 3];
    for thread in (0..total).filter(stays) {
        for (past, at) in past.iter_mut().zip(place(thread)) {
            *past = (*past).max(at + 1);
        }
    }
    (0..count).all(|thread| stays(&thread)) || past.iter().product::<u32>() == count
}

#[cfg(test)]
mod tests {
    use super::is_end_of_block;

    #[test]
    fn threads_without_data_are_the_last() {
        for (exited, shape) in [
            (&[0xffff_0000, !0][..], [64, 1, 1]),
            (&[0xf0f0_f0f0, 0xf0f0_f0f0], [8, 8, 1]),
            (&[0xf0f0_f0f0, !0], [8, 8, 1]),
            (&[0, 0xffff_0000], [4, 4, 4]),
        ] {
            assert!(is_end_of_block(exited, shape), "{exited:x?} {shape:?}");
        }
        for (exited, shape) in [
            (&[0xaaaa_aaaa, 0xaaaa_aaaa][..], [64, 1, 1]),
            (&[!0, 0], [64, 1, 1]),
            (&[1, 0], [64, 1, 1]),
            (&[0x0f0f_0f0f, 0x0f0f_0f0f], [8, 8, 1]),
        ] {
            assert!(!is_end_of_block(exited, shape), "{exited:x?} {shape:?}");
        }
    }
}
