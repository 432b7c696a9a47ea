//! Executes one warp: the loop over its instructions.
//!
//! The loop knows control flow; registers are the business of [`crate::alu`], memory of
//! [`memory`], and what lanes do together of [`collective`]. It runs one path of the warp (see
//! [`crate::converge`]) until the path has to wait, parts, ends, or has used up its time slice.

mod atomic;
mod collective;
mod memory;
mod runtime;
mod transfer;
mod view;

use std::sync::atomic::Ordering;

use ptx::ir::{Bar, BarKind, Branch, Guard, Instruction, Op, Pred, R32, R64, Scope};

use crate::alu::Isa;
use crate::converge::{NOWHERE, Paths, Waiting};
use crate::fault::{FaultKind, Step, Trap};
use crate::grid::Grid;
use crate::memory::Region;
use crate::observe::Observer;
use crate::registers::{LaneMask, Registers};

/// The state of one warp of a block.
pub(crate) struct Warp {
    /// Its number in the block.
    pub index: u32,
    pub registers: Registers,
    pub paths: Paths,
    /// Local memory: lane after lane.
    pub local: Vec<u8>,
    /// The allocation that was accessed last.
    region: Region,
    /// Instructions that the warp has executed, of all the blocks it has been in: its clock.
    clock: u64,
    /// Atomics and strong loads since the warp was last known to be converged: with these a path
    /// may wait for another.
    polls: u32,
    /// The instruction that polled last, or [`NOWHERE`].
    pub polled_at: u32,
    /// True once it has done something, since it was last asked, that may let others go on.
    pub has_changed: bool,
}

/// How many times a path may poll memory before another gives up waiting for it at a meeting.
const PATIENCE: u32 = 1024;

impl Warp {
    pub fn new(index: u32, grid: &Grid<'_>) -> Self {
        let mut registers = Registers::new(grid.kernel.ir());
        for &(r, value) in grid.kernel.constants32() {
            registers.write32(r, LaneMask::MAX, &[value; 32]);
        }
        for &(r, value) in grid.kernel.constants64() {
            registers.write64(r, LaneMask::MAX, &[value; 32]);
        }
        for &(p, value) in &grid.kernel.ir().constant_predicates {
            registers.set_pred(p, if value { LaneMask::MAX } else { 0 }, LaneMask::MAX);
        }
        let local = vec![0; 32 * grid.kernel.ir().local_bytes as usize];
        let paths = Paths::default();
        Self {
            index,
            registers,
            paths,
            local,
            region: Region::EMPTY,
            clock: 0,
            polls: 0,
            polled_at: NOWHERE,
            has_changed: false,
        }
    }
}

/// Why a warp stopped running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// All its lanes have exited.
    Finished,
    /// All its paths wait.
    Blocked,
    /// Its time slice is over.
    SliceOver,
    /// Lanes have arrived at a block barrier. They wait there unless the barrier says otherwise.
    Arrived(Arrival),
    /// Lanes have exited, which may complete a barrier; others go on.
    Exited,
}

/// Lanes of a warp at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    pub id: u8,
    /// The lanes.
    pub lanes: LaneMask,
    /// Threads that the barrier waits for; `None` for all of the block.
    pub threads: Option<u32>,
    /// Of the lanes, those whose predicate is true (for the reductions).
    pub votes: LaneMask,
    /// True if they wait for the result of a reduction.
    pub reduces: bool,
}

/// What an instruction does to the path that executes it.
enum Flow {
    /// Go on with the next instruction.
    Next,
    /// The path has changed: look again which one runs.
    Switch,
    /// Leave the warp.
    Pause(Pause),
}

