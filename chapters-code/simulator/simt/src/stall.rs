//! Finds launches that spin for what cannot come.
//!
//! **Detects** that no thread of a launch can ever go on: each one either waits at a barrier or
//! for lanes of its warp, or runs in a circle, and nobody changes memory any more. (A block whose
//! threads all *wait* is found at once, by [`crate::block`].)
//!
//! **How:** a thread's course is decided by its registers, its place, its own memory, and what it
//! reads from memory. So a warp that comes back to a state in which it was before, while nobody
//! changed global or shared memory in between, goes round for ever, whatever the schedule, unless
//! somebody else changes memory. When every resident warp has come back or waits, and no further
//! block can become resident, nobody will. Stores count as changes, whatever they write; atomics
//! only if they leave another value behind, so that polling with an atomic, or for a lock, is no
//! change. Arriving at an mbarrier is one, and so is a bulk copy that gets on; looking whether a phase is
//! complete is none. Reading a clock, printing, reductions at barriers and exits count as changes too: what
//! they may lead to is not in the state. Hence no loop that a clock ends is ever reported, and
//! `nanosleep` makes no difference.
//!
//! **Can miss:** a circle in which a register counts without end, or something is stored
//! (`waits_and_counts`).
//!
//! The instruction limit is there for these.
//!
//! As long as every block is done in its first turn, nobody tells of changes.
//! Until nobody has changed anything for a while, all that this costs is a look at a counter now and
//! then; from then on, each warp's state is compared with an earlier one after each of its time
//! slices, which one being chosen after Brent (1980).

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use crate::converge::{Paths, Waiting};
use crate::exec::Warp;
use crate::grid::Grid;
use crate::registers::Registers;

/// How often in a row a block has its turn with no change by anybody before its warps are watched.
const QUIET: u32 = 16;

/// Everything that decides a warp's course, memory that others can change aside.
struct State {
    registers: Registers,
    paths: Paths,
    local: Vec<u8>,
}

impl State {
    fn of(warp: &Warp) -> Self {
        Self {
            registers: warp.registers.clone(),
            paths: warp.paths.clone(),
            local: warp.local.clone(),
        }
    }

    fn is_of(&self, warp: &Warp) -> bool {
        self.paths == warp.paths && self.registers == warp.registers && self.local == warp.local
    }
}

/// What is known of one warp's course.
#[derive(Default)]
struct Course {
    earlier: Option<State>,
    /// Looks since `earlier` was noted, and how many of them until it is replaced.
    looks: u32,
    patience: u32,
    repeats: bool,
}

impl Course {
    fn look(&mut self, warp: &mut Warp) {
        if self.repeats {
            return;
        }
        if self.earlier.as_ref().is_some_and(|state| state.is_of(warp)) {
            // Lanes that wait for the spinning ones where a branch ends go on without them first.
            if warp.paths.give_up_meeting() {
                *self = Self::default();
            } else {
                self.repeats = true;
                self.earlier = None;
            }
        } else if self.looks == self.patience {
            self.earlier = Some(State::of(warp));
            self.looks = 0;
            self.patience = 2 * self.patience + 1;
        } else {
            self.looks += 1;
        }
    }
}

/// Watches one block.
#[derive(Default)]
pub(crate) struct Watch {
    /// [`Grid::changes`] since when it watches.
    since: u64,
    /// Turns in which nobody changed anything.
    quiet: u32,
    courses: Vec<Course>,
}

impl Watch {
    /// The block has its turn.
    pub fn begin(&mut self, grid: &Grid<'_>, warps: usize) {
        let changes = grid.changes.load(Ordering::Acquire);
        if self.since != changes {
            self.restart();
            self.since = changes;
        }
        self.quiet = self.quiet.saturating_add(1);
        if self.is_on() && self.courses.is_empty() {
            self.courses.resize_with(warps, Course::default);
        }
    }

    /// The block's turn is over. Tells the others if it changed something.
    pub fn end(&mut self, grid: &Grid<'_>, warps: &mut [Warp]) {
        let mut changed = false;
        for warp in warps {
            changed |= warp.take_change();
        }
        if changed {
            grid.note_change();
        }
    }

    /// Forgets all.
    pub fn restart(&mut self) {
        self.quiet = 0;
        self.courses.clear();
    }

    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.quiet > QUIET
    }

    /// A warp has had a time slice.
    #[cold]
    pub fn look(&mut self, warp: &mut Warp) {
        let course = &mut self.courses[warp.index as usize];
        course.look(warp);
    }

    /// True if none of the warps can go on unless somebody changes something.
    fn is_stuck(&self, warps: &[Warp]) -> bool {
        let waits = |warp: &Warp| warp.paths.iter().all(|p| p.waiting != Waiting::No);
        let mut both = self.courses.iter().zip(warps);
        self.is_on() && both.all(|(course, warp)| course.repeats || waits(warp))
    }

    /// Since which of the grid's changes none of the warps can go on; `None` if one may.
    pub fn stuck_since(&self, warps: &[Warp]) -> Option<u64> {
        self.is_stuck(warps).then_some(self.since)
    }
}

/// What the host threads of a launch know of one another.
#[derive(Default)]
pub(crate) struct Stall(Mutex<Workers>);

#[derive(Default)]
struct Workers {
    /// Those at work.
    active: usize,
    /// Those that have begun.
    begun: usize,
    /// Since which change `stuck` are stuck.
    since: u64,
    stuck: BTreeSet<usize>,
}

impl Stall {
    fn with<T>(&self, f: impl FnOnce(&mut Workers) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A host thread begins to run blocks; returns its number.
    pub fn enter(&self) -> usize {
        self.with(|workers| {
            workers.active += 1;
            workers.begun += 1;
            workers.begun
        })
    }

    /// A host thread has no blocks left.
    pub fn leave(&self) {
        self.with(|workers| workers.active -= 1);
    }

    /// None of a host thread's blocks can go on since this change. True if that holds for all host
    /// threads, and no further block can become resident.
    pub fn is_complete(&self, grid: &Grid<'_>, worker: usize, since: u64) -> bool {
        self.with(|workers| {
            if workers.since != since {
                workers.since = since;
                workers.stuck.clear();
            }
            workers.stuck.insert(worker);
            let more_blocks = grid.next.0.load(Ordering::Acquire) < grid.block_count();
            // Who stops has said so before it leaves.
            workers.stuck.len() == workers.active
                && !grid.stop.load(Ordering::Relaxed)
                && grid.changes.load(Ordering::Acquire) == since
                && !(more_blocks && workers.begun < grid.workers)
        })
    }
}
