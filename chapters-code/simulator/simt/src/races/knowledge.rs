//! What single threads know through mbarriers and bulk groups: for each, up to when everything that
//! others did comes before its own now.
//!
//! Barriers teach whole warps ([`super::clock`]). A thread that arrives at an mbarrier, or waits there,
//! does so alone: what it learns the other lanes of its warp do not know before they have synchronised
//! with it. So this is kept a thread, for those that have learned something in this way.
//!
//! Besides threads there are **agents**, which do asynchronously what threads have started: one for
//! the copies of each mbarrier, two for the bulk groups of each thread (what they read, what they
//! write). An agent's copies, or groups, are numbered in the order in which they start.

use std::sync::Arc;

use super::Event;
use super::sync::{Acquired, union};
use crate::counters::lanes;
use crate::registers::LaneMask;

/// Up to when everything comes before some point in time.
#[derive(Clone, Debug, Default)]
pub(super) struct Knowledge {
    /// By number of thread in the block: intervals of its warp.
    pub threads: Vec<u32>,
    /// By number of agent: its copies.
    pub agents: Vec<u32>,
    /// By number of thread: intervals up to which a fence between the proxies has followed.
    pub fenced: Vec<u32>,
    /// What has been acquired through flags.
    pub acquired: Acquired,
}

/// Entry by entry the larger one. A missing entry is 0.
fn join(own: &mut Vec<u32>, other: &[u32]) {
    if own.len() < other.len() {
        own.resize(other.len(), 0);
    }
    for (own, other) in own.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}

/// Raises an entry.
pub(super) fn raise(list: &mut Vec<u32>, index: usize, to: u32) {
    if list.len() <= index {
        list.resize(index + 1, 0);
    }
    list[index] = list[index].max(to);
}

fn entry(list: &[u32], index: u32) -> u32 {
    list.get(index as usize).copied().unwrap_or(0)
}

impl Knowledge {
    pub fn join(&mut self, other: &Self) {
        join(&mut self.threads, &other.threads);
        join(&mut self.agents, &other.agents);
        join(&mut self.fenced, &other.fenced);
        if let Some(more) = &other.acquired {
            union(&mut self.acquired, more);
        }
    }
}

/// Knowledge that several may share.
type Shared = Option<Arc<Knowledge>>;

/// What the threads of a block know, by number.
#[derive(Default)]
pub(super) struct Knowers {
    /// Empty as long as nobody knows anything in this way.
    threads: Vec<Shared>,
    /// Threads of the block.
    count: usize,
    /// What was known, what was added, and what became of it, the last time: lanes that learn the
    /// same share what they know.
    last: Option<[Arc<Knowledge>; 3]>,
}

impl Knowers {
    pub fn start_block(&mut self, warps: u32) {
        self.threads.clear();
        self.count = 32 * warps as usize;
        self.last = None;
    }

    /// True if anybody knows anything in this way.
    #[inline(always)]
    pub fn is_some(&self) -> bool {
        !self.threads.is_empty()
    }

    /// The place for what a thread knows.
    fn place(&mut self, thread: u32) -> Option<&mut Shared> {
        self.threads.resize(self.count, None);
        self.threads.get_mut(thread as usize)
    }

    /// What a thread knows.
    pub fn of(&self, thread: u32) -> Option<&Arc<Knowledge>> {
        self.threads.get(thread as usize)?.as_ref()
    }

    /// A thread learns something.
    pub fn learn(&mut self, thread: u32, more: &Arc<Knowledge>) {
        let last = self.last.take();
        let Some(own) = self.place(thread) else {
            return;
        };
        let Some(before) = own else {
            *own = Some(more.clone());
            return;
        };
        if Arc::ptr_eq(before, more) {
            return;
        }
        let same = |[known, added, _]: &[Arc<Knowledge>; 3]| {
            Arc::ptr_eq(before, known) && Arc::ptr_eq(more, added)
        };
        let last = last.filter(same).unwrap_or_else(|| {
            let mut joined = Knowledge::clone(before);
            joined.join(more);
            [before.clone(), more.clone(), Arc::new(joined)]
        });
        *own = Some(last[2].clone());
        self.last = Some(last);
    }

    /// Changes what a thread knows.
    pub fn change(&mut self, thread: u32, change: impl FnOnce(&mut Knowledge)) {
        if let Some(own) = self.place(thread) {
            change(Arc::make_mut(own.get_or_insert_default()));
        }
    }

