//! Data races in the shared memory of a block.
//!
//! **Detects** two unordered accesses to the same byte by different threads of a block, at least
//! one of which is a write; after HiRace (Jacobson, Burtscher and Gopalakrishnan 2024, arXiv
//! 2401.04701), with one vector clock per warp instead of its state machine.
//!
//! **What orders accesses:** see [`super::clock`], for flags [`super::sync`], for mbarriers and
//! bulk copies [`super::proxy`]. Two atomics never race with each other. Lanes of one warp that
//! write one word by one instruction race if their values differ; the code that executes the store
//! reports that.
//!
//! For each word the detector remembers two readers and the last write or, if atomics followed, the
//! last write that is no atomic.
//!
//! **Can miss:** races with earlier readers than these two (`third_reader`); a missing barrier between
//! accesses that are all volatile (`volatile_without_barrier`).

use super::clock::Clocks;
use super::masked_writes::MaskedWrites;
use super::row_access::{self, RowAccess};
use super::words::Cells;
use super::{Event, Finding, lane_event, words_of};
use crate::access::Access;
use crate::alu::Isa;
use crate::counters::lanes;
use crate::pattern::Addresses;

/// The history of a row: of all its words together, or in the cells.
#[derive(Clone, Copy, Default)]
struct Row {
    /// The block whose history this is. A stale history counts as empty.
    generation: u32,
    /// Whether the history is in the row's cells.
    is_split: bool,
    writer: RowAccess,
    /// The latest readers. They are of different warps if there were several.
    readers: [RowAccess; 2],
}

/// The detector for one block at a time.
pub(super) struct SharedRaces {
    isa: Isa,
    rows: Vec<Row>,
    cells: Vec<Cells>,
    generation: u32,
    masked_writes: MaskedWrites,
}

impl SharedRaces {
    pub fn new(isa: Isa) -> Self {
        Self {
            isa,
            rows: Vec::new(),
            cells: Vec::new(),
            generation: 0,
            masked_writes: MaskedWrites::default(),
        }
    }

    pub fn start_block(&mut self, shared_bytes: u32) {
        self.generation += 1;
        self.masked_writes.clear();
        let rows = u64::from(shared_bytes).div_ceil(row_access::BYTES) as usize;
        self.rows.resize(rows, Row::default());
        self.cells.resize(rows, Cells::EMPTY);
    }

    /// Notes an access. Returns the last race that it is part of.
    #[inline(always)]
    pub fn access(
        &mut self,
        clocks: &Clocks,
        access: &Access<'_>,
        event: Event,
    ) -> Option<Finding> {
        let Some(rows) = RowAccess::of(access, event) else {
            return match access.addresses {
                Addresses::Row { origin, bytes: 4 } => self.row(clocks, origin, access.mask, event),
                _ => match access.bytes {
                    1 => self.lanes::<1>(clocks, access, event),
                    2 => self.lanes::<2>(clocks, access, event),
                    4 => self.lanes::<4>(clocks, access, event),
                    8 => self.lanes::<8>(clocks, access, event),
                    _ => self.lanes::<16>(clocks, access, event),
                },
            };
        };
        let mut found = None;
        for (address, row_access) in rows {
            if let Some(race) = self.row_access(clocks, address, row_access) {
                found = Some(race);
            }
        }
        found
    }

    /// Notes an access by one thread, or agent, to neighbouring words. Returns the last race that
    /// it is part of.
    pub fn range(
        &mut self,
        clocks: &Clocks,
        (start, bytes): (u64, u32),
        event: Event,
    ) -> Option<Finding> {
        let mut found = None;
        let event = event.with_all_bytes();
        let conflict = |earlier: &Event| {
            if event.is_asynchronous() {
                clocks.conflict_with_copy(earlier, &event)
            } else {
                clocks.conflict(earlier, &event)
            }
        };
        for at in (start..start + u64::from(bytes)).step_by(4) {
            let number = (at / row_access::BYTES) as usize;
            if self.open(number).is_none() {
                continue;
            }
            let word = at as usize / 4 % row_access::WORDS;
            if let Some(first) = self.cells[number].touch_word(conflict, word, event) {
                note(&mut found, first, event, at as u32);
            }
        }
        found
    }

    /// Returns the last write to a word.
    pub fn writer(&mut self, address: u64) -> Option<Event> {
        let number = self.open((address / row_access::BYTES) as usize)?;
        let word = address as usize / 4 % row_access::WORDS;
        Some(self.cells[number].writer(word))
    }

    /// Notes an access to a whole row.
    #[inline(always)]
    fn row_access(
        &mut self,
        clocks: &Clocks,
        address: u64,
        row_access: RowAccess,
    ) -> Option<Finding> {
        let generation = self.generation;
        let number = (address / row_access::BYTES) as usize;
        let row = self.rows.get_mut(number)?;
        if row.generation != generation {
            *row = Row { generation, ..Row::default() };
        }
        if row.is_split || !row.touch(clocks, row_access) {
            let found = self.part(clocks, number, u32::MAX, row_access);
            if !row_access.is_load() {
                let row = &mut self.rows[number];
                (row.is_split, row.writer, row.readers) = (false, row_access, Default::default());
            }
            return found;
        }
        None
    }

