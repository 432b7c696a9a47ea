//! The loop over the instructions of a warp's paths.

use ptx::ir::{Branch, Guard, Pred};

use super::code::{Ready, Work};
use super::{Exec, Flow, Pause};
use crate::alu;
use crate::fault::Step;
use crate::observe::Observer;
use crate::registers::LaneMask;

/// How many times a path may poll memory before another gives up waiting for it at a meeting.
const PATIENCE: u32 = 1024;
/// How many polls of a warp in a row, between which it changes nothing, end its time slice.
const SPINS: u32 = 16;

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    #[inline(always)]
    pub(super) fn run_paths_inline(&mut self) -> Step {
        loop {
            let Some(path) = self.warp.paths.runnable() else {
                let finished = self.warp.paths.is_finished();
                *self.pause = if finished {
                    Pause::Finished
                } else {
                    Pause::Blocked
                };
                return Ok(());
            };
            if self.budget == 0 {
                self.end_slice(path);
                *self.pause = Pause::SliceOver;
                return Ok(());
            }
            if matches!(self.run_path(path)?, Flow::Pause) {
                return Ok(());
            }
        }
    }

    /// Lets the other paths have their turn. If this one seems to spin, for what a path that waits
    /// for it at a meeting would do, that one goes on alone.
    pub(super) fn end_slice(&mut self, running: usize) {
        let warp = &mut *self.warp;
        if !warp.paths.is_diverged() {
            warp.polls = 0;
            return;
        }
        warp.paths.rotate(running);
        if warp.polls >= PATIENCE && warp.paths.give_up_meeting() {
            warp.polls = 0;
        }
    }

    /// A path waits for what others do: ends the warp's time slice. It will go on at `pc`.
    pub(super) fn spin(&mut self, path: usize, pc: u32) -> Flow {
        self.warp.spins = 0;
        self.warp.paths.get_mut(path).pc = pc;
        self.end_slice(path);
        self.pause(Pause::Spinning)
    }

    /// Runs a path until it is not the one to run any more, or its time is over.
    #[inline(always)]
    fn run_path(&mut self, path: usize) -> Step<Flow> {
        let state = self.warp.paths.get(path);
        self.pc = state.pc;
        let budget = self.budget;
        let flow = self.run_lanes(path, state.mask, state.meeting);
        self.observer.instructions(budget - self.budget, state.mask);
        flow
    }

    /// The loop over the instructions of one path. What it needs of `self` for each of them is in
    /// local variables.
    #[inline(always)]
    fn run_lanes(&mut self, path: usize, mask: LaneMask, meeting: u32) -> Step<Flow> {
        let grid = self.grid;
        let steps = &grid.steps.all[..];
        let meeting = self.warp.paths.meeting_pc(meeting);
        let (mut pc, mut budget) = (self.pc, self.budget);
        while budget > 0 {
            let step = &steps[pc as usize];
            let mut active = mask;
            if step.special {
                if pc == meeting {
                    self.budget = budget;
                    self.warp.paths.get_mut(path).pc = pc;
                    self.warp.paths.arrive(path);
                    return Ok(Flow::Switch);
                }
                active = self.guarded(step, mask);
            }
            budget -= 1;
            if O::TRACES {
                self.observer.instruction(self.warp.index, pc, active);
            }
            if step.special && active == 0 {
                pc += 1;
                continue;
            }
            let mut branch = None;
            match &step.work {
                &Work::Alu { index, straight } => {
                    let more = self.arithmetic(index, straight, active, budget);
                    (pc, budget) = (pc + more, budget - more);
                    // Most often a branch comes next.
                    if more > 0 && budget > 0 {
                        branch = steps.get(pc as usize + 1).and_then(Ready::plain_branch);
                    }
                    if branch.is_some() {
                        (pc, budget) = (pc + 1, budget - 1);
                    }
                }
                Work::Branch(own) => branch = Some(own),
                Work::Sync(id) => {
                    self.budget = budget;
                    return Ok(self.sync(path, *id, pc, mask));
                }
                Work::Other => {
                    (self.pc, self.budget) = (pc, budget);
                    match self.execute_rare(path, active, mask)? {
                        Flow::Next => {}
                        flow => return Ok(flow),
                    }
                    pc = self.pc;
                    continue;
                }
                Work::Load(load, shape) => {
                    (self.pc, self.budget) = (pc, budget);
                    self.load(load, *shape, active)?;
                    self.moved(active);
                }
                Work::LoadWords(load, shape) => {
                    (self.pc, self.budget) = (pc, budget);
                    if !self.load_words(load, shape.read_only, active) {
                        self.load(load, *shape, active)?;
                    }
                    self.moved(active);
                }
                Work::StoreWords(store, shape) => {
                    (self.pc, self.budget) = (pc, budget);
                    if !self.store_words(store, active) {
                        self.store(store, *shape, active)?;
                    }
                    self.moved(active);
                }
                Work::Poll(load, shape) => {
                    (self.pc, self.budget) = (pc, budget);
                    self.load(load, *shape, active)?;
                    self.moved(active);
                    if self.warp.spins >= SPINS {
                        return Ok(self.spin(path, pc + 1));
                    }
                }
                Work::Store(store, shape) => {
                    (self.pc, self.budget) = (pc, budget);
                    self.store(store, *shape, active)?;
                    self.moved(active);
                }
                Work::Atom(atom) => {
                    (self.pc, self.budget) = (pc, budget);
                    self.atomic(atom, active)?;
                    self.moved(active);
                    if self.warp.spins >= SPINS {
                        return Ok(self.spin(path, pc + 1));
                    }
                }
                Work::Fill32(d, value) => {
                    (self.pc, self.budget) = (pc, budget);
                    self.fill(*d, *value, active);
                    self.moved(active);
                }
                Work::Fill64(d, value) => {
                    (self.pc, self.budget) = (pc, budget);
                    self.fill64(*d, *value, active);
                    self.moved(active);
                }
            }
            pc = match branch {
                None => pc + 1,
                Some(branch) => match self.branch(path, branch, mask, (pc, budget)) {
                    Some(next) => next,
                    None => return Ok(Flow::Switch),
                },
            };
        }
        self.budget = budget;
        self.warp.paths.get_mut(path).pc = pc;
        Ok(Flow::Switch)
    }

    /// Executes an instruction from register to register, and those that follow straight on; returns
    /// how many of them.
    #[inline(always)]
    fn arithmetic(&mut self, index: u32, straight: u32, active: LaneMask, budget: u32) -> u32 {
        let (grid, registers) = (self.grid, &mut self.warp.registers);
        let all = &grid.steps.alu[index as usize..];
        if straight > 1 && !O::TRACES {
            let more = (straight - 1).min(budget);
            alu::execute_all(&all[..=more as usize], registers, active, &grid.windows);
            return more;
        }
        all[0].execute(registers, active, &grid.windows);
        0
    }

    /// The lanes that execute an instruction with a guard.
    #[inline(always)]
    fn guarded(&mut self, step: &Ready<'_>, mask: LaneMask) -> LaneMask {
        let Some(guard) = step.guard else {
            return mask;
        };
        let active = mask & self.guard(guard);
        self.observer.guarded(mask & !active);
        active
    }

    #[inline(always)]
    fn guard(&self, guard: Guard) -> LaneMask {
        self.predicate(guard.pred, guard.negated)
    }

    #[inline(always)]
    pub(super) fn predicate(&self, pred: Pred, negated: bool) -> LaneMask {
        let value = self.warp.registers.pred(pred);
        if negated { !value } else { value }
    }

    /// A branch at `pc`: where all lanes of the path go on, or `None` if they part.
    #[inline(always)]
    fn branch(
        &mut self,
        path: usize,
        branch: &Branch,
        mask: LaneMask,
        (pc, budget): (u32, u32),
    ) -> Option<u32> {
        let taken = self.taken(branch, mask);
        if O::CHECKS && branch.guard.is_some() {
            let others = mask & !taken;
            self.observer.branched(self.warp.index, pc, taken, others);
        }
        if taken == mask {
            return Some(branch.target);
        }
        if taken == 0 {
            return Some(pc + 1);
        }
        (self.pc, self.budget) = (pc, budget);
        self.part(path, branch, taken);
        None
    }

    /// The lanes that take a branch.
    #[inline(always)]
    fn taken(&self, branch: &Branch, mask: LaneMask) -> LaneMask {
        match branch.guard {
            None => mask,
            Some(guard) => mask & self.guard(guard),
        }
    }

    /// What reads or writes memory has been executed.
    #[inline(always)]
    fn moved(&mut self, active: LaneMask) {
        if O::TRACES {
            let op = &self.grid.kernel.ir().code[self.pc as usize].op;
            self.observer.moved(op, &self.warp.registers, active);
        }
    }
}
