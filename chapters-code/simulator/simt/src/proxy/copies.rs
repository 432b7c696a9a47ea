//! Bulk copies that are under way.
//!
//! A copy first reads all of its source and later writes all of its destination; when it does
//! either is for the schedule to choose. In between, the one may be written to and the other read,
//! to no good.

use std::collections::HashMap;

/// Which way a copy goes, and who waits for it how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// To shared memory; its bytes count for the mbarrier at this offset.
    Load { mbarrier: u32 },
    /// To device memory, in this bulk group of its thread, from 1.
    Store { group: u32 },
}

/// A copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bulk {
    /// Its number in the block, from 1.
    pub id: u32,
    pub direction: Direction,
    /// Offset in shared memory.
    pub shared: u32,
    /// Device address.
    pub global: u64,
    pub bytes: u32,
    /// Who started it, and where.
    pub warp: u32,
    pub lane: u32,
    pub pc: u32,
}

/// A copy under way.
#[derive(Debug)]
pub(crate) struct UnderWay {
    pub bulk: Bulk,
    /// What it has read, once it has.
    pub data: Option<Vec<u8>>,
}

/// The copies of a block.
#[derive(Debug, Default)]
pub(crate) struct Copies {
    under_way: Vec<UnderWay>,
    started: u32,
    /// Groups that threads have committed, by warp and lane.
    committed: HashMap<(u32, u32), u32>,
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

    /// The group that a thread's next copy to device memory belongs to.
    pub fn open_group(&self, thread: (u32, u32)) -> u32 {
        self.committed.get(&thread).copied().unwrap_or(0) + 1
    }

    /// A thread commits its copies.
    pub fn commit(&mut self, thread: (u32, u32)) {
        *self.committed.entry(thread).or_default() += 1;
    }

    /// Starts a copy, and gives it its number.
    pub fn start(&mut self, mut bulk: Bulk) -> Bulk {
        self.started += 1;
        bulk.id = self.started;
        self.under_way.push(UnderWay { bulk, data: None });
        bulk
    }

    pub fn get_mut(&mut self, index: usize) -> &mut UnderWay {
        &mut self.under_way[index]
    }

    /// Takes out a copy that is done.
    pub fn remove(&mut self, index: usize) -> UnderWay {
        self.under_way.remove(index)
    }

    /// A copy of one of a thread's groups up to this one that is under way.
    pub fn of_groups(&self, thread: (u32, u32), last: u32) -> Option<usize> {
        let belongs = |copy: &UnderWay| match copy.bulk.direction {
            Direction::Store { group } => {
                group <= last && (copy.bulk.warp, copy.bulk.lane) == thread
            }
            Direction::Load { .. } => false,
        };
        self.under_way.iter().position(belongs)
    }

    /// Likewise one that has not read its source.
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