    /// Notes an access by lanes to contiguous words. `origin` is lane 0's offset even if lane 0 is
    /// inactive.
    #[inline(never)]
    fn row(&mut self, clocks: &Clocks, origin: u64, mask: u32, event: Event) -> Option<Finding> {
        // The value is below offset 0 if the first lanes are inactive.
        let (number, word) = (origin as i64 >> 7, origin as u32 / 4 % 32);
        let words = u64::from(mask) << word;
        let mut found = None;
        for (number, words, lane) in [
            (number, words as u32, 0u32.wrapping_sub(word)),
            (number + 1, (words >> 32) as u32, 32 - word),
        ] {
            let row_access = RowAccess::new(event, lane, 0);
            if words != 0
                && let Some(race) = self.part(clocks, number as usize, words, row_access)
            {
                found = Some(race);
            }
        }
        found
    }

    /// Notes an access to some words of a row, one bit per word.
    #[inline(never)]
    fn part(
        &mut self,
        clocks: &Clocks,
        number: usize,
        words: u32,
        row_access: RowAccess,
    ) -> Option<Finding> {
        let cells = self.open(number)?;
        let isa = self.isa;
        let seen = clocks.ordered_epochs(row_access.warp());
        if self.cells[cells].touch(isa, &row_access.part(words), &seen) {
            return None;
        }
        let mut found = None;
        for word in lanes(words) {
            let second = row_access.at(word as usize);
            let conflict = |earlier: &Event| clocks.conflict(earlier, &second);
            if let Some(first) = self.cells[cells].touch_word(conflict, word as usize, second) {
                let offset = number as u32 * row_access::BYTES as u32 + 4 * word;
                note(&mut found, first, second, offset);
            }
        }
        found
    }

    /// Notes an access lane by lane, with `BYTES` bytes each.
    #[inline(never)]
    fn lanes<const BYTES: u32>(
        &mut self,
        clocks: &Clocks,
        access: &Access<'_>,
        event: Event,
    ) -> Option<Finding> {
        let mut found = None;
        let mut opened = usize::MAX;
        for lane in lanes(access.mask) {
            let (address, second) = lane_event(access, BYTES, event, lane);
            let number = (address / row_access::BYTES) as usize;
            if number != opened {
                if self.open(number).is_none() {
                    continue;
                }
                opened = number;
            }
            let cells = &mut self.cells[number];
            // Accesses are aligned, so none extends beyond a row.
            let first_word = address as usize / 4 % row_access::WORDS;
            if words_of(BYTES) == 1
                && second.is_atomic()
                && self.masked_writes.is_empty()
                && cells.follow_atomics(first_word, second)
            {
                continue;
            }
            let conflict = |earlier: &Event| clocks.conflict(earlier, &second);
            for word in (first_word..).take(words_of(BYTES)) {
                let offset = address as u32 + 4 * (word - first_word) as u32;
                let last = cells.writer(word % row_access::WORDS);
                let mut first = cells.touch_word(conflict, word % row_access::WORDS, second);
                if first.is_none() && second.is_atomic() && self.masked_writes.concerns(&last) {
                    first = self.masked_writes.follow(clocks, offset, &last, &second);
                }
                if let Some(first) = first {
                    note(&mut found, first, second, offset);
                }
            }
        }
        found
    }

    /// Returns the number of a row's cells and moves its history there. Returns `None` if there is
    /// no such row.
    #[inline(always)]
    fn open(&mut self, number: usize) -> Option<usize> {
        let row = self.rows.get_mut(number)?;
        if row.generation != self.generation || !row.is_split {
            self.split(number);
        }
        Some(number)
    }

    /// Moves the history of a row into its cells.
    #[inline(never)]
    fn split(&mut self, number: usize) {
        let row = &mut self.rows[number];
        if row.generation != self.generation {
            *row = Row::default();
        }
        (row.generation, row.is_split) = (self.generation, true);
        self.cells[number] = if row.writer.is_some() || row.readers[0].is_some() {
            Cells::new(|word| row.writer.at(word), |reader, word| row.readers[reader].at(word))
        } else {
            Cells::EMPTY
        };
    }
}

/// Notes a race.
#[cold]
fn note(found: &mut Option<Finding>, first: Event, second: Event, offset: u32) {
    *found = Some(Finding::Shared { first, second, offset });
}

impl Row {
    /// Notes an access to the whole row as [`Cells::touch`] does for a word. Returns false, and
    /// notes nothing, if it may be part of a race or the histories of the words become different.
    #[inline(always)]
    fn touch(&mut self, clocks: &Clocks, row_access: RowAccess) -> bool {
        let [last, other] = self.readers;
        if self.writer.may_conflict(clocks, &row_access) {
            return false;
        }
        if !row_access.is_load() {
            if last.may_conflict(clocks, &row_access) || other.may_conflict(clocks, &row_access) {
                return false;
            }
            (self.writer, self.readers) = (row_access, Default::default());
            return true;
        }
        if last.is_some() && !last.is_by_threads_of(&row_access) {
            if last.is_by_warp_of(&row_access) {
                return false;
            }
            self.readers[1] = last;
        }
        self.readers[0] = row_access;
        true
    }
}
