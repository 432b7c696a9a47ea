//! The sixteen barriers of a block, and the lanes that arrive and wait at them.

use crate::counters::lanes;
use crate::registers::{LaneMask, count};

/// An arrival of a warp's lanes at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrival {
    /// The lanes.
    pub lanes: LaneMask,
    /// Threads that the barrier waits for; `None` for all of the block.
    pub threads: Option<u32>,
    /// The lanes whose predicate is true (for the reductions).
    pub votes: LaneMask,
    /// Whether they wait for the result of a reduction.
    pub reduces: bool,
}

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
    /// Warps that participate, one bit per warp.
    pub warps: u32,
    /// Whether the program states the number of threads.
    pub is_counted: bool,
    /// The waiting lanes.
    pub waiters: Vec<Waiter>,
    /// For each warp of the block, the lanes that have exited.
    pub exited: Vec<LaneMask>,
}

impl Waiter {
    /// Returns the first lane.
    pub fn lane(&self) -> u32 {
        lanes(self.lanes).next().unwrap_or(0)
    }
}

/// All barriers of a block.
#[derive(Debug, Default)]
pub(crate) struct Barriers {
    all: [Barrier; 16],
    /// The barriers at which a thread has arrived, one bit per barrier.
    arrived: u16,
}

impl Barriers {
    pub fn arrive(&mut self, id: u8, warp: u32, arrival: &Arrival) {
        self.all[usize::from(id)].arrive(warp, arrival);
        self.arrived |= 1 << id;
    }

    /// Whether the threads that have arrived already named another number of threads.
    pub fn disagrees(&self, id: u8, arrival: &Arrival) -> bool {
        let barrier = &self.all[usize::from(id)];
        barrier.arrived > 0 && barrier.wanted != arrival.threads
    }

    /// Records an arrival that only asks all threads of the block to arrive as well.
    #[inline(always)]
    pub fn arrive_simply(&mut self, id: u8, warp: u32, lanes: LaneMask) {
        let barrier = &mut self.all[usize::from(id)];
        barrier.arrived += count(lanes);
        barrier.wanted = None;
        barrier.warps |= 1 << warp;
        self.arrived |= 1 << id;
    }

    /// Returns the lowest barrier of `wanted` (one bit per barrier) at which all expected threads
    /// have arrived, and resets it. These are the block's `alive` threads, or as many as the
    /// program states.
    #[inline(always)]
    pub fn complete(&mut self, wanted: u16, alive: u32) -> Option<(u8, Tally)> {
        let mut candidates = self.arrived & wanted;
        while candidates != 0 {
            let id = candidates.trailing_zeros() as u8;
            if let Some(tally) = self.all[usize::from(id)].complete(alive) {
                self.arrived &= !(1 << id);
                return Some((id, tally));
            }
            candidates &= candidates - 1;
        }
        None
    }
}

/// One barrier: the threads that have arrived since it last let threads pass.
#[derive(Clone, Copy, Debug, Default)]
struct Barrier {
    arrived: u32,
    /// Threads that it waits for, if the program states how many.
    wanted: Option<u32>,
    votes: u32,
    warps: u32,
    reduces: bool,
}

/// The result of a barrier's reductions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Threads whose predicate was true.
    pub votes: u32,
    /// Threads that participate.
    pub threads: u32,
    /// The warps that participate, one bit per warp.
    pub warps: u32,
    /// Whether a thread waits for the result of a reduction.
    pub reduces: bool,
    /// Whether the program states how many threads participate.
    pub is_counted: bool,
}

impl Barrier {
    fn arrive(&mut self, warp: u32, arrival: &Arrival) {
        self.arrived += count(arrival.lanes);
        self.votes += arrival.votes.count_ones();
        self.wanted = arrival.threads;
        self.warps |= 1 << warp;
        self.reduces |= arrival.reduces;
    }

    /// Resets the barrier and returns its tally if all expected threads have arrived: as many as
    /// the program states, or all threads of the block that have not exited.
    #[inline(always)]
    fn complete(&mut self, alive: u32) -> Option<Tally> {
        let wanted = self.wanted.unwrap_or(alive);
        if self.arrived == 0 || self.arrived < wanted {
            return None;
        }
        let Self { arrived, votes, warps, reduces, wanted } = std::mem::take(self);
        Some(Tally { votes, threads: arrived, warps, reduces, is_counted: wanted.is_some() })
    }
}
