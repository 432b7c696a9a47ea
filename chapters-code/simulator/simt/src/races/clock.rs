//! The happens-before order of the accesses of one block's threads: one vector clock per warp.
//!
//! The time of a warp is divided into **epochs**: a new one begins at each barrier, each
//! `bar.warp.sync`, each fence and each arrival at an mbarrier. A warp's vector clock holds, for
//! every other warp, the last epoch that happens before its present. Barriers join the clocks.
//!
//! | earlier and later access | ordered by |
//! | --- | --- |
//! | of one thread | program order |
//! | of different warps | a block barrier that both warps pass in between |
//! | of different lanes of one warp | such a barrier, or a `bar.warp.sync` (`__syncwarp`) whose mask names both lanes |
//! | of any two threads | a flag, as [`super::sync`] describes |
//! | of one block | an arrival at an mbarrier and a wait there, as [`super::proxy`] describes |
//!
//! Shuffles and votes order no memory accesses. Two atomic or relaxed accesses do not race, because
//! each is indivisible, nor do two volatile ones of different warps. Two unordered volatile
//! accesses of one warp are reported: such code relies on lanes that run in lockstep, which has not
//! been guaranteed since Volta.

use std::sync::Arc;

use ptx::ir::Scope;

use super::event::FIRST_AGENT;
use super::sync::{Acquired, Releases, union};
use super::thread_clocks::{ThreadClocks, VectorClock, raise};
use super::words::OrderedEpochs;
use super::{Event, Fenced};
use crate::counters::lanes;
use crate::group::Neighbours;
use crate::registers::LaneMask;

/// The largest number of warps per block.
const WARPS: usize = 32;

/// The clock of one warp.
#[derive(Clone, Default)]
struct Clock {
    /// The current epoch, counted from 1.
    epoch: u32,
    /// For each warp, the last of its epochs that happens before this warp's present. For the warp
    /// itself, the epoch that its last synchronisation of all lanes ended.
    ordered: [u32; WARPS],
    /// The smallest entry of the vector clock.
    floor: u32,
    /// The warp's own epochs that synchronisations of some lanes ended.
    partial: Vec<(LaneMask, u32)>,
    /// What the warp has acquired through flags, directly or at a barrier.
    acquired: Acquired,
}

/// The clocks of a block's warps.
pub(super) struct Clocks<'a> {
    warps: Vec<Clock>,
    /// What single threads have learned through mbarriers and bulk groups.
    pub thread_clocks: ThreadClocks,
    block: u64,
    releases: &'a Releases,
}

impl<'a> Clocks<'a> {
    pub fn new(releases: &'a Releases) -> Self {
        Self { warps: Vec::new(), thread_clocks: ThreadClocks::default(), block: 0, releases }
    }

    pub fn start_block(&mut self, block: u64, warps: u32, acquired: &Acquired) {
        self.block = block;
        self.thread_clocks.start_block(warps);
        self.warps.clear();
        let clock = Clock { epoch: 1, acquired: acquired.clone(), ..Clock::default() };
        self.warps.resize(warps as usize, clock);
    }

    pub fn epoch(&self, warp: u32) -> u32 {
        self.warps[warp as usize].epoch
    }

    /// Begins a new epoch.
    pub fn advance(&mut self, warp: u32) {
        self.warps[warp as usize].epoch += 1;
    }

    /// Returns what a warp has acquired through flags.
    pub fn acquired(&self, warp: u32) -> &Acquired {
        &self.warps[warp as usize].acquired
    }

    pub fn acquired_mut(&mut self, warp: u32) -> &mut Acquired {
        &mut self.warps[warp as usize].acquired
    }

    /// Returns, for each actor of the block, the last epoch that happens before this warp's
    /// present. It includes what only some lanes know.
    pub fn before(&self, warp: u32) -> Vec<(u32, u32)> {
        let own = &self.warps[warp as usize];
        let ordered = own.ordered[..self.warps.len()].iter().enumerate();
        let mut before: Vec<_> = ordered.map(|(w, ordered)| (w as u32, *ordered)).collect();
        before[warp as usize].1 = own.epoch;
        if self.thread_clocks.is_some() {
            let (warps, agents) = self.thread_clocks.most(warp);
            for ((_, ordered), known) in before.iter_mut().zip(warps) {
                *ordered = known.max(*ordered);
            }
            before.extend((FIRST_AGENT..).zip(agents));
        }
        before
    }

