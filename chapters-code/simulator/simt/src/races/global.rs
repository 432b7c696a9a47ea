//! Data races in device memory, between blocks and within one.
//!
//! **Detects** two accesses to the same byte in one launch by different threads, at least one of
//! them a write, that nothing orders.
//!
//! **What orders accesses:** within a block see [`super::clock`]; between blocks only flags do, see
//! [`super::sync`]. Two atomics never race with each other, nor do two `volatile` or `relaxed`
//! accesses of different warps, provided that their scopes include each other's threads. Between
//! blocks, an access with the scope of the block (`.cta`, as in `atomicAdd_block`) counts as a
//! plain one. Between devices, see [`crate::group`], an access counts as a plain one unless its scope is
//! the system (`.sys`, as in `atomicAdd_system`, or `volatile`). Of launches that follow each other, all
//! accesses are ordered. Writing the same value is also a race, unless lanes of one warp do so by one
//! instruction.
//!
//! For each word the detector remembers the last writer and one reader. If atomics are the last
//! writers, it also remembers the write before them: an atomic of another block may race with that
//! write.
//!
//! **Can miss:** races with readers that are not remembered (`second_reading_block`); loads through
//! the read-only path (`ld.global.nc`), which PTX allows only if no thread writes during the launch
//! (`read_only_path`), unless [`crate::Options::read_only_loads`] is on.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::clock::Clocks;
use super::release::Extent;
use super::row_access::{self, RowAccess};
use super::sync::{Publications, knows_end_of};
use super::{Event, Fenced, Finding, lane_event, words_of};
use crate::access::Access;
use crate::facts::{Neighbours, Relation};

/// Rows of device memory per page of the history.
const PAGE_ROWS: usize = 32;
/// Bytes of device memory per page.
const PAGE_BYTES: u64 = row_access::BYTES * PAGE_ROWS as u64;
/// Parts of the history, each with its own lock. Neighbouring pages share one.
const SHARDS: u64 = 64;
/// Consecutive pages that share a lock.
const NEIGHBOURS: u64 = 64;

/// An access and the block that made it.
#[derive(Clone, Copy, Default)]
struct Entry {
    block: u32,
    event: Event,
}

/// An access to a whole row and the block that made it.
#[derive(Clone, Copy, Default)]
struct Whole {
    block: u32,
    row_access: RowAccess,
}

/// The history of a row: of all its words together or, if it is split, of each word.
#[derive(Default)]
struct Row {
    writer: Whole,
    reader: Whole,
    is_split: bool,
    /// The last writers of the words, allocated when first needed.
    writers: Option<Words>,
    readers: Option<Words>,
    /// The last writers other than atomics of the words that atomics wrote afterwards.
    before_atomics: Option<Words>,
}

/// The history of the words of a row. Four of them fit in a cache line.
type Words = Box<Entries>;

#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Entries([Entry; row_access::WORDS]);

/// The history of a page.
type Page = Box<[Row; PAGE_ROWS]>;

/// The pages of one part of the history.
#[derive(Default)]
struct Pages {
    /// The index of each page in the list.
    index: FxHashMap<u64, usize>,
    list: Vec<Page>,
}

impl Pages {
    /// Returns the index of a page in the list, and creates the page if there is none.
    fn find(&mut self, number: u64) -> usize {
        let list = &mut self.list;
        *self.index.entry(number).or_insert_with(|| {
            list.push(Page::default());
            list.len() - 1
        })
    }
}

/// An access to neighbouring words that the history remembers.
pub(crate) struct Remembered {
    /// The address of the first word.
    pub address: u64,
    pub words: u64,
    pub block: u64,
    /// The access to the first word.
    pub event: Event,
    /// Each lane accesses `1 << shift` words.
    pub shift: u8,
}

/// The accesses of a launch to device memory so far. It takes half a byte per byte that is accessed
/// other than through the read-only path. It takes four more bytes per byte that is written, and
/// per byte that is read, unless by whole rows.
pub(crate) struct GlobalHistory {
    shards: Vec<Mutex<Pages>>,
    publications: Publications,
}

