//! Data races in the shared memory of a block.
//!
//! **Detects** two accesses to the same byte by different threads of a block, at least one of them
//! a write, that nothing orders; after HiRace (Jain et al., arXiv 2401.04701), with vector clocks
//! a warp in place of its state machine.
//!
//! **What orders what** is told in [`super::clock`], for flags in [`super::sync`], for mbarriers and bulk
//! copies in [`super::proxy`]. Besides: two atomics never race with each
//! other. Lanes of one warp that write one word by one instruction race if their values differ; that
//! they do is told by who executes the store.
//!
//! **Can miss:** a write is remembered until the next one to the same word, and two readers are
//! remembered for each word.

use super::clock::Clocks;
use super::sweep::{self, Sweep};
use super::{Event, Finding, each_word};
use crate::observe::Access;

/// The history of one 4-byte word. An event of interval 0 is none.
#[derive(Clone, Copy, Default)]
struct Cell {
    writer: Event,
    /// The latest readers: of different threads, if there were several.
    readers: [Event; 2],
}

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
#[derive(Default)]
pub(super) struct SharedRaces {
    rows: Vec<Row>,
    cells: Vec<Cell>,
    generation: u32,
}

impl SharedRaces {
    pub fn start_block(&mut self, shared_bytes: u32) {
        self.generation += 1;
        let rows = u64::from(shared_bytes).div_ceil(sweep::BYTES) as usize;
        self.rows.resize(rows, Row::default());
        self.cells.resize(rows * sweep::WORDS, Cell::default());
    }

    /// Notes an access; returns the last race it is part of.
    #[inline(always)]
    pub fn access(
        &mut self,
        clocks: &Clocks<'_>,
        access: &Access<'_>,
        event: Event,
    ) -> Option<Finding> {
        let mut found = None;
        match Sweep::of(access, event) {
            Some(sweeps) => {
                for (address, sweep) in sweeps {
                    if let Some(race) = self.sweep(clocks, address, sweep) {
                        found = Some(race);
                    }
                }
            }
            None => each_word(access, event, |address, event| {
                if let Some(race) = self.word(|e| clocks.conflict(e, &event), address, event) {
                    found = Some(race);
                }
            }),
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
        let words = (start..start + u64::from(bytes)).step_by(4);
        let event = event.with_all_bytes();
        let conflict = |earlier: &Event| match event.is_asynchronous() {
            true => clocks.conflict_with_copy(earlier, &event),
            false => clocks.conflict(earlier, &event),
        };
        words.fold(None, |found, at| self.word(conflict, at, event).or(found))
    }

    /// The last write to a word.
    pub fn writer(&mut self, address: u64) -> Option<Event> {
        let word = address as usize / 4;
        let row = self.rows.get(word / sweep::WORDS)?;
        if row.generation != self.generation || !row.is_split {
            self.split(word / sweep::WORDS);
        }
        self.cells.get(word).map(|cell| cell.writer)
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
            return self.words(clocks, number, sweep);
        }
        None
    }

    /// Notes an access to a whole row word by word.
    #[inline(never)]
    fn words(&mut self, clocks: &Clocks<'_>, number: usize, sweep: Sweep) -> Option<Finding> {
        let mut found = None;
        let start = number as u64 * sweep::BYTES;
        for word in 0..sweep::WORDS {
            let address = start + 4 * word as u64;
            let event = sweep.at(word);
            if let Some(race) = self.word(|e| clocks.conflict(e, &event), address, event) {
                found = Some(race);
            }
        }
        if !sweep.is_load() {
            let row = &mut self.rows[number];
            (row.is_split, row.writer, row.readers) = (false, sweep, Default::default());
        }
        found
    }

    /// Notes an access to one word; `conflict` tells with which earlier ones it would race.
    #[inline(always)]
    fn word(
        &mut self,
        conflict: impl Fn(&Event) -> bool,
        address: u64,
        second: Event,
    ) -> Option<Finding> {
        let generation = self.generation;
        let word = address as usize / 4;
        let row = self.rows.get_mut(word / sweep::WORDS)?;
        if row.generation != generation || !row.is_split {
            self.split(word / sweep::WORDS);
        }
        let cell = self.cells.get_mut(word)?;
        let first = cell.touch(conflict, second)?;
        Some(Finding::Shared {
            first,
            second,
            offset: address as u32,
        })
    }

    /// Moves the history of a row into its cells.
    #[inline(never)]
    fn split(&mut self, number: usize) {
        let row = &mut self.rows[number];
        if row.generation != self.generation {
            *row = Row::default();
        }
        (row.generation, row.is_split) = (self.generation, true);
        let cells = self.cells[number * sweep::WORDS..].iter_mut();
        for (word, cell) in cells.take(sweep::WORDS).enumerate() {
            *cell = Cell {
                writer: row.writer.at(word),
                readers: row.readers.map(|reader| reader.at(word)),
            };
        }
    }
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

impl Cell {
    /// Notes an access to this word; returns an earlier one that it races with.
    #[inline(always)]
    fn touch(&mut self, conflict: impl Fn(&Event) -> bool, event: Event) -> Option<Event> {
        let race = |earlier: Event| (earlier.is_some() && conflict(&earlier)).then_some(earlier);
        let writer = self.writer;
        if event.is_load() {
            if !event.is_by_thread_of(&self.readers[0]) {
                self.readers[1] = self.readers[0];
            }
            self.readers[0] = event;
            return race(writer);
        }
        self.writer = event;
        let [first, second] = self.readers;
        if !first.is_some() {
            return race(writer);
        }
        self.readers = Default::default();
        let mut earlier = [writer, first, second].into_iter();
        earlier.find(|earlier| race(*earlier).is_some())
    }
}
