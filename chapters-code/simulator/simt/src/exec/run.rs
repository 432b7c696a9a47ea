//! The loop over the instructions of a warp's splits.

use ptx::ir::{Branch, Guard, Pred};

use super::code::{Instr, Kind};
use super::{Exec, Flow, Pause};
use crate::alu;
use crate::fault::Step;
use crate::observe::Observer;
use crate::registers::LaneMask;

/// Polls of memory by a split after which another stops waiting for it at a reconvergence point.
const PATIENCE: u32 = 1024;
/// Consecutive polls of a warp without a change in between that end its time slice.
pub(super) const SPINS: u32 = 16;

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    #[inline(always)]
    pub(super) fn run_splits_inline(&mut self) -> Step {
        loop {
            let Some(split) = self.warp.splits.runnable() else {
                let finished = self.warp.splits.is_finished();
                *self.pause = if finished { Pause::Finished } else { Pause::Blocked };
                return Ok(());
            };
            if self.budget == 0 {
                self.end_slice(split);
                *self.pause = Pause::SliceOver;
                return Ok(());
            }
            if matches!(self.run_split(split)?, Flow::Pause) {
                return Ok(());
            }
        }
    }

    /// Gives the other splits a turn. If this split seems to spin on an action of a split that
    /// waits for it at a reconvergence point, the waiting split continues alone.
    pub(super) fn end_slice(&mut self, running: usize) {
        let warp = &mut *self.warp;
        if !warp.splits.is_diverged() {
            warp.polls = 0;
            return;
        }
        warp.splits.rotate(running);
        if warp.polls >= PATIENCE && warp.splits.give_up_reconvergence() {
            warp.polls = 0;
        }
    }

    /// Ends the warp's time slice, because a split waits for other threads. It will continue at
    /// `pc`.
    pub(super) fn spin(&mut self, split: usize, pc: u32) -> Flow {
        self.warp.spins = 0;
        self.warp.splits.get_mut(split).pc = pc;
        self.end_slice(split);
        self.pause(Pause::Spinning)
    }

    /// Runs a split until another one has to run or its time slice is over.
    #[inline(always)]
    fn run_split(&mut self, split: usize) -> Step<Flow> {
        let state = self.warp.splits.get(split);
        self.pc = state.pc;
        let budget = self.budget;
        let flow = self.run_lanes(split, state.mask, state.reconvergence);
        self.observer.instructions(self.warp.index, budget - self.budget, state.mask);
        flow
    }

    /// Loops over the instructions of one split. Local variables hold what every iteration needs of
    /// `self`.
    #[inline(always)]
    fn run_lanes(&mut self, split: usize, mask: LaneMask, reconvergence: u32) -> Step<Flow> {
        let grid = self.grid;
        let program = &grid.program.all[..];
        let reconvergence = self.warp.splits.reconvergence_pc(reconvergence);
        let (mut pc, mut budget) = (self.pc, self.budget);
        let mut is_followed = self.is_followed();
        while budget > 0 {
            let step = &program[pc as usize];
            let mut active = mask;
            if step.guarded_or_join {
                if pc == reconvergence {
                    self.budget = budget;
                    self.warp.splits.get_mut(split).pc = pc;
                    self.warp.splits.arrive(split);
                    return Ok(Flow::Switch);
                }
                active = self.guarded(step, mask);
            }
            budget -= 1;
            if O::TRACES {
                self.observer.instruction(self.warp.index, pc, active, &self.warp.registers);
            }
            if is_followed {
                self.observer.follow((self.warp.index, pc), (mask, active), &self.warp.registers);
                is_followed = self.is_followed();
            }
            if step.guarded_or_join && active == 0 {
                pc += 1;
                continue;
            }
            let mut branch = None;
            match &step.kind {
                &Kind::Alu { index, run_len } => {
                    let run_len = if is_followed { 1 } else { run_len };
                    let more = self.arithmetic(index, run_len, active, budget);
                    (pc, budget) = (pc + more, budget - more);
                    // A branch comes next most often.
                    if more > 0 && budget > 0 {
                        branch = program.get(pc as usize + 1).and_then(Instr::plain_branch);
                    }
                    if branch.is_some() {
                        (pc, budget) = (pc + 1, budget - 1);
                    }
                }
                Kind::Branch(own) => branch = Some(own),
                Kind::Sync(id) => {
                    self.budget = budget;
                    return Ok(self.sync(split, *id, pc, mask));
                }
                Kind::Other => {
                    (self.pc, self.budget) = (pc, budget);
                    match self.execute(split, active, mask)? {
                        Flow::Next => is_followed = self.is_followed(),
                        flow => return Ok(flow),
                    }
                    pc = self.pc;
                    continue;
                }
                kind @ (Kind::Load(..)
                | Kind::LoadWords(..)
                | Kind::Poll(..)
                | Kind::Store(..)
                | Kind::StoreWords(..)
                | Kind::Atom(_)
                | Kind::Fill32(..)
                | Kind::Fill64(..)) => {
                    (self.pc, self.budget) = (pc, budget);
                    self.access(kind, active)?;
                    self.moved(active);
                    if matches!(kind, Kind::Poll(..) | Kind::Atom(_)) && self.warp.spins >= SPINS {
                        return Ok(self.spin(split, pc + 1));
                    }
                }
            }
            pc = match branch {
                None => pc + 1,
                Some(branch) => match self.branch(split, branch, mask, (pc, budget)) {
                    Some(next) => next,
                    None => return Ok(Flow::Switch),
                },
            };
        }
        self.budget = budget;
        self.warp.splits.get_mut(split).pc = pc;
        Ok(Flow::Switch)
    }

    /// Whether the observer follows every instruction of the warp, because registers hold undefined values.
    #[inline(always)]
    fn is_followed(&self) -> bool {
        O::CHECKS && self.observer.has_undefined(self.warp.index)
    }

    /// Executes an access to memory, or to a parameter, which needs none.
    #[inline(always)]
    fn access(&mut self, kind: &Kind<'_>, active: LaneMask) -> Step {
        match kind {
            Kind::LoadWords(load, shape) if self.load_words(load, shape.read_only, active) => {
                Ok(())
            }
            Kind::StoreWords(store, _) if self.store_words(store, active) => Ok(()),
            Kind::Load(load, shape) | Kind::LoadWords(load, shape) | Kind::Poll(load, shape) => {
                self.load(load, *shape, active)
            }
            Kind::Store(store, shape) | Kind::StoreWords(store, shape) => {
                self.store(store, *shape, active)
            }
            Kind::Atom(atom) => self.atomic(atom, active),
            Kind::Fill32(d, value) => {
                self.fill(*d, *value, active);
                Ok(())
            }
            Kind::Fill64(d, value) => {
                self.fill64(*d, *value, active);
                Ok(())
            }
            Kind::Alu { .. } | Kind::Branch(_) | Kind::Sync(_) | Kind::Other => Ok(()),
        }
    }

    /// Executes a register-to-register instruction and those that follow it without guards or
    /// reconvergence points. Returns how many it has executed.
    #[inline(always)]
    fn arithmetic(&mut self, index: u32, run_len: u32, active: LaneMask, budget: u32) -> u32 {
        let (grid, registers) = (self.grid, &mut self.warp.registers);
        let all = &grid.program.alu[index as usize..];
        if run_len > 1 && !O::TRACES {
            let more = (run_len - 1).min(budget);
            alu::execute_all(&all[..=more as usize], registers, active, &grid.windows);
            return more;
        }
        all[0].execute(registers, active, &grid.windows);
        0
    }

    /// Returns the lanes that execute an instruction with a guard.
    #[inline(always)]
    fn guarded(&mut self, step: &Instr<'_>, mask: LaneMask) -> LaneMask {
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

    /// Executes a branch at `pc`. Returns where all lanes of the split continue, or `None` if they
    /// diverge.
    #[inline(always)]
    pub(super) fn branch(
        &mut self,
        split: usize,
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
        self.diverge(split, branch, taken);
        None
    }

    /// Returns the lanes that take a branch.
    #[inline(always)]
    fn taken(&self, branch: &Branch, mask: LaneMask) -> LaneMask {
        match branch.guard {
            None => mask,
            Some(guard) => mask & self.guard(guard),
        }
    }

    /// Reports an executed load or store.
    #[inline(always)]
    pub(super) fn moved(&mut self, active: LaneMask) {
        if O::TRACES {
            let op = &self.grid.kernel.ir().code[self.pc as usize].op;
            self.observer.moved(op, &self.warp.registers, active);
        }
    }
}