/// A warp at work, and what it works on.
pub(crate) struct Exec<'b, 'a, O> {
    pub grid: &'a Grid<'a>,
    pub warp: &'b mut Warp,
    pub shared: &'b mut [u8],
    pub observer: &'b mut O,
    /// Instructions left in the time slice.
    pub budget: u32,
    /// The instruction at work.
    pub pc: u32,
}

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    /// Runs the warp until it pauses.
    pub fn run(&mut self) -> Step<Pause> {
        self.warp.clock += u64::from(self.budget);
        let pause = self.run_on();
        self.warp.clock -= u64::from(self.budget);
        pause
    }

    fn run_on(&mut self) -> Step<Pause> {
        match self.grid.isa {
            Isa::Baseline(_) => self.run_inline(),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Avx2` is made only where the processor has the features.
            Isa::Avx2(_) => unsafe { self.run_avx2() },
        }
    }

    /// The same loop, compiled for AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
    fn run_avx2(&mut self) -> Step<Pause> {
        self.run_inline()
    }

    #[inline(always)]
    fn run_inline(&mut self) -> Step<Pause> {
        loop {
            let Some(path) = self.warp.paths.runnable() else {
                let finished = self.warp.paths.is_finished();
                return Ok(if finished {
                    Pause::Finished
                } else {
                    Pause::Blocked
                });
            };
            if self.budget == 0 {
                self.end_slice(path);
                return Ok(Pause::SliceOver);
            }
            if let Flow::Pause(pause) = self.run_path(path)? {
                return Ok(pause);
            }
        }
    }

    /// Lets the other paths have their turn. If this one seems to spin, for what a path that waits
    /// for it at a meeting would do, that one goes on alone.
    fn end_slice(&mut self, running: usize) {
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

    #[inline(always)]
    fn run_path(&mut self, path: usize) -> Step<Flow> {
        let grid = self.grid;
        let code = &grid.kernel.ir().code[..];
        let state = self.warp.paths.get(path);
        let meeting = self.warp.paths.meeting_pc(state.meeting);
        let mask = state.mask;
        self.pc = state.pc;
        while self.budget > 0 {
            if self.pc == meeting && meeting != NOWHERE {
                self.warp.paths.get_mut(path).pc = self.pc;
                self.warp.paths.arrive(path);
                return Ok(Flow::Switch);
            }
            self.budget -= 1;
            let instruction = &code[self.pc as usize];
            let flow = if let Op::Bra(branch) = &instruction.op {
                self.observer.instruction(mask);
                self.branch(path, branch, mask)
            } else {
                let active = self.active(instruction, mask);
                self.observer.instruction(active);
                if active == 0 {
                    self.pc += 1;
                    continue;
                }
                self.execute(path, instruction, active, mask)?
            };
            match flow {
                Flow::Next => {}
                Flow::Switch | Flow::Pause(_) => return Ok(flow),
            }
        }
        self.warp.paths.get_mut(path).pc = self.pc;
        Ok(Flow::Switch)
    }

    #[inline(always)]
    fn active(&self, instruction: &Instruction, mask: LaneMask) -> LaneMask {
        match instruction.guard {
            None => mask,
            Some(guard) => mask & self.guard(guard),
        }
    }

    #[inline(always)]
    fn guard(&self, guard: Guard) -> LaneMask {
        self.predicate(guard.pred, guard.negated)
    }

    #[inline(always)]
    fn predicate(&self, pred: Pred, negated: bool) -> LaneMask {
        let value = self.warp.registers.pred(pred);
        if negated { !value } else { value }
    }

    #[inline(always)]
    fn branch(&mut self, path: usize, branch: &Branch, mask: LaneMask) -> Flow {
        let taken = match branch.guard {
            None => mask,
            Some(guard) => mask & self.guard(guard),
        };
        if O::CHECKS && branch.guard.is_some() {
            self.observer
                .branched(self.warp.index, self.pc, taken, mask & !taken);
        }
        if taken == mask {
            self.pc = branch.target;
            return Flow::Next;
        }
        if taken == 0 {
            self.pc += 1;
            return Flow::Next;
        }
        self.observer.divergence();
        self.warp.paths.get_mut(path).pc = self.pc;
        self.warp
            .paths
            .split(path, taken, branch.target, branch.reconverge);
        Flow::Switch
    }

    /// Executes anything but a branch, for the lanes of `active`, of which there is at least one.
    #[inline(always)]
    fn execute(
        &mut self,
        path: usize,
        instruction: &Instruction,
        active: LaneMask,
        mask: LaneMask,
    ) -> Step<Flow> {
        match &instruction.op {
            Op::Alu(op) => {
                let registers = &mut self.warp.registers;
                self.grid
                    .isa
                    .execute(op, registers, active, &self.grid.windows);
            }
            Op::Ld(load) => self.load(load, active)?,
            Op::St(store) => self.store(store, active)?,
            Op::Atom(atom) => self.atomic(atom, active)?,
            _ => return self.execute_rare(path, instruction, active, mask),
        }
        self.pc += 1;
        Ok(Flow::Next)
    }

    /// The operations that are neither arithmetic nor memory accesses.
    #[inline(never)]
    fn execute_rare(
        &mut self,
        path: usize,
        instruction: &Instruction,
        active: LaneMask,
        mask: LaneMask,
    ) -> Step<Flow> {
        match &instruction.op {
            Op::Bra(_) | Op::Alu(_) | Op::Ld(_) | Op::St(_) | Op::Atom(_) => {
                unreachable!("executed by the callers")
            }
            Op::CpAsync {
                dst,
                src,
                bytes,
                src_bytes,
            } => {
                self.copy_async(*dst, *src, u32::from(*bytes), *src_bytes, active)?;
            }
            Op::Nop | Op::CpAsyncWait(_) | Op::Nanosleep { .. } => {}
            Op::Fence(scope) => self.fence(*scope),
            Op::Exit => return Ok(self.exit(path, active)),
            Op::Trap => {
                let lane = Some(active.trailing_zeros());
                return Err(Trap::new(FaultKind::Trap, lane, "executed `trap`"));
            }
            Op::BrxIdx {
                index,
                targets,
                reconverge,
            } => {
                return self.branch_indexed(path, *index, targets, *reconverge, active);
            }
            // A guard that is false in some lanes: those go on, the others execute this again.
            op if active != mask && synchronises(op) => {
                self.warp.paths.get_mut(path).pc = self.pc;
                self.warp.paths.split(path, active, self.pc, None);
                return Ok(Flow::Switch);
            }
            Op::Bar(bar) => return self.barrier(path, bar, active),
            Op::BarWarpSync { .. }
            | Op::Shfl { .. }
            | Op::Vote(_)
            | Op::MatchAny { .. }
            | Op::MatchAll { .. }
            | Op::Redux { .. }
            | Op::Elect { .. } => return self.collective(path, &instruction.op, active),
            Op::ActiveMask { d } => self.write32(*d, active, &[active; 32]),
            Op::ReadClock { d, high } => {
                self.warp.has_changed = true;
                let clock = self.clock_now();
                let value = if *high { clock >> 32 } else { clock } as u32;
                self.write32(*d, active, &[value; 32]);
            }
            Op::ReadClock64 { d, global_timer } => {
                self.warp.has_changed = true;
                let now = if *global_timer {
                    runtime::nanoseconds()
                } else {
                    self.clock_now()
                };
                self.warp.registers.write64(*d, active, &[now; 32]);
            }
            Op::Vprintf { d, format, args } => {
                self.warp.has_changed = true;
                self.vprintf(*d, *format, *args, active)?;
            }
            Op::AssertFail {
                message,
                file,
                line,
                function,
            } => {
                return Err(self.assert_fail(*message, *file, *line, *function, active));
            }
        }
        self.pc += 1;
        Ok(Flow::Next)
    }

    #[inline(always)]
    fn write32(&mut self, d: R32, mask: LaneMask, values: &[u32; 32]) {
        self.warp.registers.write32(d, mask, values);
    }

    /// The value of a 32-bit register in the first active lane.
    fn first32(&self, r: R32, active: LaneMask) -> u32 {
        self.warp.registers.r32(r)[active.trailing_zeros() as usize & 31]
    }

    fn first64(&self, r: R64, active: LaneMask) -> u64 {
        self.warp.registers.r64(r)[active.trailing_zeros() as usize & 31]
    }

    /// The warp's clock: its own instructions move it.
    fn clock_now(&self) -> u64 {
        self.warp.clock - u64::from(self.budget)
    }

    pub(super) fn fence(&mut self, scope: Scope) {
        std::sync::atomic::fence(Ordering::SeqCst);
        match scope {
            Scope::Block => {}
            Scope::Device | Scope::System => self.observer.fence(self.warp.index),
        }
    }

    fn exit(&mut self, path: usize, active: LaneMask) -> Flow {
        self.pc += 1;
        self.warp.has_changed = true;
        self.warp.paths.get_mut(path).pc = self.pc;
        self.warp.paths.exit(path, active);
        self.release_complete();
        Flow::Pause(Pause::Exited)
    }

    /// Sends each lane to its target; the first lane's goes on as this path.
    fn branch_indexed(
        &mut self,
        path: usize,
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
        let same = |lane: &u32| indices[*lane as usize] == chosen;
        let taken = crate::counters::lanes(active)
            .filter(same)
            .fold(0, |m, l| m | 1 << l);
        self.warp.paths.get_mut(path).pc = self.pc;
        if taken == active {
            self.pc = target;
            return Ok(Flow::Next);
        }
        self.observer.divergence();
        self.warp.paths.split(path, taken, target, meet);
        // The rest executes this instruction again, and finds its own first lane.
        let rest = self.warp.paths.iter().count() - 1;
        self.warp.paths.get_mut(rest).pc = self.pc;
        Ok(Flow::Switch)
    }

    fn barrier(&mut self, path: usize, bar: &Bar, active: LaneMask) -> Step<Flow> {
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
        let path = self.warp.paths.get_mut(path);
        path.pc = self.pc;
        if matches!(bar.kind, BarKind::Arrive) {
            path.pc += 1;
        } else {
            path.waiting = Waiting::Barrier(id);
        }
        Ok(Flow::Pause(Pause::Arrived(Arrival {
            id,
            lanes: active,
            threads,
            votes,
            reduces,
        })))
    }
}

/// True for operations that lanes do together.
fn synchronises(op: &Op) -> bool {
    match op {
        Op::Bar(_)
        | Op::BarWarpSync { .. }
        | Op::Shfl { .. }
        | Op::Vote(_)
        | Op::MatchAny { .. }
        | Op::MatchAll { .. }
        | Op::Redux { .. }
        | Op::Elect { .. } => true,
        Op::Alu(_)
        | Op::Ld(_)
        | Op::St(_)
        | Op::Atom(_)
        | Op::CpAsync { .. }
        | Op::CpAsyncWait(_)
        | Op::Bra(_)
        | Op::BrxIdx { .. }
        | Op::Exit
        | Op::Trap
        | Op::Nop
        | Op::Fence(_)
        | Op::ActiveMask { .. }
        | Op::Nanosleep { .. }
        | Op::ReadClock { .. }
        | Op::ReadClock64 { .. }
        | Op::Vprintf { .. }
        | Op::AssertFail { .. } => false,
    }
}
