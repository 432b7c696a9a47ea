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

use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::clock::Clocks;
use super::{Event, Finding, each_word};
use crate::observe::{Access, AccessKind, Strength};

/// Words of device memory that a page of the history tells of.
const PAGE_WORDS: usize = 1024;
/// Bytes of device memory that a page tells of.
const PAGE_BYTES: u64 = 4 * PAGE_WORDS as u64;
/// Parts of the history with a lock each. Neighbouring pages share one.
const SHARDS: u64 = 64;
/// Pages in a row that share a lock.
const NEIGHBOURS: u64 = 64;

/// An access, and the block that made it.
#[derive(Clone, Copy, Default)]
struct Entry {
    block: u32,
    event: Event,
}

/// What has been done to a page. Either part is made when it is first needed.
#[derive(Default)]
struct Page {
    writers: Option<Box<[Entry]>>,
    readers: Option<Box<[Entry]>>,
}

/// Pages by number. Page numbers are as good as random to a multiplication.
#[derive(Default)]
struct Multiply(u64);

impl Hasher for Multiply {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 ^ u64::from(byte));
        }
    }

    fn write_u64(&mut self, page: u64) {
        self.0 = page.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

type Pages = std::collections::HashMap<u64, Page, BuildHasherDefault<Multiply>>;

/// What a launch has done to device memory so far. Takes four bytes for each byte that is written,
/// and four for each that is read other than through the read-only path.
pub(crate) struct GlobalHistory {
    shards: Vec<Mutex<Pages>>,
    /// For each warp of each block, up to which of its intervals its accesses are released.
    released: Vec<AtomicU32>,
    warps: usize,
}

impl GlobalHistory {
    /// For a grid of so many blocks of so many warps. `None` gives one that nobody is going to use.
    pub fn new(grid: Option<(u64, u32)>) -> Self {
        let (blocks, warps) = grid.unwrap_or((0, 0));
        let entries = blocks as usize * warps as usize;
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        let released = std::iter::repeat_with(AtomicU32::default)
            .take(entries)
            .collect();
        let warps = warps as usize;
        Self {
            shards,
            released,
            warps,
        }
    }

    fn released(&self, block: u64, warp: u32) -> &AtomicU32 {
        &self.released[block as usize * self.warps + warp as usize]
    }

    /// The part of the history that a page is in, and its number.
    fn shard(page: u64) -> u64 {
        page / NEIGHBOURS % SHARDS
    }

    fn lock(&self, shard: u64) -> MutexGuard<'_, Pages> {
        self.shards[shard as usize]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
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
            let released = self.history.released(self.block, other);
            released.fetch_max(interval, Ordering::Relaxed);
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
        let first_page = access.addresses[access.mask.trailing_zeros() as usize & 31] / PAGE_BYTES;
        let mut shard = GlobalHistory::shard(first_page);
        let mut pages = self.history.lock(shard);
        each_word(access, event, |address, second| {
            let number = address / PAGE_BYTES;
            if GlobalHistory::shard(number) != shard {
                shard = GlobalHistory::shard(number);
                pages = self.history.lock(shard);
            }
            let page = pages.entry(number).or_default();
            let word = (address % PAGE_BYTES / 4) as usize;
            if let Some(first) = self.touch(page, word, clocks, second) {
                found = Some(Finding::Global {
                    first: first.event,
                    first_block: first.block.into(),
                    second,
                    address,
                });
            }
        });
        drop(pages);
        if access.strength == Strength::Strong && access.kind != AccessKind::Store {
            clocks.acquire(access.warp);
        }
        found
    }

    #[inline(always)]
    fn touch(&self, page: &mut Page, word: usize, clocks: &Clocks, event: Event) -> Option<Entry> {
        let entry = Entry {
            block: self.block as u32,
            event,
        };
        let race = |earlier: &Entry| self.conflict(clocks, earlier, &event);
        if event.is_load() {
            let readers = page.readers.get_or_insert_with(no_entries);
            readers[word].note_reader(entry);
            return page.writers.as_ref().map(|w| w[word]).filter(race);
        }
        let writers = page.writers.get_or_insert_with(no_entries);
        let writer = std::mem::replace(&mut writers[word], entry);
        let reader = page.readers.as_mut().map(|r| std::mem::take(&mut r[word]));
        Some(writer).filter(race).or(reader.filter(race))
    }

    #[inline(always)]
    fn conflict(&self, clocks: &Clocks, earlier: &Entry, later: &Event) -> bool {
        let event = &earlier.event;
        if !event.is_some() {
            return false;
        }
        if earlier.block == self.block as u32 {
            return clocks.conflict(event, later);
        }
        let released = || {
            let up_to = self.history.released(earlier.block.into(), event.warp());
            up_to.load(Ordering::Relaxed) >= event.interval
        };
        event.excludes(later)
            && !event.both_strong(later)
            && !(released() && clocks.has_acquired(later.warp()))
    }
}

fn no_entries() -> Box<[Entry]> {
    vec![Entry::default(); PAGE_WORDS].into()
}

impl Entry {
    /// The first block that reads a word stays its reader; of that block the last thread does.
    #[inline(always)]
    fn note_reader(&mut self, reader: Self) {
        if !self.event.is_some() || self.block == reader.block {
            *self = reader;
        }
    }
}
