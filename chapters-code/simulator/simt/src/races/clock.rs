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

use super::Event;
use super::release::{Epochs, Extent, Fence, Known, Reach, Release, View, Views, union};
use super::sync::orders;
use super::thread_clocks::{ThreadClocks, VectorClock, raise};
use super::words::OrderedEpochs;
use crate::counters::lanes;
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
    /// What its lanes know of fences.
    views: Views,
}

/// The clocks of a block's warps.
#[derive(Default)]
pub(super) struct Clocks {
    warps: Vec<Clock>,
    /// What single threads have learned through mbarriers and bulk groups.
    pub thread_clocks: ThreadClocks,
    block: u64,
    /// Whether a thread of the block knows of any fence.
    has_views: bool,
}

impl Clocks {
    pub fn start_block(&mut self, block: u64, warps: u32, inherited: &View) {
        self.block = block;
        self.thread_clocks.start_block(warps);
        self.warps.clear();
        let views = Views::all(inherited.clone());
        self.warps.resize(warps as usize, Clock { epoch: 1, views, ..Clock::default() });
        self.has_views = inherited.is_some();
    }

    pub fn epoch(&self, warp: u32) -> u32 {
        self.warps[warp as usize].epoch
    }

    /// Begins a new epoch.
    pub fn advance(&mut self, warp: u32) {
        self.warps[warp as usize].epoch += 1;
    }

    /// Notes that lanes of a warp execute a fence.
    pub fn fence(&mut self, warp: u32, lanes: LaneMask, scope: Scope) {
        let clock = &mut self.warps[warp as usize];
        clock.views.fence(Fence { lanes, scope, epoch: clock.epoch });
        clock.epoch += 1;
        self.has_views = true;
    }

    /// Whether a thread of the block knows of any fence.
    #[inline(always)]
    pub fn has_views(&self) -> bool {
        self.has_views
    }

    /// Returns what a thread knows of fences. Its own are included once they are settled.
    pub fn view(&self, warp: u32, lane: u32) -> &View {
        self.warps[warp as usize].views.of(lane)
    }

    /// Adds the own fences of lanes of a warp to what they know of fences.
    pub fn settle(&mut self, warp: u32, mask: LaneMask) {
        let views = &mut self.warps[warp as usize].views;
        let fences: Vec<_> = views.fences(mask).collect();
        views.forget_fences(mask);
        for fence in fences {
            for lane in lanes(fence.lanes) {
                let release = self.release(warp, &Fence { lanes: 1 << lane, ..fence });
                let own = Known::from_iter([(self.block, Arc::new(release))]);
                self.warps[warp as usize].views.learn(1 << lane, &Arc::new(own));
            }
        }
    }

    /// Returns what a fence by lanes of a warp has covered, if they have learned nothing since.
    fn release(&self, warp: u32, fence: &Fence) -> Release {
        let clock = &self.warps[warp as usize];
        let mut covered = Epochs::of_warps(clock.ordered[..self.warps.len()].iter().copied());
        covered.raise(warp, fence.lanes, fence.epoch);
        for (mask, at) in clock.partial.iter().filter(|(mask, _)| mask & fence.lanes != 0) {
            covered.raise(warp, *mask, *at);
        }
        for lane in lanes(if self.thread_clocks.is_some() { fence.lanes } else { 0 }) {
            if let Some(learned) = self.thread_clocks.of(32 * warp + lane) {
                covered.add(&learned.threads, &learned.agents);
            }
        }
        let all = Epochs::of_warps(self.warps.iter().map(|clock| clock.epoch));
        Release::new(covered, all, fence.scope)
    }

    /// Notes what lanes of a warp learn of fences. Returns whether there is anything new.
    pub fn learn_of_fences(&mut self, warp: u32, lanes: LaneMask, more: &Arc<Known>) -> bool {
        self.has_views = true;
        self.warps[warp as usize].views.learn(lanes, more)
    }

    /// Returns what any of these lanes of a warp know of fences.
    pub fn joined_view(&self, warp: u32, mask: LaneMask) -> View {
        let views = &self.warps[warp as usize].views;
        let mut joined = None;
        for fence in views.fences(mask) {
            let own = Known::from_iter([(self.block, Arc::new(self.release(warp, &fence)))]);
            union(&mut joined, &Arc::new(own));
        }
        views.add_to(mask, &mut joined);
        joined
    }

    /// Joins what the threads of these warps know of fences, one bit per warp.
    #[inline(never)]
    fn join_views(&mut self, warps: u32) {
        let mut joined = None;
        for warp in lanes(warps) {
            if let Some(known) = self.joined_view(warp, LaneMask::MAX) {
                union(&mut joined, &known);
            }
        }
        for warp in lanes(warps) {
            self.warps[warp as usize].views = Views::all(joined.clone());
        }
    }

    /// Joins a vector clock into a thread's clock at an mbarrier.
    pub fn learn(&mut self, warp: u32, lane: u32, more: &Arc<VectorClock>) {
        self.settle(warp, 1 << lane);
        self.thread_clocks.learn(32 * warp + lane, more);
        if let Some(view) = &more.view {
            self.learn_of_fences(warp, 1 << lane, view);
        }
    }

    /// Returns the vector clock of a thread's present.
    pub fn known(&mut self, warp: u32, lane: u32) -> VectorClock {
        let mut known = VectorClock::default();
        self.add_known(warp, lane, &mut known);
        known
    }

