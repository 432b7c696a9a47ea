//! Pending bulk copies.
//!
//! A copy first reads all of its source and later writes all of its destination. The schedule
//! chooses when it does either. Accesses to the source or the destination in between are races.

use rustc_hash::FxHashMap;

/// The direction of a copy, and how threads wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// To shared memory. Its bytes count for the mbarrier at this offset.
    Load { mbarrier: u32 },
    /// To device memory, in this bulk group of its thread, counted from 1.
    Store { group: u32 },
}

/// A bulk copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bulk {
    /// The copy's number in the block, counted from 1.
    pub id: u32,
    pub direction: Direction,
    /// Offset in shared memory.
    pub shared: u32,
    /// Device address.
    pub global: u64,
    pub bytes: u32,
    /// The warp that started it; lane and instruction follow.
    pub warp: u32,
    pub lane: u32,
    pub pc: u32,
}

/// A pending copy.
#[derive(Debug)]
pub(crate) struct UnderWay {
    pub bulk: Bulk,
    /// The bytes that it has read, once it has.
    pub data: Option<Vec<u8>>,
}

/// The pending copies of a block.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    under_way: Vec<UnderWay>,
    started: u32,
    /// The number of groups that threads have committed, by warp and lane.
    committed: FxHashMap<(u32, u32), u32>,
}

impl Copies {
    pub fn clear(&mut self) {
        self.under_way.clear();
        self.committed.clear();
        self.started = 0;
    }

    #[inline(always)]
    pub fn count(&self) -> usize {
        self.under_way.len()
    }

    /// Returns the group that a thread's next copy to device memory belongs to.
    pub fn open_group(&self, thread: (u32, u32)) -> u32 {
        self.committed.get(&thread).copied().unwrap_or(0) + 1
    }

    /// Commits a thread's copies.
    pub fn commit(&mut self, thread: (u32, u32)) {
        *self.committed.entry(thread).or_default() += 1;
    }

    /// Starts a copy and numbers it.
    pub fn start(&mut self, mut bulk: Bulk) -> Bulk {
        self.started += 1;
        bulk.id = self.started;
        self.under_way.push(UnderWay { bulk, data: None });
        bulk
    }

    pub fn get_mut(&mut self, index: usize) -> &mut UnderWay {
        &mut self.under_way[index]
    }

    /// Removes a copy that is done.
    pub fn remove(&mut self, index: usize) -> UnderWay {
        self.under_way.remove(index)
    }

    /// Returns a pending copy of one of a thread's groups up to `last`.
    pub fn of_groups(&self, thread: (u32, u32), last: u32) -> Option<usize> {
        let belongs = |copy: &UnderWay| match copy.bulk.direction {
            Direction::Store { group } => {
                group <= last && (copy.bulk.warp, copy.bulk.lane) == thread
            }
            Direction::Load { .. } => false,
        };
        self.under_way.iter().position(belongs)
    }

    /// Returns a pending copy of one of a thread's groups up to `last` that has not read its
    /// source.
    pub fn of_groups_unread(&self, thread: (u32, u32), last: u32) -> Option<usize> {
        let unread = |copy: &UnderWay| match copy.bulk.direction {
            Direction::Store { group } => {
                let own = (copy.bulk.warp, copy.bulk.lane) == thread;
                own && group <= last && copy.data.is_none()
            }
            Direction::Load { .. } => false,
        };
        self.under_way.iter().position(unread)
    }
}
