//! The vector clocks of single threads: what they learn through mbarriers and bulk groups.
//!
//! Barriers join the clocks of whole warps ([`super::clock`]). A thread that arrives at an
//! mbarrier, or waits there, does so alone: the other lanes of its warp only learn what it learned
//! when they synchronise with it. Clocks are therefore kept per thread, for the threads that have
//! learned something in this way.
//!
//! Besides threads there are **agents** of the async proxy, which execute what threads have
//! started: one for the copies of each mbarrier, and two for the bulk groups of each thread (reads
//! and writes). An agent's copies, or groups, are numbered in the order in which they start.

use std::sync::Arc;

use super::Event;
use super::release::{View, union};
use crate::counters::lanes;
use crate::registers::LaneMask;

/// A vector clock: for each thread and agent, the last epoch that happens before some moment.
#[derive(Clone, Debug, Default)]
pub(super) struct VectorClock {
    /// By thread number in the block: epochs of the thread's warp.
    pub threads: Vec<u32>,
    /// By agent number: copies of the agent.
    pub agents: Vec<u32>,
    /// By thread number: epochs that a fence between the proxies has followed.
    pub fenced: Vec<u32>,
    /// What is known of fences.
    pub view: View,
}

/// Replaces each entry by the larger one. A missing entry is 0.
pub(super) fn join(own: &mut Vec<u32>, other: &[u32]) {
    if own.len() < other.len() {
        own.resize(other.len(), 0);
    }
    for (own, other) in own.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}

/// Raises an entry to at least `to`.
pub(super) fn raise(list: &mut Vec<u32>, index: usize, to: u32) {
    if list.len() <= index {
        list.resize(index + 1, 0);
    }
    list[index] = list[index].max(to);
}

fn entry(list: &[u32], index: u32) -> u32 {
    list.get(index as usize).copied().unwrap_or(0)
}

impl VectorClock {
    pub fn join(&mut self, other: &Self) {
        self.join_epochs(other);
        if let Some(more) = &other.view {
            union(&mut self.view, more);
        }
    }

    /// Joins all but what is known of fences.
    pub fn join_epochs(&mut self, other: &Self) {
        join(&mut self.threads, &other.threads);
        join(&mut self.agents, &other.agents);
        join(&mut self.fenced, &other.fenced);
    }
}

/// A vector clock that several threads may share.
type Shared = Option<Arc<VectorClock>>;

/// The vector clocks of a block's threads, by thread number.
#[derive(Default)]
pub(super) struct ThreadClocks {
    /// The clocks, or nothing as long as no thread has learned anything in this way.
    threads: Vec<Shared>,
    /// The number of threads of the block.
    count: usize,
    /// The clock, the addition and the result of the last join. Lanes that learn the same share one
    /// clock.
    last: Option<[Arc<VectorClock>; 3]>,
}

impl ThreadClocks {
    pub fn start_block(&mut self, warps: u32) {
        self.threads.clear();
        self.count = 32 * warps as usize;
        self.last = None;
    }

    /// Whether any thread has learned anything in this way.
    #[inline(always)]
    pub fn is_some(&self) -> bool {
        !self.threads.is_empty()
    }

    /// Returns the entry of a thread's clock.
    fn entry(&mut self, thread: u32) -> Option<&mut Shared> {
        self.threads.resize(self.count, None);
        self.threads.get_mut(thread as usize)
    }

    /// Returns a thread's clock.
    pub fn of(&self, thread: u32) -> Option<&Arc<VectorClock>> {
        self.threads.get(thread as usize)?.as_ref()
    }

    /// Joins a vector clock into a thread's clock.
    pub fn learn(&mut self, thread: u32, more: &Arc<VectorClock>) {
        let last = self.last.take();
        let Some(own) = self.entry(thread) else {
            return;
        };
        let Some(before) = own else {
            *own = Some(more.clone());
            return;
        };
        if Arc::ptr_eq(before, more) {
            return;
        }
        let same = |[known, added, _]: &[Arc<VectorClock>; 3]| {
            Arc::ptr_eq(before, known) && Arc::ptr_eq(more, added)
        };
        let last = last.filter(same).unwrap_or_else(|| {
            let mut joined = VectorClock::clone(before);
            joined.join(more);
            [before.clone(), more.clone(), Arc::new(joined)]
        });
        *own = Some(last[2].clone());
        self.last = Some(last);
    }

    /// Changes a thread's clock.
    pub fn change(&mut self, thread: u32, change: impl FnOnce(&mut VectorClock)) {
        if let Some(own) = self.entry(thread) {
            change(Arc::make_mut(own.get_or_insert_default()));
        }
    }

    /// Joins the clocks of all threads of these warps, one bit per warp.
    #[inline]
    pub fn join_warps(&mut self, warps: u32) {
        if self.is_some() {
            let members = lanes(warps).flat_map(|warp| 32 * warp..32 * warp + 32);
            self.join(members);
        }
    }

