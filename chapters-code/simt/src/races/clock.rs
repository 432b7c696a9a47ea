//! What orders the accesses of the threads of one block: vector clocks, one a warp.
//!
//! A warp's time is cut into **intervals**: a new one begins at each barrier, each `bar.warp.sync`
//! and each fence. For every other warp a warp knows up to which of that warp's intervals
//! everything comes before its own now; barriers are what teaches it.
//!
//! | earlier and later access | ordered by |
//! | --- | --- |
//! | of one thread | program order |
//! | of different warps | a block barrier that both warps pass in between |
//! | of different lanes of one warp | such a barrier, or a `bar.warp.sync` (`__syncwarp`) whose mask names both lanes |
//!
//! Shuffles and votes order no memory.

use super::Event;
use crate::registers::LaneMask;

/// The clock of one warp.
#[derive(Clone, Default)]
struct Clock {
    /// The current interval, from 1.
    interval: u32,
    /// For each warp, up to which of its intervals everything is ordered before this warp's now.
    seen: Vec<u32>,
    /// The interval that the last synchronisation of the whole warp ended.
    whole: u32,
    /// The same for synchronisations of some lanes.
    partial: Vec<(LaneMask, u32)>,
    /// True once the warp, or one that it met at a barrier, has read device memory in a way that
    /// can acquire.
    acquired: bool,
}

/// The clocks of a block's warps.
#[derive(Default)]
pub(super) struct Clocks(Vec<Clock>);

impl Clocks {
    pub fn start_block(&mut self, warps: u32) {
        self.0.clear();
        let seen = vec![0; warps as usize];
        self.0.resize(
            warps as usize,
            Clock {
                interval: 1,
                seen,
                ..Clock::default()
            },
        );
    }

    pub fn interval(&self, warp: u32) -> u32 {
        self.0[warp as usize].interval
    }

    /// Begins a new interval.
    pub fn advance(&mut self, warp: u32) {
        self.0[warp as usize].interval += 1;
    }

    pub fn acquire(&mut self, warp: u32) {
        self.0[warp as usize].acquired = true;
    }

    pub fn has_acquired(&self, warp: u32) -> bool {
        self.0[warp as usize].acquired
    }

    /// For each warp of the block, up to which interval everything comes before this warp's now.
    pub fn before(&self, warp: u32) -> impl Iterator<Item = (u32, u32)> {
        let own = &self.0[warp as usize];
        let seen = own.seen.iter().enumerate();
        seen.map(move |(w, seen)| {
            (
                w as u32,
                if w as u32 == warp {
                    own.interval
                } else {
                    *seen
                },
            )
        })
    }

    /// A barrier lets these warps pass, a bit each.
    pub fn barrier_passed(&mut self, warps: u32) {
        let warps: Vec<usize> = (0..self.0.len()).filter(|w| warps >> w & 1 == 1).collect();
        let mut joined = vec![0; self.0.len()];
        let mut acquired = false;
        for &w in &warps {
            let clock = &self.0[w];
            for (all, seen) in joined.iter_mut().zip(&clock.seen) {
                *all = (*all).max(*seen);
            }
            acquired |= clock.acquired;
        }
        for &w in &warps {
            joined[w] = self.0[w].interval;
        }
        for &w in &warps {
            let clock = &mut self.0[w];
            clock.seen.copy_from_slice(&joined);
            clock.whole = clock.interval;
            clock.acquired = acquired;
            clock.interval += 1;
        }
    }

    pub fn warp_synchronised(&mut self, warp: u32, lanes: LaneMask) {
        let clock = &mut self.0[warp as usize];
        if lanes == LaneMask::MAX {
            clock.whole = clock.interval;
        } else {
            clock.partial.retain(|(mask, _)| *mask != lanes);
            clock.partial.push((lanes, clock.interval));
        }
        clock.interval += 1;
    }

    /// True if the whole warp of an earlier access has synchronised since.
    #[inline(always)]
    pub fn has_met_since(&self, earlier: &Event) -> bool {
        self.0[earlier.warp() as usize].whole >= earlier.interval
    }

    /// True if two accesses by threads of this block race. `later` happens now.
    #[inline(always)]
    pub fn conflict(&self, earlier: &Event, later: &Event) -> bool {
        if earlier.thread() == later.thread() || !earlier.excludes(later) {
            return false;
        }
        let clock = &self.0[later.warp() as usize];
        if earlier.warp() != later.warp() {
            return clock.seen[earlier.warp() as usize] < earlier.interval
                && !earlier.both_strong(later);
        }
        clock.whole < earlier.interval
            && !earlier.same_instruction(later)
            && !clock.orders_some(earlier, later)
    }
}

impl Clock {
    /// True if a synchronisation of some lanes lies between.
    #[inline(never)]
    fn orders_some(&self, earlier: &Event, later: &Event) -> bool {
        let both = 1 << earlier.lane() | 1 << later.lane();
        self.partial
            .iter()
            .any(|(mask, at)| mask & both == both && *at >= earlier.interval)
    }
}
