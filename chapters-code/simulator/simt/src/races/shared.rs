//! Data races in the shared memory of a block.
//!
//! **Detects** two accesses to the same byte by different threads of a block, at least one of them
//! a write, that nothing orders; after HiRace (Jacobson, Burtscher and Gopalakrishnan 2024, arXiv 2401.04701), with vector clocks
//! a warp in place of its state machine.
//!
//! **What orders what** is told in [`super::clock`], for flags in [`super::sync`], for mbarriers and bulk
//! copies in [`super::proxy`]. Besides: two atomics never race with each
//! other. Lanes of one warp that write one word by one instruction race if their values differ; that
//! they do is told by who executes the store.
//!
//! Of each word the last write is remembered, or, where atomics follow, the last that is none, and two
//! readers.
//!
//! **Can miss:** races with earlier readers than these two (`third_reader`).

use super::clock::Clocks;
use super::standing::Standing;
use super::sweep::{self, Sweep};
use super::words::Cells;
use super::{Event, Finding, lane_event, words_of};
use crate::alu::Isa;
use crate::counters::lanes;
use crate::observe::Access;
use crate::pattern::Addresses;

/// The history of a row: of all its words together, or in the cells.
#[derive(Clone, Copy, Default)]
struct Row {
    /// Of which block this is the history; stale ones count as empty.
    generation: u32,
    /// True if the history is in the row's cells.
    is_split: bool,
    writer: Sweep,
    /// The latest readers: of different warps, if there were several.
    readers: [Sweep; 2],
}

/// The detector for one block at a time.
pub(super) struct SharedRaces {
    isa: Isa,
    rows: Vec<Row>,
    cells: Vec<Cells>,
    generation: u32,
    standing: Standing,
}

impl SharedRaces {
    pub fn new(isa: Isa) -> Self {
        Self {
            isa,
            rows: Vec::new(),
            cells: Vec::new(),
            generation: 0,
            standing: Standing::default(),
        }
    }

    pub fn start_block(&mut self, shared_bytes: u32) {
        self.generation += 1;
        self.standing.clear();
        let rows = u64::from(shared_bytes).div_ceil(sweep::BYTES) as usize;
        self.rows.resize(rows, Row::default());
        self.cells.resize(rows, Cells::EMPTY);
    }