impl GlobalHistory {
    pub fn new() -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, publications: Publications::new() }
    }

    /// Returns what threads have published.
    pub(super) fn publications(&self) -> &Publications {
        &self.publications
    }

    /// Calls `note` with the accesses that are remembered, in the order of their addresses.
    pub fn each(&self, mut note: impl FnMut(&Remembered)) {
        let shards: Vec<_> = (0..SHARDS).map(|shard| self.lock(shard)).collect();
        let pages = shards.iter().flat_map(|pages| pages.index.iter().map(|at| (at, &pages.list)));
        let mut pages: Vec<_> = pages.map(|((number, at), list)| (*number, &list[*at])).collect();
        pages.sort_unstable_by_key(|(number, _)| *number);
        for (number, page) in pages {
            let starts = (number * PAGE_BYTES..).step_by(row_access::BYTES as usize);
            page.iter().zip(starts).for_each(|(row, start)| row.each(start, &mut note));
        }
    }

    /// Returns the addresses at which blocks of this range have published last, in order.
    pub fn published_by(&self, blocks: &Range<u64>) -> Vec<u64> {
        self.publications.published_by(blocks)
    }

    /// Returns the detector as a block uses it.
    pub(super) fn of_block(&self, block: u64) -> GlobalRaces<'_> {
        GlobalRaces { history: self, block, neighbours: None, read_only_loads: false }
    }

    /// Returns the part of the history that holds a page, and its number.
    fn shard(page: u64) -> u64 {
        page / NEIGHBOURS % SHARDS
    }

    fn lock(&self, shard: u64) -> MutexGuard<'_, Pages> {
        self.shards[shard as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The detector, as one block uses it.
pub(super) struct GlobalRaces<'a> {
    history: &'a GlobalHistory,
    block: u64,
    /// The launch among those that may run at the same time.
    neighbours: Option<Neighbours<'a>>,
    /// See [`crate::Options::read_only_loads`].
    read_only_loads: bool,
}

impl<'a> GlobalRaces<'a> {
    pub fn new(
        history: &'a GlobalHistory,
        neighbours: Option<Neighbours<'a>>,
        read_only_loads: bool,
    ) -> Self {
        Self { history, block: 0, neighbours, read_only_loads }
    }

    /// Whether a block is of a launch that may run at the same time on another device.
    pub fn is_on_other_device(&self, block: u64) -> bool {
        let neighbours = self.neighbours.as_ref();
        neighbours.is_some_and(|all| all.relation(block) == Relation::OtherDevice)
    }

    pub fn start_block(&mut self, block: u64) {
        self.block = block;
    }