    /// Joins the vector clock of a thread's present into another one.
    pub fn add_known(&mut self, warp: u32, lane: u32, known: &mut VectorClock) {
        self.settle(warp, 1 << lane);
        let (own, thread) = (&self.warps[warp as usize], 32 * warp + lane);
        let ordered = &own.ordered[..self.warps.len()];
        known.threads.resize(known.threads.len().max(32 * ordered.len()), 0);
        for (threads, &ordered) in known.threads.chunks_exact_mut(32).zip(ordered) {
            threads.iter_mut().for_each(|known| *known = (*known).max(ordered));
        }
        for (mask, at) in own.partial.iter().filter(|(mask, _)| mask >> lane & 1 == 1) {
            lanes(*mask).for_each(|other| {
                raise(&mut known.threads, (32 * warp + other) as usize, *at);
            });
        }
        raise(&mut known.threads, thread as usize, own.epoch);
        if let Some(learned) = self.thread_clocks.of(thread) {
            known.join_epochs(learned);
        }
        if let Some(view) = own.views.of(lane) {
            union(&mut known.view, view);
        }
    }

    /// Joins the clocks of the warps that a barrier lets pass, one bit per warp.
    pub fn barrier_passed(&mut self, warps: u32) {
        if self.has_views {
            self.join_views(warps);
        }
        let count = self.warps.len();
        let mut joined = [0; WARPS];
        for clock in lanes(warps).map(|w| &self.warps[w as usize]) {
            for (all, ordered) in joined.iter_mut().zip(&clock.ordered[..count]) {
                *all = (*all).max(*ordered);
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
            clock.epoch += 1;
        }
    }

    pub fn warp_synchronised(&mut self, warp: u32, lanes: LaneMask) {
        if self.has_views {
            let joined = self.joined_view(warp, lanes);
            self.warps[warp as usize].views.meet(lanes, joined);
        }
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
        self.conflicts(earlier, later, Extent::Lane)
    }

    /// Whether accesses of two warps of this block, by all lanes to as many words, may race in one of them.
    #[inline(always)]
    pub fn rows_conflict(&self, earlier: &Event, later: &Event) -> bool {
        self.conflicts(earlier, later, Extent::Warp)
    }

    #[inline(always)]
    fn conflicts(&self, earlier: &Event, later: &Event, extent: Extent) -> bool {
        let clock = &self.warps[later.warp() as usize];
        if clock.ordered[earlier.warp() as usize] >= earlier.epoch
            || earlier.is_by_thread_of(later)
            || !earlier.conflicts(later)
        {
            return false;
        }
        if earlier.warp() != later.warp() {
            return !earlier.both_strong(later)
                && !self.flags_order(self.block, earlier, later, extent);
        }
        !earlier.same_instruction(later)
            && !earlier.both_atomic_or_relaxed(later)
            && !clock.orders_some(earlier, later)
            && !self.flags_order(self.block, earlier, later, extent)
    }

    /// Whether flags, or what a single thread has learned, order an access of any block before one
    /// of this block.
    #[inline(never)]
    pub fn flags_order(&self, block: u64, earlier: &Event, later: &Event, extent: Extent) -> bool {
        let reach = if block == self.block { Reach::Block } else { Reach::Device };
        block == self.block && self.is_known(earlier, later, extent)
            || orders(self.view_of(later, extent), block, earlier, reach, extent)
    }

    /// Returns what the thread of an access, or all lanes of its warp, know of fences.
    pub fn view_of(&self, later: &Event, extent: Extent) -> &View {
        let views = &self.warps[later.warp() as usize].views;
        match extent {
            Extent::Lane => views.of(later.lane()),
            Extent::Warp => &views.all,
        }
    }

    /// Whether flags order an access by another block before the present of some thread of this block.
    pub fn any_thread_knows(&self, block: u64, earlier: &Event) -> bool {
        let knows = |view: &View| orders(view, block, earlier, Reach::Device, Extent::Lane);
        self.warps.iter().any(|clock| clock.views.each().any(knows))
    }

    /// Whether the clock of a later access's thread itself, or of all lanes of its warp, includes an earlier one
    /// of this block.
    fn is_known(&self, earlier: &Event, later: &Event, extent: Extent) -> bool {
        if !self.thread_clocks.is_some() {
            return false;
        }
        if earlier.is_asynchronous() {
            return self.thread_clocks.knows_agent(later.thread(), earlier);
        }
        match extent {
            Extent::Lane => {
                let (later, thread) = (later.thread(), earlier.thread());
                self.thread_clocks.knows_thread(later, thread, earlier.epoch)
            }
            Extent::Warp => {
                self.thread_clocks.all_know(later.warp(), earlier.warp(), earlier.epoch)
            }
        }
    }

    /// Whether two accesses race if the later one is that of a copy which starts now.
    pub fn conflict_with_copy(&self, earlier: &Event, later: &Event) -> bool {
        if !earlier.conflicts(later) {
            return false;
        }
        if earlier.is_asynchronous() {
            return !self.flags_order(self.block, earlier, later, Extent::Lane);
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
            || self.flags_order(self.block, earlier, later, Extent::Lane)
    }

    /// Whether an asynchronous access follows an ordinary one without a fence between the proxies.
    pub fn lacks_fence(&self, earlier: &Event, later: &Event) -> bool {
        let (later, thread) = (later.thread(), earlier.thread());
        !self.thread_clocks.knows_fence(later, thread, earlier.epoch)
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
