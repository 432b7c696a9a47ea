//! What orders the accesses of the threads of one block: vector clocks, one a warp.
//!
//! A warp's time is cut into **intervals**: a new one begins at each barrier, each `bar.warp.sync`,
//! each fence and each arrival at an mbarrier. For every other warp a warp knows up to which of that warp's intervals
//! everything comes before its own now; barriers are what teaches it.
//!
//! | earlier and later access | ordered by |
//! | --- | --- |
//! | of one thread | program order |
//! | of different warps | a block barrier that both warps pass in between |
//! | of different lanes of one warp | such a barrier, or a `bar.warp.sync` (`__syncwarp`) whose mask names both lanes |
//! | of any two | a flag, as [`super::sync`] tells |
//! | of one block | an arrival at an mbarrier and a wait there, as [`super::proxy`] tells |
//!
//! Shuffles and votes order no memory. Two atomic or relaxed accesses do not race, as each is one
//! indivisible access, nor do two volatile ones of different warps. Two volatile accesses of one
//! warp are reported all the same when nothing orders them: code that does this relies on lanes
//! that run in step, which has not been promised since Volta.

use std::sync::Arc;

use ptx::ir::Scope;

use super::Event;
use super::event::FIRST_AGENT;
use super::knowledge::{Knowers, Knowledge, raise};
use super::sync::{Acquired, Releases, union};
use super::words::Seen;
use crate::counters::lanes;
use crate::registers::LaneMask;

/// Warps that a block has at most.
const WARPS: usize = 32;

/// The clock of one warp.
#[derive(Clone, Default)]
struct Clock {
    /// The current interval, from 1.
    interval: u32,
    /// For each warp, up to which of its intervals everything is ordered before this warp's now. Of
    /// itself, the interval that its last synchronisation as a whole ended.
    seen: [u32; WARPS],
    /// The lowest of those.
    floor: u32,
    /// The intervals of its own that synchronisations of some lanes ended.
    partial: Vec<(LaneMask, u32)>,
    /// What the warp, or one that it met at a barrier, has acquired through flags.
    acquired: Acquired,
}

/// The clocks of a block's warps.
pub(super) struct Clocks<'a> {
    warps: Vec<Clock>,
    /// What threads have learned one by one.
    pub knowers: Knowers,
    block: u64,
    releases: &'a Releases,
}

impl<'a> Clocks<'a> {
    pub fn new(releases: &'a Releases) -> Self {
        Self {
            warps: Vec::new(),
            knowers: Knowers::default(),
            block: 0,
            releases,
        }
    }

    pub fn start_block(&mut self, block: u64, warps: u32) {
        self.block = block;
        self.knowers.start_block(warps);
        self.warps.clear();
        let clock = Clock {
            interval: 1,
            ..Clock::default()
        };
        self.warps.resize(warps as usize, clock);
    }

    pub fn interval(&self, warp: u32) -> u32 {
        self.warps[warp as usize].interval
    }

    /// Begins a new interval.
    pub fn advance(&mut self, warp: u32) {
        self.warps[warp as usize].interval += 1;
    }

    /// What a warp has acquired through flags.
    pub fn acquired(&self, warp: u32) -> &Acquired {
        &self.warps[warp as usize].acquired
    }

    pub fn acquired_mut(&mut self, warp: u32) -> &mut Acquired {
        &mut self.warps[warp as usize].acquired
    }

    /// For each actor of the block, up to which interval everything comes before this warp's now. Of
    /// what only some lanes know, all.
    pub fn before(&self, warp: u32) -> Vec<(u32, u32)> {
        let own = &self.warps[warp as usize];
        let seen = own.seen[..self.warps.len()].iter().enumerate();
        let mut before: Vec<_> = seen.map(|(w, seen)| (w as u32, *seen)).collect();
        before[warp as usize].1 = own.interval;
        if self.knowers.is_some() {
            let (warps, agents) = self.knowers.most(warp);
            for ((_, seen), known) in before.iter_mut().zip(warps) {
                *seen = known.max(*seen);
            }
            before.extend((FIRST_AGENT..).zip(agents));
        }
        before
    }