    /// Notes an access. Returns the last race that it is part of.
    pub fn access(
        &mut self,
        clocks: &Clocks,
        access: &Access<'_>,
        event: Event,
    ) -> Option<Finding> {
        if access.read_only && !self.read_only_loads {
            return None;
        }
        let mut found = None;
        let mut cursor = Cursor::new(self.history);
        match RowAccess::of(access, event) {
            Some(rows) => {
                for (address, row_access) in rows {
                    let row = cursor.row(address);
                    if !self.row_access(row, clocks, row_access)
                        && let Some(race) = self.words(row, clocks, address, row_access)
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

    /// Notes an access lane by lane, with `BYTES` bytes each. Lanes in one page are handled
    /// together.
    #[inline(never)]
    fn lanes<const BYTES: u32>(
        &self,
        cursor: &mut Cursor<'_>,
        clocks: &Clocks,
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
                // Accesses are aligned, so none extends beyond a row.
                let row = &mut page[(address % PAGE_BYTES / row_access::BYTES) as usize];
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

    /// Returns an access to these addresses by another block that happens before the present of no
    /// thread of this block: the event, the block, and the address.
    pub fn foreign(&self, clocks: &Clocks, range: Range<u64>) -> Option<(Event, u64, u64)> {
        let late = |entry: &Entry| {
            let block = entry.block.into();
            entry.event.is_some()
                && block != self.block
                && self.neighbours.as_ref().is_none_or(|n| n.relation(block) == Relation::Same)
                && !clocks.any_thread_knows(block, &entry.event)
        };
        for number in range.start / PAGE_BYTES..range.end / PAGE_BYTES {
            let pages = self.history.lock(GlobalHistory::shard(number));
            let Some(page) = pages.index.get(&number).map(|index| &pages.list[*index]) else {
                continue;
            };
            for (row, at) in
                page.iter().zip((number * PAGE_BYTES..).step_by(row_access::BYTES as usize))
            {
                let words = 0..row_access::WORDS;
                let entries = |word| row.entries(word).into_iter().map(move |entry| (word, entry));
                let mut all = words.flat_map(entries);
                if let Some((word, entry)) = all.find(|(_, entry)| late(entry)) {
                    return Some((entry.event, entry.block.into(), at + 4 * word as u64));
                }
            }
        }
        None
    }

    /// Notes an agent's access to neighbouring words. Returns the last race that it is part of.
    pub fn range(
        &self,
        clocks: &Clocks,
        (start, bytes): (u64, u32),
        event: Event,
    ) -> Option<Finding> {
        let mut cursor = Cursor::new(self.history);
        let words = (start..start + u64::from(bytes)).step_by(4);
        let event = event.with_all_bytes();
        let block = self.block;
        let conflict = |earlier: &Entry| {
            if u64::from(earlier.block) == block {
                clocks.conflict_with_copy(&earlier.event, &event)
            } else {
                self.conflict(clocks, earlier, &event)
            }
        };
        words.fold(None, |found, at| self.word(cursor.row(at), conflict, at, event).or(found))
    }

    /// Notes an access to a whole row as [`Self::touch`] does for a word. Returns false, and notes
    /// nothing, if the row is split or the access may be part of a race.
    #[inline(always)]
    fn row_access(&self, row: &mut Row, clocks: &Clocks, row_access: RowAccess) -> bool {
        if row.is_split || self.may_conflict(clocks, &row.writer, &row_access) {
            return false;
        }
        let block = self.block as u32;
        let whole = Whole { block, row_access };
        if row_access.is_load() {
            if !row.reader.row_access.is_some() || row.reader.block == block {
                row.reader = whole;
            }
            return true;
        }
        if self.may_conflict(clocks, &row.reader, &row_access) {
            return false;
        }
        (row.writer, row.reader) = (whole, Whole::default());
        true
    }

    /// Notes an access to a whole row, word by word.
    #[inline(never)]
    fn words(
        &self,
        row: &mut Row,
        clocks: &Clocks,
        start: u64,
        row_access: RowAccess,
    ) -> Option<Finding> {
        let mut found = None;
        for word in 0..row_access::WORDS {
            let address = start + 4 * word as u64;
            let event = row_access.at(word);
            let conflict = |e: &Entry| self.conflict(clocks, e, &event);
            if let Some(race) = self.word(row, conflict, address, event) {
                found = Some(race);
            }
        }
        if !row_access.is_load() {
            let block = self.block as u32;
            *row = Row { writer: Whole { block, row_access }, ..Row::default() };
        }
        found
    }

    /// Notes an access to one word. `conflict` decides with which earlier ones it would race.
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
        let word = (address % row_access::BYTES / 4) as usize;
        let first = self.touch(row, word, conflict, second)?;
        Some(Finding::Global {
            first: first.event,
            first_block: first.block.into(),
            second,
            address,
            fenced: Fenced::No,
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
        let entry = Entry { block: self.block as u32, event };
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

    /// Whether an access to a whole row may race with an earlier one in some word.
    #[inline(always)]
    fn may_conflict(&self, clocks: &Clocks, earlier: &Whole, later: &RowAccess) -> bool {
        let row_access = &earlier.row_access;
        if !row_access.is_some() {
            return false;
        }
        if earlier.block == self.block as u32 {
            return row_access.may_conflict(clocks, later);
        }
        let entry = Entry { block: earlier.block, event: row_access.at(0) };
        self.conflict_with_others(clocks, &entry, &later.at(0), Extent::Warp)
    }

    #[inline(always)]
    fn conflict(&self, clocks: &Clocks, earlier: &Entry, later: &Event) -> bool {
        if !earlier.event.is_some() {
            return false;
        }
        if earlier.block == self.block as u32 {
            return clocks.conflict(&earlier.event, later);
        }
        self.conflict_with_others(clocks, earlier, later, Extent::Lane)
    }

    /// The same for an access by another block. `extent` says whether both stand for those of a whole warp.
    #[inline(always)]
    fn conflict_with_others(
        &self,
        clocks: &Clocks,
        earlier: &Entry,
        later: &Event,
        extent: Extent,
    ) -> bool {
        let event = &earlier.event;
        if !event.overlaps(later) {
            return false;
        }
        if event.both_strong_between_blocks(later) {
            return self.neighbours.is_some()
                && self.conflict_of_devices(clocks, earlier, later, extent);
        }
        let block = earlier.block.into();
        !clocks.flags_order(block, event, later, extent)
            && !self.neighbours.as_ref().is_some_and(|neighbours| {
                let view = clocks.view_of(later, extent);
                neighbours.follows(block) || knows_end_of(view, block, neighbours)
            })
    }

    /// The same for accesses that are strong between blocks, of which launches on different devices
    /// make one each.
    #[cold]
    #[inline(never)]
    fn conflict_of_devices(
        &self,
        clocks: &Clocks,
        earlier: &Entry,
        later: &Event,
        extent: Extent,
    ) -> bool {
        let (event, block) = (&earlier.event, earlier.block.into());
        let Some(neighbours) = &self.neighbours else { return false };
        neighbours.relation(block) == Relation::OtherDevice
            && !(neighbours.is_of_system_scope(block, event.pc)
                && neighbours.own.is_of_system_scope(later.pc))
            && !(clocks.flags_order(block, event, later, extent)
                || knows_end_of(clocks.view_of(later, extent), block, neighbours))
    }
}

/// A page of the history, with its lock held.
struct Cursor<'a> {
    history: &'a GlobalHistory,
    number: u64,
    /// The index of the page in the list that the lock protects.
    index: usize,
    pages: Option<MutexGuard<'a, Pages>>,
}

impl<'a> Cursor<'a> {
    fn new(history: &'a GlobalHistory) -> Self {
        Self { history, number: 0, index: 0, pages: None }
    }

    /// Returns the row of an address.
    #[inline(always)]
    fn row(&mut self, address: u64) -> &mut Row {
        &mut self.page(address / PAGE_BYTES)[(address % PAGE_BYTES / row_access::BYTES) as usize]
    }

    /// Returns the page with this number.
    #[inline(always)]
    fn page(&mut self, number: u64) -> &mut Page {
        if number != self.number || self.pages.is_none() {
            self.seek(number);
        }
        let history = self.history;
        let pages = self.pages.get_or_insert_with(|| history.lock(GlobalHistory::shard(number)));
        &mut pages.list[self.index]
    }

    #[inline(never)]
    fn seek(&mut self, number: u64) {
        let shard = GlobalHistory::shard(number);
        if GlobalHistory::shard(self.number) != shard {
            // This lock is released before the other one is taken, or two threads could deadlock.
            self.pages = None;
        }
        let history = self.history;
        let pages = self.pages.get_or_insert_with(|| history.lock(shard));
        self.index = pages.find(number);
        self.number = number;
    }
}

impl Row {
    /// Returns the remembered accesses to a word.
    fn entries(&self, word: usize) -> [Entry; 2] {
        if !self.is_split {
            return [self.writer, self.reader]
                .map(|whole| Entry { block: whole.block, event: whole.row_access.at(word) });
        }
        let of =
            |words: &Option<Words>| words.as_ref().map_or_else(Entry::default, |all| all.0[word]);
        [of(&self.writers), of(&self.readers)]
    }

    /// Calls `note` with the accesses that are remembered. Of a word that atomics have written after a plain write, it
    /// is the plain one.
    fn each(&self, start: u64, note: &mut impl FnMut(&Remembered)) {
        for Whole { block, row_access } in [self.writer, self.reader] {
            if !self.is_split && row_access.is_some() {
                let (words, shift) = (row_access::WORDS as u64, row_access.shift());
                let (event, block) = (row_access.at(0), block.into());
                note(&Remembered { address: start, words, block, event, shift });
            }
        }
        for word in if self.is_split { 0..row_access::WORDS } else { 0..0 } {
            let [mut writer, reader] = self.entries(word);
            if let Some(before) = self.before_atomics.as_ref().map(|all| all.0[word])
                && before.event.is_some()
            {
                writer = before;
            }
            for Entry { block, event } in [writer, reader] {
                let (address, block) = (start + 4 * word as u64, block.into());
                if event.is_some() {
                    note(&Remembered { address, words: 1, block, event, shift: 0 });
                }
            }
        }
    }

    /// Gives each word a history of its own, equal to the row's.
    #[inline(never)]
    fn split(&mut self) {
        let words = |whole: Whole| -> Option<Words> {
            let entry = |word| Entry { block: whole.block, event: whole.row_access.at(word) };
            whole.row_access.is_some().then(|| Box::new(Entries(std::array::from_fn(entry))))
        };
        self.writers = words(self.writer);
        self.readers = words(self.reader);
        self.is_split = true;
    }

    /// Returns the write before the atomics on a word if the access races with it. The access does
    /// not race with the atomics. A plain access follows the last atomic and therefore everything
    /// before it.
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
    /// Notes a reader. The first block that reads a word stays its reader, with its last thread.
    #[inline(always)]
    fn note_reader(&mut self, reader: Self) {
        if !self.event.is_some() || self.block == reader.block {
            *self = reader;
        }
    }
}
