//! Detects launches that spin for events that cannot occur.
//!
//! **Detects** that no thread of a launch can ever continue: each thread either waits at a barrier
//! or for lanes of its warp, or runs in a circle, and no thread changes memory any more. (A block
//! whose threads all *wait* is detected at once, by [`crate::block`].)
//!
//! **How:** a thread's execution is determined by its registers, its instruction, its own memory,
//! and what it reads from memory. If a warp returns to an earlier state and no thread has changed
//! global or shared memory in between, it repeats for ever under any schedule, unless another
//! thread changes memory. When every resident warp has returned to an earlier state or waits, and
//! no further block can become resident, no thread will change memory. Stores count as changes,
//! whatever they write. Atomics count only if they change the value, so polling with an atomic, or
//! for a lock, is no change. Arriving at an mbarrier and advancing a bulk copy are changes; testing
//! a phase is not. Reading a clock, printing, reductions at barriers and exits count as changes
//! too, because the state does not include their effects. A loop that a clock ends is therefore
//! never reported, and `nanosleep` makes no difference.
//!
//! **Can miss:** a circle in which a register counts without end, or a value is stored
//! (`waits_and_counts`).
//!
//! The instruction limit ends such launches.
//!
//! Change tracking starts only once some block has not finished in its first time slice. After
//! that, as long as threads keep changing memory, the cost is one look at a counter now and then.
//! Once nothing has changed for a while, each warp's state is compared with an earlier one after
//! each of its time slices; the earlier state is chosen after Brent (1980).

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use crate::converge::{Splits, Waiting};
use crate::exec::Warp;
use crate::grid::Grid;
use crate::registers::{LaneMask, Registers};

/// Consecutive turns of a block without any change after which its warps are sampled.
const QUIET: u32 = 16;

/// Everything that determines a warp's execution, except memory that others can change.
struct State {
    registers: Registers,
    splits: Splits,
    turn: (LaneMask, u32),
    local: Vec<u8>,
}

impl State {
    fn of(warp: &Warp) -> Self {
        Self {
            registers: warp.registers.clone(),
            splits: warp.splits.clone(),
            turn: warp.turn(),
            local: warp.local.clone(),
        }
    }

    fn is_of(&self, warp: &Warp) -> bool {
        self.splits == warp.splits
            && self.turn == warp.turn()
            && self.registers == warp.registers
            && self.local == warp.local
    }
}

/// What is known about one warp's execution.
#[derive(Default)]
struct WarpHistory {
    earlier: Option<State>,
    /// Samples since `earlier` was stored, and the number of samples after which it is replaced.
    samples: u32,
    patience: u32,
    repeats: bool,
}

impl WarpHistory {
    fn sample(&mut self, warp: &mut Warp) {
        if self.repeats {
            return;
        }
        if self.earlier.as_ref().is_some_and(|state| state.is_of(warp)) {
            // Lanes that wait at a reconvergence point for the spinning ones continue without them
            // first.
            if warp.splits.give_up_reconvergence() {
                *self = Self::default();
            } else {
                self.repeats = true;
                self.earlier = None;
            }
        } else if self.samples == self.patience {
            self.earlier = Some(State::of(warp));
            self.samples = 0;
            self.patience = 2 * self.patience + 1;
        } else {
            self.samples += 1;
        }
    }
}

/// Detects spinning warps of one block.
#[derive(Default)]
pub(crate) struct SpinDetector {
    /// The value of [`crate::facts::Group::changes`] when sampling started.
    since: u64,
    /// Consecutive turns without any change.
    quiet: u32,
    histories: Vec<WarpHistory>,
}

impl SpinDetector {
    /// Notes that the block's turn begins.
    pub fn begin(&mut self, grid: &Grid<'_>, warps: usize) {
        let changes = grid.group.changes.load(Ordering::Acquire);
        if self.since != changes {
            self.restart();
            self.since = changes;
        }
        self.quiet = self.quiet.saturating_add(1);
        if self.is_on() && self.histories.is_empty() {
            self.histories.resize_with(warps, WarpHistory::default);
        }
    }

    /// Notes that the block's turn is over, and publishes whether it changed something.
    pub fn end(&mut self, grid: &Grid<'_>, warps: &mut [Warp]) {
        let mut changed = false;
        for warp in warps {
            changed |= warp.take_change();
        }
        if changed {
            grid.group.note_change();
        }
    }

    /// Resets the detector for a new block.
    pub fn restart(&mut self) {
        self.quiet = 0;
        self.histories.clear();
    }

    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.quiet > QUIET
    }

    /// Samples a warp after a time slice.
    #[cold]
    pub fn sample(&mut self, warp: &mut Warp) {
        let history = &mut self.histories[warp.index as usize];
        history.sample(warp);
    }

    /// Whether none of the warps can continue unless another thread changes something.
    fn is_stuck(&self, warps: &[Warp]) -> bool {
        let waits = |warp: &Warp| warp.splits.iter().all(|p| p.waiting != Waiting::No);
        let mut both = self.histories.iter().zip(warps);
        self.is_on() && both.all(|(history, warp)| history.repeats || waits(warp))
    }

    /// Returns the group's change count since which none of the warps can continue, or `None` if one
    /// may.
    pub fn stuck_since(&self, warps: &[Warp]) -> Option<u64> {
        self.is_stuck(warps).then_some(self.since)
    }
}

/// What the workers of a launch know about one another.
#[derive(Default)]
pub(crate) struct WorkerProgress(Mutex<Workers>);

#[derive(Default)]
struct Workers {
    /// Workers that are running.
    active: usize,
    /// Workers that have started.
    begun: usize,
    /// The change count since which `stuck` are stuck.
    since: u64,
    stuck: BTreeSet<usize>,
}

impl WorkerProgress {
    fn with<T>(&self, f: impl FnOnce(&mut Workers) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Registers a worker that begins to run blocks. Returns its number.
    pub fn enter(&self) -> usize {
        self.with(|workers| {
            workers.active += 1;
            workers.begun += 1;
            workers.begun
        })
    }

    /// Notes that a worker has no blocks left.
    pub fn leave(&self) {
        self.with(|workers| workers.active -= 1);
    }

    /// Notes that none of a worker's blocks can continue since this change. Returns true if that
    /// holds for all workers and no further block can become resident.
    pub fn is_complete(&self, grid: &Grid<'_>, worker: usize, since: u64) -> bool {
        self.with(|workers| {
            if workers.since != since {
                workers.since = since;
                workers.stuck.clear();
            }
            workers.stuck.insert(worker);
            let more_blocks = grid.next.load(Ordering::Acquire) < grid.cluster_count();
            // A worker that stops sets its flag before it leaves.
            workers.stuck.len() == workers.active
                && !grid.stop.load(Ordering::Relaxed)
                && grid.group.changes.load(Ordering::Acquire) == since
                && !(more_blocks && workers.begun < grid.workers)
        })
    }
}