    /// Joins the clocks of these lanes of a warp.
    pub fn join_lanes(&mut self, warp: u32, mask: LaneMask) {
        if self.is_some() {
            self.join(lanes(mask).map(|lane| 32 * warp + lane));
        }
    }

    #[cold]
    #[inline(never)]
    fn join(&mut self, threads: impl Iterator<Item = u32> + Clone) {
        let mut all: Vec<&Arc<VectorClock>> = Vec::new();
        let mut anybody_misses = false;
        for thread in threads.clone() {
            match self.of(thread) {
                Some(own) if all.iter().any(|known| Arc::ptr_eq(known, own)) => {}
                Some(own) => all.push(own),
                None => anybody_misses = true,
            }
        }
        let joined = match all[..] {
            [] => return,
            [_] if !anybody_misses => return,
            [only] => only.clone(),
            [first, ref others @ ..] => {
                let mut joined = VectorClock::clone(first);
                others.iter().for_each(|other| joined.join(other));
                Arc::new(joined)
            }
        };
        for thread in threads {
            if let Some(own) = self.threads.get_mut(thread as usize) {
                *own = Some(joined.clone());
            }
        }
    }

    /// Whether an access by another thread of the block happens before a thread's present.
    pub fn knows_thread(&self, later: u32, thread: u32, epoch: u32) -> bool {
        let own = self.of(later);
        own.is_some_and(|own| entry(&own.threads, thread) >= epoch)
    }

    /// Whether an agent's access happens before a thread's present.
    pub fn knows_agent(&self, later: u32, access: &Event) -> bool {
        let Some(agent) = access.agent() else {
            return false;
        };
        let own = self.of(later);
        own.is_some_and(|own| entry(&own.agents, agent) >= access.number())
    }

    /// Whether an agent's access happens before the present of some thread.
    pub fn any_knows(&self, access: &Event) -> bool {
        (0..self.threads.len() as u32).any(|thread| self.knows_agent(thread, access))
    }

    /// Whether, as a thread knows, a fence between the proxies has followed an access.
    pub fn knows_fence(&self, later: u32, thread: u32, epoch: u32) -> bool {
        let own = self.of(later);
        own.is_some_and(|own| entry(&own.fenced, thread) >= epoch)
    }

    /// Whether everything that another warp did up to an epoch happens before the present of all
    /// lanes of a warp.
    pub fn all_know(&self, later: u32, warp: u32, epoch: u32) -> bool {
        let mut last: Option<&Arc<VectorClock>> = None;
        (32 * later..32 * later + 32).all(|thread| {
            let Some(own) = self.of(thread) else {
                return false;
            };
            if last.is_some_and(|last| Arc::ptr_eq(last, own)) {
                return true;
            }
            last = Some(own);
            (32 * warp..32 * warp + 32).all(|other| entry(&own.threads, other) >= epoch)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knows(thread: usize, epoch: u32) -> Arc<VectorClock> {
        let mut thread_clocks = VectorClock::default();
        raise(&mut thread_clocks.threads, thread, epoch);
        Arc::new(thread_clocks)
    }

    #[test]
    fn a_lane_learns_alone_until_the_warp_meets() {
        let mut all = ThreadClocks::default();
        all.start_block(2);
        assert!(!all.is_some());
        all.learn(3, &knows(40, 7));
        assert!(all.knows_thread(3, 40, 7) && !all.knows_thread(3, 40, 8));
        assert!(!all.knows_thread(4, 40, 7));
        all.join_lanes(0, 0b11000);
        assert!(all.knows_thread(4, 40, 7) && !all.knows_thread(5, 40, 7));
        all.join_warps(0b11);
        assert!(all.knows_thread(63, 40, 7));
    }

    #[test]
    fn what_is_learned_adds_up() {
        let mut all = ThreadClocks::default();
        all.start_block(2);
        let (first, second) = (knows(40, 7), knows(41, 9));
        for thread in 0..32 {
            all.learn(thread, &first);
        }
        for thread in 0..32 {
            all.learn(thread, &second);
        }
        assert!(all.knows_thread(31, 40, 7) && all.knows_thread(31, 41, 9));
        assert!(Arc::ptr_eq(all.of(0).unwrap(), all.of(31).unwrap()));
        assert!(!all.all_know(0, 1, 1));
    }

    #[test]
    fn everybody_knows_a_warp() {
        let mut all = ThreadClocks::default();
        all.start_block(2);
        let whole = Arc::new(VectorClock {
            threads: [vec![0; 32], vec![5; 32]].concat(),
            ..VectorClock::default()
        });
        (0..31).for_each(|thread| all.learn(thread, &whole));
        assert!(!all.all_know(0, 1, 5));
        all.learn(31, &whole);
        assert!(all.all_know(0, 1, 5) && !all.all_know(0, 1, 6));
    }
}