    /// A thread learns something at an mbarrier.
    pub fn learn(&mut self, warp: u32, lane: u32, more: &Arc<Knowledge>) {
        self.knowers.learn(32 * warp + lane, more);
        if let Some(acquired) = &more.acquired {
            union(&mut self.warps[warp as usize].acquired, acquired);
        }
    }

    /// What comes before a thread's now.
    pub fn known(&self, warp: u32, lane: u32) -> Knowledge {
        let (own, thread) = (&self.warps[warp as usize], 32 * warp + lane);
        let mut known = Knowledge::default();
        for &seen in &own.seen[..self.warps.len()] {
            known.threads.extend([seen; 32]);
        }
        for (mask, at) in &own.partial {
            if mask >> lane & 1 == 1 {
                for other in lanes(*mask) {
                    raise(&mut known.threads, (32 * warp + other) as usize, *at);
                }
            }
        }
        raise(&mut known.threads, thread as usize, own.interval);
        if let Some(learned) = self.knowers.of(thread) {
            known.join(learned);
        }
        known.acquired.clone_from(&own.acquired);
        known
    }

    /// A barrier lets these warps pass, a bit each.
    pub fn barrier_passed(&mut self, warps: u32) {
        let count = self.warps.len();
        let mut joined = [0; WARPS];
        let mut acquired = None;
        for clock in lanes(warps).map(|w| &self.warps[w as usize]) {
            for (all, seen) in joined.iter_mut().zip(&clock.seen[..count]) {
                *all = (*all).max(*seen);
            }
            if let Some(more) = &clock.acquired {
                union(&mut acquired, more);
            }
        }
        for w in lanes(warps) {
            joined[w as usize] = self.warps[w as usize].interval;
        }
        self.knowers.warps_meet(warps);
        let floor = joined[..count].iter().copied().min().unwrap_or(0);
        for w in lanes(warps) {
            let clock = &mut self.warps[w as usize];
            (clock.seen, clock.floor) = (joined, floor);
            clock.acquired.clone_from(&acquired);
            clock.interval += 1;
        }
    }

    pub fn warp_synchronised(&mut self, warp: u32, lanes: LaneMask) {
        let count = self.warps.len();
        let clock = &mut self.warps[warp as usize];
        if lanes == LaneMask::MAX {
            clock.seen[warp as usize] = clock.interval;
            clock.find_floor(count);
        } else {
            clock.partial.retain(|(mask, _)| *mask != lanes);
            clock.partial.push((lanes, clock.interval));
        }
        clock.interval += 1;
        self.knowers.lanes_meet(warp, lanes);
    }

    /// True if the whole warp of an earlier access has synchronised since.
    #[inline(always)]
    pub fn has_met_since(&self, earlier: &Event) -> bool {
        let warp = earlier.warp() as usize;
        self.warps[warp].seen[warp] >= earlier.interval
    }

    /// True if an earlier access comes before the now of every warp of the block.
    pub fn all_have_seen(&self, earlier: &Event) -> bool {
        let warp = earlier.warp() as usize;
        self.warps
            .iter()
            .all(|clock| clock.seen[warp] >= earlier.interval)
    }

    /// Up to which interval everything that this warp, or any, has done is ordered before its now.
    #[inline(always)]
    pub fn seen(&self, warp: u32) -> Seen {
        let clock = &self.warps[warp as usize];
        Seen {
            own: clock.seen[warp as usize],
            any: clock.floor,
        }
    }