    /// Joins a vector clock into a thread's clock at an mbarrier.
    pub fn learn(&mut self, warp: u32, lane: u32, more: &Arc<VectorClock>) {
        self.thread_clocks.learn(32 * warp + lane, more);
        if let Some(acquired) = &more.acquired {
            union(&mut self.warps[warp as usize].acquired, acquired);
        }
    }

    /// Returns the vector clock of a thread's present.
    pub fn known(&self, warp: u32, lane: u32) -> VectorClock {
        let (own, thread) = (&self.warps[warp as usize], 32 * warp + lane);
        let mut known = VectorClock::default();
        for &ordered in &own.ordered[..self.warps.len()] {
            known.threads.extend([ordered; 32]);
        }
        for (mask, at) in &own.partial {
            if mask >> lane & 1 == 1 {
                for other in lanes(*mask) {
                    raise(&mut known.threads, (32 * warp + other) as usize, *at);
                }
            }
        }
        raise(&mut known.threads, thread as usize, own.epoch);
        if let Some(learned) = self.thread_clocks.of(thread) {
            known.join(learned);
        }
        known.acquired.clone_from(&own.acquired);
        known
    }

    /// Joins the clocks of the warps that a barrier lets pass, one bit per warp.
    pub fn barrier_passed(&mut self, warps: u32) {
        let count = self.warps.len();
        let mut joined = [0; WARPS];
        let mut acquired = None;
        for clock in lanes(warps).map(|w| &self.warps[w as usize]) {
            for (all, ordered) in joined.iter_mut().zip(&clock.ordered[..count]) {
                *all = (*all).max(*ordered);
            }
            if let Some(more) = &clock.acquired {
                union(&mut acquired, more);
            }
        }
        for w in lanes(warps) {
            joined[w as usize] = self.warps[w as usize].epoch;
        }
        self.thread_clocks.join_warps(warps);
        let floor = joined[..count].iter().copied().min().unwrap_or(0);
        for w in lanes(warps) {
            let clock = &mut self.warps[w as usize];
            (clock.ordered, clock.floor) = (joined, floor);
            clock.acquired.clone_from(&acquired);
            clock.epoch += 1;
        }
    }

    pub fn warp_synchronised(&mut self, warp: u32, lanes: LaneMask) {
        let count = self.warps.len();
        let clock = &mut self.warps[warp as usize];
        if lanes == LaneMask::MAX {
            clock.ordered[warp as usize] = clock.epoch;
            clock.find_floor(count);
        } else {
            clock.partial.retain(|(mask, _)| *mask != lanes);
            clock.partial.push((lanes, clock.epoch));
        }
        clock.epoch += 1;
        self.thread_clocks.join_lanes(warp, lanes);
    }

    /// Whether the whole warp of an earlier access has synchronised since.
    #[inline(always)]
    pub fn has_synchronised_since(&self, earlier: &Event) -> bool {
        let warp = earlier.warp() as usize;
        self.warps[warp].ordered[warp] >= earlier.epoch
    }

    /// Whether an earlier access happens before the present of every warp of the block.
    pub fn is_before_all(&self, earlier: &Event) -> bool {
        let warp = earlier.warp() as usize;
        self.warps.iter().all(|clock| clock.ordered[warp] >= earlier.epoch)
    }

    /// Returns the epochs of this warp, and of any warp, that happen before its present.
    #[inline(always)]
    pub fn ordered_epochs(&self, warp: u32) -> OrderedEpochs {
        let clock = &self.warps[warp as usize];
        OrderedEpochs { own: clock.ordered[warp as usize], any: clock.floor }
    }

