//! Data races in device memory, between blocks and within one.
//!
//! **Detects** two accesses to the same byte in one launch by different threads, at least one of
//! them a write, that nothing orders.
//!
//! **What orders what:** threads of one block as [`super::clock`] tells. Threads of different blocks
//! only by flags, as [`super::sync`] tells. Two atomics never race with each other, nor do two
//! `volatile` or `relaxed` accesses of different warps, provided that their scopes include each
//! other's threads: between blocks, an access at the scope of the block (`.cta`, as of
//! `atomicAdd_block`) counts as a plain one. That two threads write the same value is no excuse,
//! unless they are lanes of one warp and do so by one instruction.
//!
//! Of each word the last writer and one reader are remembered, and where atomics are the last writers,
//! the one before them: an atomic of another block races with it, not with them.
//!
//! **Can miss:** races with readers that are not remembered (`second_reading_block`); loads through the
//! read-only path (`ld.global.nc`), which PTX allows only where nobody writes during the launch
//! (`read_only_path`).

use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::clock::Clocks;
use super::sweep::{self, Sweep};
use super::sync::Releases;
use super::{Event, Finding, lane_event, words_of};
use crate::observe::Access;

/// Rows of device memory that a page of the history tells of.
const PAGE_ROWS: usize = 32;
/// Bytes of device memory that a page tells of.
const PAGE_BYTES: u64 = sweep::BYTES * PAGE_ROWS as u64;
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

/// An access to a whole row, and the block that made it.
#[derive(Clone, Copy, Default)]
struct Whole {
    block: u32,
    sweep: Sweep,
}

/// What has been done to a row: to all its words together, or, where it is split, to each.
#[derive(Default)]
struct Row {
    writer: Whole,
    reader: Whole,
    is_split: bool,
    /// Each is made when it is first needed.
    writers: Option<Words>,
    readers: Option<Words>,
    /// The last writers that are no atomics, where atomics came after them.
    before_atomics: Option<Words>,
}

/// What has been done to the words of a row. Four of them lie in a cache line.
type Words = Box<Entries>;

#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Entries([Entry; sweep::WORDS]);

/// What has been done to a page.
type Page = Box<[Row; PAGE_ROWS]>;

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

/// The pages of one part of the history.
#[derive(Default)]
struct Pages {
    /// Where in the list each page is.
    index: std::collections::HashMap<u64, usize, BuildHasherDefault<Multiply>>,
    list: Vec<Page>,
}

impl Pages {
    /// Where in the list a page is. It is made if there is none.
    fn find(&mut self, number: u64) -> usize {
        let list = &mut self.list;
        *self.index.entry(number).or_insert_with(|| {
            list.push(Page::default());
            list.len() - 1
        })
    }
}

/// What a launch has done to device memory so far. Takes half a byte for each byte that is touched
/// other than through the read-only path, and four more for each that is
/// written, and for each that is read, where not by whole rows.
pub(crate) struct GlobalHistory {
    shards: Vec<Mutex<Pages>>,
    releases: Releases,
}

