//! The sixteen barriers of a block.

use crate::exec::Arrival;

/// One barrier: who has arrived since it last let threads pass.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Barrier {
    arrived: u32,
    /// Threads it waits for, if the program says how many.
    wanted: Option<u32>,
    votes: u32,
    warps: u32,
    reduces: bool,
}

/// What a barrier's reductions found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Threads whose predicate was true.
    pub votes: u32,
    /// Threads that took part.
    pub threads: u32,
    /// The warps that took part, a bit each.
    pub warps: u32,
    /// True if somebody waits for the result of a reduction.
    pub reduces: bool,
    /// True if the program says how many threads take part.
    pub is_counted: bool,
}

impl Barrier {
    /// True if those who are there already named another number of threads.
    pub fn disagrees(&self, arrival: &Arrival) -> bool {
        self.arrived > 0 && self.wanted != arrival.threads
    }

    pub fn arrive(&mut self, warp: u32, arrival: &Arrival) {
        self.arrived += arrival.lanes.count_ones();
        self.votes += arrival.votes.count_ones();
        self.wanted = arrival.threads;
        self.warps |= 1 << warp;
        self.reduces |= arrival.reduces;
    }

    /// Resets the barrier and returns its tally if everyone is there: as many threads as the program
    /// says, or all of the block's that have not exited.
    pub fn complete(&mut self, alive: u32) -> Option<Tally> {
        let wanted = self.wanted.unwrap_or(alive);
        if self.arrived == 0 || self.arrived < wanted {
            return None;
        }
        let Self {
            arrived,
            votes,
            warps,
            reduces,
            wanted,
        } = std::mem::take(self);
        Some(Tally {
            votes,
            threads: arrived,
            warps,
            reduces,
            is_counted: wanted.is_some(),
        })
    }

    /// Threads that have arrived.
    pub fn arrived(&self) -> u32 {
        self.arrived
    }
}