    /// Whether two accesses by threads of this block race. `later` happens now and is not
    /// asynchronous.
    #[inline(always)]
    pub fn conflict(&self, earlier: &Event, later: &Event) -> bool {
        let clock = &self.warps[later.warp() as usize];
        if clock.ordered[earlier.warp() as usize] >= earlier.epoch
            || earlier.is_by_thread_of(later)
            || !earlier.conflicts(later)
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

    /// Whether flags, or what a single thread has learned, order an access of any block before one
    /// of this block.
    #[inline(never)]
    pub fn flags_order(&self, block: u64, earlier: &Event, later: &Event) -> bool {
        let scope = if block == self.block { Scope::Block } else { Scope::Device };
        block == self.block && self.is_known(earlier, later)
            || self.is_released(block, earlier, later, scope)
    }

    /// Whether flags would order an access of any block before one of this block if releases at
    /// this scope sufficed.
    pub fn is_released(&self, block: u64, earlier: &Event, later: &Event, scope: Scope) -> bool {
        let acquired = self.acquired(later.warp());
        let from = (block, earlier.actor_id());
        self.releases.orders(from, earlier.number(), scope, acquired)
    }

    /// Whether the launch of a block has ended before one that follows it released what the warp of an access has
    /// acquired.
    pub fn knows_end_of(&self, block: u64, later: &Event, neighbours: &Neighbours<'_>) -> bool {
        self.releases.knows_end_of(block, self.acquired(later.warp()), neighbours)
    }

    /// Returns which too narrow scope of a fence or flag would order an access on another device before one
    /// of this block.
    pub fn is_narrowly_fenced(&self, block: u64, earlier: &Event, later: &Event) -> Fenced {
        let acquired = self.acquired(later.warp());
        let from = (block, earlier.actor_id());
        self.releases.narrow(from, earlier.number(), acquired)
    }

    /// Whether an access by another block happens before the present of a warp of this block.
    pub fn any_warp_knows(&self, block: u64, earlier: &Event) -> bool {
        let from = (block, earlier.actor_id());
        let knows = |clock: &Clock| {
            self.releases.orders(from, earlier.number(), Scope::Device, &clock.acquired)
        };
        self.warps.iter().any(knows)
    }

    /// Whether the clock of a later access's thread itself includes an earlier one of this block.
    fn is_known(&self, earlier: &Event, later: &Event) -> bool {
        if earlier.is_asynchronous() {
            return self.thread_clocks.knows_agent(later.thread(), earlier);
        }
        let (later, thread) = (later.thread(), earlier.thread());
        self.thread_clocks.knows_thread(later, thread, earlier.epoch)
    }

    /// Whether two accesses race if the later one is that of a copy which starts now.
    pub fn conflict_with_copy(&self, earlier: &Event, later: &Event) -> bool {
        if !earlier.conflicts(later) {
            return false;
        }
        if earlier.is_asynchronous() {
            return !self.flags_order(self.block, earlier, later);
        }
        !self.precedes(earlier, later) || self.lacks_fence(earlier, later)
    }

    /// Whether an access by a thread of this block happens before one that another starts.
    pub fn precedes(&self, earlier: &Event, later: &Event) -> bool {
        let clock = &self.warps[later.warp() as usize];
        let by_barrier = clock.ordered[earlier.warp() as usize] >= earlier.epoch
            || earlier.warp() == later.warp() && clock.orders_some(earlier, later);
        earlier.thread() == later.thread()
            || by_barrier
            || self.flags_order(self.block, earlier, later)
    }

    /// Whether an asynchronous access follows an ordinary one without a fence between the proxies.
    pub fn lacks_fence(&self, earlier: &Event, later: &Event) -> bool {
        let (later, thread) = (later.thread(), earlier.thread());
        !self.thread_clocks.knows_fence(later, thread, earlier.epoch)
    }

    /// Whether other lanes of a later access may know less than its first lane, because threads
    /// learn separately. The earlier access is by another warp of this block.
    #[inline(always)]
    pub fn lanes_differ(&self, earlier: &Event, later: &Event) -> bool {
        self.thread_clocks.is_some() && !self.lanes_agree(earlier, later)
    }

    #[cold]
    fn lanes_agree(&self, earlier: &Event, later: &Event) -> bool {
        self.warps[later.warp() as usize].ordered[earlier.warp() as usize] >= earlier.epoch
            || self.thread_clocks.all_know(later.warp(), earlier.warp(), earlier.epoch)
    }
}

impl Clock {
    fn find_floor(&mut self, warps: usize) {
        self.floor = self.ordered[..warps].iter().copied().min().unwrap_or(0);
    }

    /// Whether a synchronisation of some lanes lies between the accesses.
    #[inline(never)]
    fn orders_some(&self, earlier: &Event, later: &Event) -> bool {
        let both = 1 << earlier.lane() | 1 << later.lane();
        self.partial.iter().any(|(mask, at)| mask & both == both && *at >= earlier.epoch)
    }
}