    /// True if two accesses by threads of this block race. `later` happens now, and is not
    /// asynchronous.
    #[inline(always)]
    pub fn conflict(&self, earlier: &Event, later: &Event) -> bool {
        let clock = &self.warps[later.warp() as usize];
        if clock.seen[earlier.warp() as usize] >= earlier.interval
            || earlier.is_by_thread_of(later)
            || !earlier.excludes(later)
        {
            return false;
        }
        if earlier.warp() != later.warp() {
            return !earlier.both_strong(later) && !self.flags_order(self.block, earlier, later);
        }
        !earlier.same_instruction(later)
            && !earlier.both_atomic_or_relaxed(later)
            && !clock.orders_some(earlier, later)
            && !self.flags_order(self.block, earlier, later)
    }

    /// True if flags, or what a thread has learned alone, order an access of any block before one of
    /// this block.
    #[inline(never)]
    pub fn flags_order(&self, block: u64, earlier: &Event, later: &Event) -> bool {
        let scope = match block == self.block {
            true => Scope::Block,
            false => Scope::Device,
        };
        block == self.block && self.is_known(earlier, later)
            || self.is_released(block, earlier, later, scope)
    }

    /// True if flags would order an access of any block before one of this block if releases at this
    /// scope sufficed.
    pub fn is_released(&self, block: u64, earlier: &Event, later: &Event, scope: Scope) -> bool {
        let acquired = self.acquired(later.warp());
        let from = (block, earlier.actor());
        self.releases
            .orders(from, earlier.number(), scope, acquired)
    }

    /// True if the thread of a later access knows of an earlier one of this block, of itself.
    fn is_known(&self, earlier: &Event, later: &Event) -> bool {
        if earlier.is_asynchronous() {
            return self.knowers.knows_agent(later.thread(), earlier);
        }
        let (knower, thread) = (later.thread(), earlier.thread());
        self.knowers.knows_thread(knower, thread, earlier.interval)
    }

    /// As [`Self::conflict`], where the later access is that of a copy which starts now.
    pub fn conflict_with_copy(&self, earlier: &Event, later: &Event) -> bool {
        if !earlier.excludes(later) {
            return false;
        }
        if earlier.is_asynchronous() {
            return !self.flags_order(self.block, earlier, later);
        }
        !self.precedes(earlier, later) || self.lacks_fence(earlier, later)
    }

    /// True if an access by a thread of this block comes before one that another starts.
    pub fn precedes(&self, earlier: &Event, later: &Event) -> bool {
        let clock = &self.warps[later.warp() as usize];
        let by_barrier = clock.seen[earlier.warp() as usize] >= earlier.interval
            || earlier.warp() == later.warp() && clock.orders_some(earlier, later);
        earlier.thread() == later.thread()
            || by_barrier
            || self.flags_order(self.block, earlier, later)
    }

    /// True if an asynchronous access follows an ordinary one with no fence between the proxies.
    pub fn lacks_fence(&self, earlier: &Event, later: &Event) -> bool {
        let (knower, thread) = (later.thread(), earlier.thread());
        !self.knowers.knows_fence(knower, thread, earlier.interval)
    }

    /// True if threads that learn alone may make other lanes of a later access, by another warp of
    /// this block than an earlier one, know less than the first lane does.
    #[inline(always)]
    pub fn lanes_differ(&self, earlier: &Event, later: &Event) -> bool {
        self.knowers.is_some() && !self.lanes_agree(earlier, later)
    }

    #[cold]
    fn lanes_agree(&self, earlier: &Event, later: &Event) -> bool {
        self.warps[later.warp() as usize].seen[earlier.warp() as usize] >= earlier.interval
            || self
                .knowers
                .all_know(later.warp(), earlier.warp(), earlier.interval)
    }
}

impl Clock {
    fn find_floor(&mut self, warps: usize) {
        self.floor = self.seen[..warps].iter().copied().min().unwrap_or(0);
    }

    /// True if a synchronisation of some lanes lies between.
    #[inline(never)]
    fn orders_some(&self, earlier: &Event, later: &Event) -> bool {
        let both = 1 << earlier.lane() | 1 << later.lane();
        self.partial
            .iter()
            .any(|(mask, at)| mask & both == both && *at >= earlier.interval)
    }
}