impl GlobalHistory {
    pub fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            releases: Releases::new(),
        }
    }

    /// What blocks have released and published.
    pub(super) fn releases(&self) -> &Releases {
        &self.releases
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

    /// Notes an access; returns the last race it is part of.
    pub fn access(
        &mut self,
        clocks: &Clocks<'_>,
        access: &Access<'_>,
        event: Event,
    ) -> Option<Finding> {
        if access.read_only {
            return None;
        }
        let mut found = None;
        let mut cursor = Cursor::new(self.history);
        match Sweep::of(access, event) {
            Some(sweeps) => {
                for (address, sweep) in sweeps {
                    let row = cursor.row(address);
                    if !self.sweep(row, clocks, sweep)
                        && let Some(race) = self.words(row, clocks, address, sweep)
                    {
                        found = Some(race);
                    }
                }
            }
            None => {
                let cursor = &mut cursor;
                found = match access.bytes {
                    1 => self.lanes::<1>(cursor, clocks, access, event),
                    2 => self.lanes::<2>(cursor, clocks, access, event),
                    4 => self.lanes::<4>(cursor, clocks, access, event),
                    8 => self.lanes::<8>(cursor, clocks, access, event),
                    _ => self.lanes::<16>(cursor, clocks, access, event),
                };
            }
        }
        found
    }

    /// Notes an access lane by lane, of `BYTES` bytes each. Those of one page are looked at together.
    #[inline(never)]
    fn lanes<const BYTES: u32>(
        &self,
        cursor: &mut Cursor<'_>,
        clocks: &Clocks<'_>,
        access: &Access<'_>,
        event: Event,
    ) -> Option<Finding> {
        let mut found = None;
        let mut rest = access.mask;
        while rest != 0 {
            let number = access.addresses.of(rest.trailing_zeros()) / PAGE_BYTES;
            let page = cursor.page(number);
            while rest != 0 {
                let lane = rest.trailing_zeros();
                let address = access.addresses.of(lane);
                if address / PAGE_BYTES != number {
                    break;
                }
                rest &= rest - 1;
                // Being aligned, no access goes beyond a row.
                let row = &mut page[(address % PAGE_BYTES / sweep::BYTES) as usize];
                let (address, event) = lane_event(access, BYTES, event, lane);
                let conflict = |e: &Entry| self.conflict(clocks, e, &event);
                for word in 0..words_of(BYTES) as u64 {
                    if let Some(race) = self.word(row, conflict, address + 4 * word, event) {
                        found = Some(race);
                    }
                }
            }
        }
        found
    }

    /// Notes an access by an agent to neighbouring words; returns the last race it is part of.
    pub fn range(
        &self,
        clocks: &Clocks<'_>,
        (start, bytes): (u64, u32),
        event: Event,
    ) -> Option<Finding> {
        let mut cursor = Cursor::new(self.history);
        let words = (start..start + u64::from(bytes)).step_by(4);
        let event = event.with_all_bytes();
        let block = self.block;
        let conflict = |earlier: &Entry| match u64::from(earlier.block) == block {
            true => clocks.conflict_with_copy(&earlier.event, &event),
            false => self.conflict(clocks, earlier, &event),
        };
        words.fold(None, |found, at| {
            self.word(cursor.row(at), conflict, at, event).or(found)
        })
    }

    /// Notes an access to a whole row, as [`Self::touch`] does to a word. False if the row is split,
    /// or it may be part of a race: then nothing is noted.
    #[inline(always)]
    fn sweep(&self, row: &mut Row, clocks: &Clocks<'_>, sweep: Sweep) -> bool {
        if row.is_split || self.may_conflict(clocks, &row.writer, &sweep) {
            return false;
        }
        let block = self.block as u32;
        let whole = Whole { block, sweep };
        if sweep.is_load() {
            if !row.reader.sweep.is_some() || row.reader.block == block {
                row.reader = whole;
            }
            return true;
        }
        if self.may_conflict(clocks, &row.reader, &sweep) {
            return false;
        }
        (row.writer, row.reader) = (whole, Whole::default());
        true
    }

    /// Notes an access to a whole row word by word.
    #[inline(never)]
    fn words(
        &self,
        row: &mut Row,
        clocks: &Clocks<'_>,
        start: u64,
        sweep: Sweep,
    ) -> Option<Finding> {
        let mut found = None;
        for word in 0..sweep::WORDS {
            let address = start + 4 * word as u64;
            let event = sweep.at(word);
            let conflict = |e: &Entry| self.conflict(clocks, e, &event);
            if let Some(race) = self.word(row, conflict, address, event) {
                found = Some(race);
            }
        }
        if !sweep.is_load() {
            let block = self.block as u32;
            *row = Row {
                writer: Whole { block, sweep },
                ..Row::default()
            };
        }
        found
    }

    /// Notes an access to one word; `conflict` tells with which earlier ones it would race.
    #[inline(always)]
    fn word(
        &self,
        row: &mut Row,
        conflict: impl Fn(&Entry) -> bool,
        address: u64,
        second: Event,
    ) -> Option<Finding> {
        if !row.is_split {
            row.split();
        }
        let word = (address % sweep::BYTES / 4) as usize;
        let first = self.touch(row, word, conflict, second)?;
        Some(Finding::Global {
            first: first.event,
            first_block: first.block.into(),
            second,
            address,
            fenced_in_block: false,
        })
    }

    #[inline(always)]
    fn touch(
        &self,
        row: &mut Row,
        word: usize,
        conflict: impl Fn(&Entry) -> bool,
        event: Event,
    ) -> Option<Entry> {
        let entry = Entry {
            block: self.block as u32,
            event,
        };
        if event.is_load() {
            row.readers.get_or_insert_default().0[word].note_reader(entry);
            let earlier = row.writers.as_ref()?.0[word];
            let first = conflict(&earlier).then_some(earlier);
            return first.or_else(|| row.behind_atomics(word, conflict, event));
        }
        let writers = row.writers.get_or_insert_default();
        let earlier = std::mem::replace(&mut writers.0[word], entry);
        if conflict(&earlier) {
            if let Some(readers) = &mut row.readers {
                readers.0[word] = Entry::default();
            }
            return Some(earlier);
        }
        if event.is_atomic() && earlier.event.is_some() && !earlier.event.is_atomic() {
            row.before_atomics.get_or_insert_default().0[word] = earlier;
        } else if let Some(first) = row.behind_atomics(word, &conflict, event) {
            return Some(first);
        }
        let reader = std::mem::take(&mut row.readers.as_mut()?.0[word]);
        conflict(&reader).then_some(reader)
    }

    /// True if an access to a whole row may race with an earlier one in some word.
    #[inline(always)]
    fn may_conflict(&self, clocks: &Clocks<'_>, earlier: &Whole, later: &Sweep) -> bool {
        let sweep = &earlier.sweep;
        if !sweep.is_some() {
            return false;
        }
        if earlier.block == self.block as u32 {
            return sweep.may_conflict(clocks, later);
        }
        let entry = Entry {
            block: earlier.block,
            event: sweep.at(0),
        };
        self.conflict(clocks, &entry, &later.at(0))
    }

    #[inline(always)]
    fn conflict(&self, clocks: &Clocks<'_>, earlier: &Entry, later: &Event) -> bool {
        let event = &earlier.event;
        if !event.is_some() {
            return false;
        }
        if earlier.block == self.block as u32 {
            return clocks.conflict(event, later);
        }
        event.overlaps(later)
            && !event.both_strong_between_blocks(later)
            && !clocks.flags_order(earlier.block.into(), event, later)
    }
}

