//! What threads know of each other's stores: see [`super`].

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Store;
use super::access::{BlockId, LaneAccess, Reach, ThreadId};
use crate::races::{Shared, union};

/// In a view, the bit of the keys of threads.
const THREAD: u64 = 1 << 62;

/// The view of a thread, by word or thread: a stamp.
pub(super) type View = Shared<u32>;

/// What fences have released that reach the block, the device or the system.
#[derive(Clone, Default)]
pub(super) struct Released([View; 3]);

impl Released {
    /// What those that reach at least so far have released.
    pub fn at(&self, reach: Reach) -> &View {
        &self.0[(reach as usize).saturating_sub(1)]
    }

    /// What a fence releases that reaches so far.
    pub fn up_to(&mut self, reach: Reach) -> &mut [View] {
        &mut self.0[..reach as usize]
    }

    pub fn add(&mut self, more: &Self) {
        self.0.iter_mut().zip(&more.0).for_each(|(own, more)| join(own, more));
    }

    /// Whether any of them has a view for which this holds.
    pub fn any(&self, holds: impl Fn(&View) -> bool) -> bool {
        self.0.iter().any(holds)
    }
}

/// What a store publishes: what was released, by the block of the fence.
pub(super) type Published = Vec<(BlockId, Released)>;

/// What a thread knows.
#[derive(Clone, Default)]
pub(super) struct Thread {
    pub view: View,
    /// The stamp of its last store.
    pub stored: u32,
    pub released: Released,
    /// What it has seen and not acquired, by word.
    pub seen: FxHashMap<u64, Published>,
    /// Loads so far.
    pub loads: u32,
    /// Stale reads in a row.
    pub stale: u32,
}

impl Thread {
    /// Notes that the thread, as this access, has read a store.
    pub fn observe(&mut self, by: &LaneAccess, word: u64, store: &Store) {
        if !store.is_in(&self.view, by.thread) {
            raise(&mut self.view, word, store.stamp);
        }
        if store.by.is_some_and(|store| store.is_morally_strong_with(by)) {
            merge(self.seen.entry(word).or_default(), &store.published);
        }
        if by.acquires
            && let Some(seen) = self.seen.remove(&word)
        {
            self.acquire(by.thread.0, by.reach, [&seen]);
            self.seen.insert(word, seen);
        }
    }

    /// Adds to the view what was seen, as far as a scope reaches.
    pub fn acquire<'p>(
        &mut self,
        block: BlockId,
        reach: Reach,
        seen: impl IntoIterator<Item = &'p Published>,
    ) {
        for (origin, released) in seen.into_iter().flatten() {
            let needed = Reach::between(*origin, block);
            if reach >= needed {
                join(&mut self.view, released.at(needed));
            }
        }
    }

    /// Returns the view with the thread's own stores so far, as another thread may acquire it.
    pub fn released(&mut self, thread: ThreadId) -> &View {
        raise(&mut self.view, key(thread), self.stored);
        &self.view
    }

    /// Returns what a store by this thread to a word publishes, after its stores so far.
    pub fn publish(&mut self, by: &LaneAccess, history: &VecDeque<Store>) -> Published {
        if !by.is_strong() {
            return Vec::new();
        }
        let mut released = self.released.clone();
        if by.releases {
            let view = self.released(by.thread);
            released.up_to(by.reach).iter_mut().for_each(|own| join(own, view));
        }
        // A release at a word holds for the thread's later strong stores there, too.
        let is_own = |store: &&Store| store.by.is_some_and(|store| store.thread == by.thread);
        let mut published = vec![(by.thread.0, released)];
        if let Some(own) = history.iter().rev().find(is_own) {
            let is_of_block = |(origin, _): &&(BlockId, Released)| *origin == by.thread.0;
            merge(&mut published, own.published.iter().filter(is_of_block));
        }
        published.retain(|(_, released)| released.any(Option::is_some));
        published
    }

    /// Returns what a thread that comes after it knows, which begins with what it has seen.
    pub fn at_end(&self, id: ThreadId) -> View {
        let mut last = self.clone();
        last.acquire(id.0, Reach::System, self.seen.values());
        last.released(id).clone()
    }

    /// A thread that begins, with a fence of the whole system, with what others have known at their end.
    pub fn after(view: &View) -> Self {
        let released = Released(std::array::from_fn(|_| view.clone()));
        Self { view: view.clone(), released, ..Self::default() }
    }
}

/// Returns the key of a thread in a view. Words have their addresses.
pub(super) fn key((block, number): ThreadId) -> u64 {
    THREAD + (block << 10) + u64::from(number)
}

pub(super) fn stamp_in(view: &View, word: u64) -> u32 {
    view.as_ref().and_then(|view| view.get(&word)).copied().unwrap_or(0)
}

pub(super) fn raise(view: &mut View, word: u64, stamp: u32) {
    if stamp_in(view, word) < stamp {
        Arc::make_mut(view.get_or_insert_default()).insert(word, stamp);
    }
}

pub(super) fn is_same(one: &View, other: &View) -> bool {
    matches!((one, other), (Some(one), Some(other)) if Arc::ptr_eq(one, other))
}

pub(super) fn join(view: &mut View, more: &View) {
    if let Some(more) = more {
        union(view, more);
    }
}

pub(super) fn merge<'p>(
    published: &mut Published,
    more: impl IntoIterator<Item = &'p (BlockId, Released)>,
) {
    for (origin, released) in more {
        match published.iter_mut().find(|(own, _)| own == origin) {
            Some((_, own)) => own.add(released),
            None => published.push((*origin, released.clone())),
        }
    }
}