    /// These warps, a bit each, tell each other all they know.
    #[inline]
    pub fn warps_meet(&mut self, warps: u32) {
        if self.is_some() {
            let members = lanes(warps).flat_map(|warp| 32 * warp..32 * warp + 32);
            self.meet(members);
        }
    }

    /// These lanes of a warp do.
    pub fn lanes_meet(&mut self, warp: u32, mask: LaneMask) {
        if self.is_some() {
            self.meet(lanes(mask).map(|lane| 32 * warp + lane));
        }
    }

    #[cold]
    #[inline(never)]
    fn meet(&mut self, threads: impl Iterator<Item = u32> + Clone) {
        let mut all: Vec<&Arc<Knowledge>> = Vec::new();
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
                let mut joined = Knowledge::clone(first);
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

    /// True if a thread knows of this access by another thread of the block.
    pub fn knows_thread(&self, knower: u32, thread: u32, interval: u32) -> bool {
        let own = self.of(knower);
        own.is_some_and(|own| entry(&own.threads, thread) >= interval)
    }

    /// True if a thread knows that this access by an agent is done.
    pub fn knows_agent(&self, knower: u32, access: &Event) -> bool {
        let Some(agent) = access.agent() else {
            return false;
        };
        let own = self.of(knower);
        own.is_some_and(|own| entry(&own.agents, agent) >= access.number())
    }

    /// True if some thread knows that this access by an agent is done.
    pub fn anybody_knows(&self, access: &Event) -> bool {
        (0..self.threads.len() as u32).any(|thread| self.knows_agent(thread, access))
    }

    /// True if for this thread a fence between the proxies has followed an access.
    pub fn knows_fence(&self, knower: u32, thread: u32, interval: u32) -> bool {
        let own = self.of(knower);
        own.is_some_and(|own| entry(&own.fenced, thread) >= interval)
    }

    /// True if all lanes of a warp know of all that another warp did up to an interval.
    pub fn all_know(&self, knower: u32, warp: u32, interval: u32) -> bool {
        let mut last: Option<&Arc<Knowledge>> = None;
        (32 * knower..32 * knower + 32).all(|thread| {
            let Some(own) = self.of(thread) else {
                return false;
            };
            if last.is_some_and(|last| Arc::ptr_eq(last, own)) {
                return true;
            }
            last = Some(own);
            (32 * warp..32 * warp + 32).all(|other| entry(&own.threads, other) >= interval)
        })
    }

    /// The most that any lane of a warp knows: of each warp, and of each agent.
    pub fn most(&self, warp: u32) -> (Vec<u32>, Vec<u32>) {
        let mut all = Knowledge::default();
        let mut last: Option<&Arc<Knowledge>> = None;
        for own in (32 * warp..32 * warp + 32).filter_map(|thread| self.of(thread)) {
            if !last.is_some_and(|last| Arc::ptr_eq(last, own)) {
                all.join(own);
            }
            last = Some(own);
        }
        let warps = all.threads.chunks(32);
        let warps = warps.map(|lanes| lanes.iter().copied().max().unwrap_or(0));
        (warps.collect(), all.agents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knows(thread: usize, interval: u32) -> Arc<Knowledge> {
        let mut knowledge = Knowledge::default();
        raise(&mut knowledge.threads, thread, interval);
        Arc::new(knowledge)
    }

    #[test]
    fn a_lane_learns_alone_until_the_warp_meets() {
        let mut all = Knowers::default();
        all.start_block(2);
        assert!(!all.is_some());
        all.learn(3, &knows(40, 7));
        assert!(all.knows_thread(3, 40, 7) && !all.knows_thread(3, 40, 8));
        assert!(!all.knows_thread(4, 40, 7));
        all.lanes_meet(0, 0b11000);
        assert!(all.knows_thread(4, 40, 7) && !all.knows_thread(5, 40, 7));
        all.warps_meet(0b11);
        assert!(all.knows_thread(63, 40, 7));
    }

    #[test]
    fn what_is_learned_adds_up() {
        let mut all = Knowers::default();
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
        assert_eq!(all.most(0).0, [0, 9]);
    }

    #[test]
    fn everybody_knows_a_warp() {
        let mut all = Knowers::default();
        all.start_block(2);
        let whole = Arc::new(Knowledge {
            threads: [vec![0; 32], vec![5; 32]].concat(),
            ..Knowledge::default()
        });
        (0..31).for_each(|thread| all.learn(thread, &whole));
        assert!(!all.all_know(0, 1, 5));
        all.learn(31, &whole);
        assert!(all.all_know(0, 1, 5) && !all.all_know(0, 1, 6));
    }
}