/// A page of the history, with its lock held.
struct Cursor<'a> {
    history: &'a GlobalHistory,
    number: u64,
    /// Where in the list of the pages that are locked with it.
    index: usize,
    pages: Option<MutexGuard<'a, Pages>>,
}

impl<'a> Cursor<'a> {
    fn new(history: &'a GlobalHistory) -> Self {
        Self {
            history,
            number: 0,
            index: 0,
            pages: None,
        }
    }

    /// The row of an address.
    #[inline(always)]
    fn row(&mut self, address: u64) -> &mut Row {
        &mut self.page(address / PAGE_BYTES)[(address % PAGE_BYTES / sweep::BYTES) as usize]
    }

    /// The page of this number.
    #[inline(always)]
    fn page(&mut self, number: u64) -> &mut Page {
        if number != self.number || self.pages.is_none() {
            self.seek(number);
        }
        let history = self.history;
        let pages = self
            .pages
            .get_or_insert_with(|| history.lock(GlobalHistory::shard(number)));
        &mut pages.list[self.index]
    }

    #[inline(never)]
    fn seek(&mut self, number: u64) {
        let shard = GlobalHistory::shard(number);
        if GlobalHistory::shard(self.number) != shard {
            // Before the other is locked: two threads could wait for each other's.
            self.pages = None;
        }
        let history = self.history;
        let pages = self.pages.get_or_insert_with(|| history.lock(shard));
        self.index = pages.find(number);
        self.number = number;
    }
}

impl Row {
    /// Gives each word a history of its own, the same as before.
    #[inline(never)]
    fn split(&mut self) {
        let words = |whole: Whole| -> Option<Words> {
            let entry = |word| Entry {
                block: whole.block,
                event: whole.sweep.at(word),
            };
            whole
                .sweep
                .is_some()
                .then(|| Box::new(Entries(std::array::from_fn(entry))))
        };
        self.writers = words(self.writer);
        self.readers = words(self.reader);
        self.is_split = true;
    }

    /// The write that stands behind the atomics on a word, if an access, which is none of a race with
    /// these, is of one with that. A plain access follows the last atomic, and with it all before.
    #[inline(always)]
    fn behind_atomics(
        &mut self,
        word: usize,
        conflict: impl Fn(&Entry) -> bool,
        event: Event,
    ) -> Option<Entry> {
        let slot = &mut self.before_atomics.as_mut()?.0[word];
        if event.is_strong() && conflict(slot) {
            return Some(std::mem::take(slot));
        }
        if !event.is_load() && !event.is_atomic() {
            *slot = Entry::default();
        }
        None
    }
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
