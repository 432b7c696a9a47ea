//! Data races in device memory, between blocks and within one.
//!
//! **Detects** two accesses to the same byte in one launch by different threads, at least one of
//! them a write, that nothing orders.
//!
//! **What orders what:** threads of one block as [`super::clock`] tells. Threads of different blocks
//! only by a release and an acquire: after its access the earlier thread (or one of its block that
//! passed a barrier after it) must execute a fence (`__threadfence`) or a release, and the later
//! one (or one of its block that passed a barrier before it) an atomic, a volatile, relaxed or
//! acquiring read. Two atomics never race with each other, nor do two `volatile` or `relaxed`
//! accesses of different warps.
//!
//! **Can miss:** whether the acquiring read saw what the releasing thread wrote is not checked, nor
//! which lane of a warp executed the fence. Of each word the last writer and one reader are
//! remembered. Loads through the read-only path (`ld.global.nc`) are not remembered, as PTX allows
//! them only where nobody writes during the launch.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::clock::Clocks;
use super::{Event, Finding, both_strong, each_word, exclusive};
use crate::observe::{Access, AccessKind, Strength};

/// Words in a page of the history.
const PAGE_WORDS: usize = 1024;
/// Bytes of device memory that a page tells of.
const PAGE_BYTES: u64 = 4 * PAGE_WORDS as u64;
/// Parts of the history with a lock each.
const SHARDS: usize = 64;

/// An access, and the block that made it.
#[derive(Clone, Copy)]
struct Entry {
    block: u64,
    event: Event,
}

/// The history of one 4-byte word.
#[derive(Clone, Copy, Default)]
struct Cell {
    writer: Option<Entry>,
    reader: Option<Entry>,
}

type Page = Box<[Cell]>;

/// What a launch has done to device memory so far: about twelve bytes for each byte that is
/// written, or read other than through the read-only path.
pub(crate) struct GlobalHistory {
    shards: Vec<Mutex<HashMap<u64, Page>>>,
    /// For each warp of each block, up to which of its intervals its accesses are released.
    released: Vec<AtomicU32>,
    warps: usize,
}

impl GlobalHistory {
    /// For a grid of so many blocks. `None` gives one that nobody is going to use.
    pub fn new(grid: Option<(u64, u32)>) -> Self {
        let (blocks, warps) = grid.unwrap_or((0, 0));
        let entries = blocks as usize * warps as usize;
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        let released = std::iter::repeat_with(AtomicU32::default)
            .take(entries)
            .collect();
        Self {
            shards,
            released,
            warps: warps as usize,
        }
    }

    fn released(&self, block: u64, warp: u32) -> &AtomicU32 {
        &self.released[block as usize * self.warps + warp as usize]
    }
}

/// The detector, as one block uses it.
pub(super) struct GlobalRaces<'a> {
    history: &'a GlobalHistory,
    block: u64,
}

impl<'a> GlobalRaces<'a> {
    pub fn new(history: &'a GlobalHistory) -> Self {
        Self { history, block: 0 }
    }

    pub fn start_block(&mut self, block: u64) {
        self.block = block;
    }

    /// A warp releases what comes before its now.
    pub fn release(&self, clocks: &Clocks, warp: u32) {
        for (other, interval) in clocks.before(warp) {
            self.history
                .released(self.block, other)
                .fetch_max(interval, Ordering::Relaxed);
        }
    }

    /// Notes an access; returns the last race it is part of.
    pub fn access(
        &mut self,
        clocks: &mut Clocks,
        access: &Access<'_>,
        event: Event,
    ) -> Option<Finding> {
        if access.read_only {
            return None;
        }
        let mut found = None;
        let mut current: Option<(u64, std::sync::MutexGuard<'_, HashMap<u64, Page>>)> = None;
        each_word(access, event, |address, second| {
            let page = address / PAGE_BYTES;
            let shard = page % SHARDS as u64;
            if current.as_ref().is_none_or(|(held, _)| *held != shard) {
                current = None;
                let lock = self.history.shards[shard as usize].lock();
                current = Some((shard, lock.unwrap_or_else(PoisonError::into_inner)));
            }
            let Some((_, pages)) = &mut current else {
                return;
            };
            let cells = pages
                .entry(page)
                .or_insert_with(|| vec![Cell::default(); PAGE_WORDS].into());
            let cell = &mut cells[(address % PAGE_BYTES / 4) as usize];
            if let Some(first) = self.touch(cell, clocks, second) {
                let (first, first_block) = (first.event, first.block);
                found = Some(Finding::Global {
                    first,
                    first_block,
                    second,
                    address,
                });
            }
        });
        if access.strength == Strength::Strong && access.kind != AccessKind::Store {
            clocks.acquire(access.warp);
        }
        found
    }

    #[inline(always)]
    fn touch(&self, cell: &mut Cell, clocks: &Clocks, event: Event) -> Option<Entry> {
        let race = |entry: &Entry| self.conflict(clocks, entry, &event);
        let mut first = cell.writer.filter(race);
        let entry = Entry {
            block: self.block,
            event,
        };
        if event.kind == AccessKind::Load {
            if cell.reader.is_none_or(|r| r.block == self.block) {
                cell.reader = Some(entry);
            }
        } else {
            first = first.or(cell.reader.filter(race));
            (cell.writer, cell.reader) = (Some(entry), None);
        }
        first
    }

    #[inline(always)]
    fn conflict(&self, clocks: &Clocks, earlier: &Entry, later: &Event) -> bool {
        if earlier.block == self.block {
            return clocks.conflict(&earlier.event, later);
        }
        let event = &earlier.event;
        let released = || {
            let up_to = self.history.released(earlier.block, event.warp.into());
            up_to.load(Ordering::Relaxed) >= event.interval
        };
        exclusive(event, later)
            && !both_strong(event, later)
            && !(released() && clocks.has_acquired(later.warp.into()))
    }
}