    /// Notes an access; returns the last race it is part of.
    #[inline(always)]
    pub fn access(
        &mut self,
        clocks: &Clocks<'_>,
        access: &Access<'_>,
        event: Event,
    ) -> Option<Finding> {
        let Some(sweeps) = Sweep::of(access, event) else {
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
        for (address, sweep) in sweeps {
            if let Some(race) = self.sweep(clocks, address, sweep) {
                found = Some(race);
            }
        }
        found
    }

    /// Notes an access by one thread, or agent, to neighbouring words; returns the last race it is
    /// part of.
    pub fn range(
        &mut self,
        clocks: &Clocks<'_>,
        (start, bytes): (u64, u32),
        event: Event,
    ) -> Option<Finding> {
        let mut found = None;
        let event = event.with_all_bytes();
        let conflict = |earlier: &Event| match event.is_asynchronous() {
            true => clocks.conflict_with_copy(earlier, &event),
            false => clocks.conflict(earlier, &event),
        };
        for at in (start..start + u64::from(bytes)).step_by(4) {
            let number = (at / sweep::BYTES) as usize;
            if self.open(number).is_none() {
                continue;
            }
            let word = at as usize / 4 % sweep::WORDS;
            if let Some(first) = self.cells[number].touch_word(conflict, word, event) {
                note(&mut found, first, event, at as u32);
            }
        }
        found
    }

    /// The last write to a word.
    pub fn writer(&mut self, address: u64) -> Option<Event> {
        let number = self.open((address / sweep::BYTES) as usize)?;
        let word = address as usize / 4 % sweep::WORDS;
        Some(self.cells[number].writer(word))
    }

    /// Notes an access to a whole row.
    #[inline(always)]
    fn sweep(&mut self, clocks: &Clocks<'_>, address: u64, sweep: Sweep) -> Option<Finding> {
        let generation = self.generation;
        let number = (address / sweep::BYTES) as usize;
        let row = self.rows.get_mut(number)?;
        if row.generation != generation {
            *row = Row {
                generation,
                ..Row::default()
            };
        }
        if row.is_split || !row.touch(clocks, sweep) {
            let found = self.part(clocks, number, u32::MAX, sweep);
            if !sweep.is_load() {
                let row = &mut self.rows[number];
                (row.is_split, row.writer, row.readers) = (false, sweep, Default::default());
            }
            return found;
        }
        None
    }

    /// Notes an access by lanes to words side by side. Those of lane 0 would be at `origin`.
    #[inline(never)]
    fn row(
        &mut self,
        clocks: &Clocks<'_>,
        origin: u64,
        mask: u32,
        event: Event,
    ) -> Option<Finding> {
        // Below address 0 if the first lanes are inactive.
        let (number, word) = (origin as i64 >> 7, origin as u32 / 4 % 32);
        let words = u64::from(mask) << word;
        let mut found = None;
        for (number, words, lane) in [
            (number, words as u32, 0u32.wrapping_sub(word)),
            (number + 1, (words >> 32) as u32, 32 - word),
        ] {
            let sweep = Sweep::new(event, lane, 0);
            if words != 0
                && let Some(race) = self.part(clocks, number as usize, words, sweep)
            {
                found = Some(race);
            }
        }
        found
    }

    /// Notes an access to some words of a row, a bit each.
    #[inline(never)]
    fn part(
        &mut self,
        clocks: &Clocks<'_>,
        number: usize,
        words: u32,
        sweep: Sweep,
    ) -> Option<Finding> {
        let cells = self.open(number)?;
        let isa = self.isa;
        let seen = clocks.seen(sweep.warp());
        if self.cells[cells].touch(isa, &sweep.part(words), &seen) {
            return None;
        }
        let mut found = None;
        for word in lanes(words) {
            let second = sweep.at(word as usize);
            let conflict = |earlier: &Event| clocks.conflict(earlier, &second);
            if let Some(first) = self.cells[cells].touch_word(conflict, word as usize, second) {
                let offset = number as u32 * sweep::BYTES as u32 + 4 * word;
                note(&mut found, first, second, offset);
            }
        }
        found
    }

    /// Notes an access lane by lane, of `BYTES` bytes each.
    #[inline(never)]
    fn lanes<const BYTES: u32>(
        &mut self,
        clocks: &Clocks<'_>,
        access: &Access<'_>,
        event: Event,
    ) -> Option<Finding> {
        let mut found = None;
        let mut opened = usize::MAX;
        for lane in lanes(access.mask) {
            let (address, second) = lane_event(access, BYTES, event, lane);
            let number = (address / sweep::BYTES) as usize;
            if number != opened {
                if self.open(number).is_none() {
                    continue;
                }
                opened = number;
            }
            let cells = &mut self.cells[number];
            // Being aligned, no access goes beyond a row.
            let first_word = address as usize / 4 % sweep::WORDS;
            if words_of(BYTES) == 1
                && second.is_atomic()
                && self.standing.is_empty()
                && cells.follow_atomics(first_word, second)
            {
                continue;
            }
            let conflict = |earlier: &Event| clocks.conflict(earlier, &second);
            for word in (first_word..).take(words_of(BYTES)) {
                let offset = address as u32 + 4 * (word - first_word) as u32;
                let last = cells.writer(word % sweep::WORDS);
                let mut first = cells.touch_word(conflict, word % sweep::WORDS, second);
                if first.is_none() && second.is_atomic() && self.standing.concerns(&last) {
                    first = self.standing.follow(clocks, offset, &last, &second);
                }
                if let Some(first) = first {
                    note(&mut found, first, second, offset);
                }
            }
        }
        found
    }

    /// The number of a row's cells, which have its history from now on. `None` if there is no such
    /// row.
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
            Cells::new(
                |word| row.writer.at(word),
                |reader, word| row.readers[reader].at(word),
            )
        } else {
            Cells::EMPTY
        };
    }
}

/// Notes a race.
#[cold]
fn note(found: &mut Option<Finding>, first: Event, second: Event, offset: u32) {
    *found = Some(Finding::Shared {
        first,
        second,
        offset,
    });
}

impl Row {
    /// Notes an access to the whole row, as [`Cell::touch`] does to a word. False if it may be part
    /// of a race, or the words' histories come to differ: then nothing is noted.
    #[inline(always)]
    fn touch(&mut self, clocks: &Clocks<'_>, sweep: Sweep) -> bool {
        let [last, other] = self.readers;
        if self.writer.may_conflict(clocks, &sweep) {
            return false;
        }
        if !sweep.is_load() {
            if last.may_conflict(clocks, &sweep) || other.may_conflict(clocks, &sweep) {
                return false;
            }
            (self.writer, self.readers) = (sweep, Default::default());
            return true;
        }
        if last.is_some() && !last.is_by_threads_of(&sweep) {
            if last.is_by_warp_of(&sweep) {
                return false;
            }
            self.readers[1] = last;
        }
        self.readers[0] = sweep;
        true
    }
}
