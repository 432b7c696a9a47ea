//! Data races in the shared memory of a block.
//!
//! **Detects** two accesses to the same byte by different threads of a block, at least one of them
//! a write, that nothing orders; after HiRace (Jain et al., arXiv 2401.04701), with vector clocks
//! a warp in place of its state machine.
//!
//! **What orders what** is told in [`super::clock`]. Besides: two atomics never race with each
//! other. Two `volatile` or `relaxed` accesses of different warps do not race, as each is one
//! indivisible access; those of one warp are reported all the same when nothing orders them,
//! because code that does this relies on lanes running in lockstep, which has not been promised
//! since Volta.
//!
//! **Can miss:** a write is remembered until the next one to the same word, and two readers are
//! remembered for each word. Lanes of one warp that write a word by the same store instruction are
//! not reported, as they usually write the same value. **May report wrongly:** code that orders
//! warps by flags in shared memory (a volatile store, a fence, a spinning reader).

use super::clock::Clocks;
use super::{Event, Finding, each_word};
use crate::observe::{Access, AccessKind};

/// The history of one 4-byte word.
#[derive(Clone, Copy, Default)]
struct Cell {
    /// Of which block this is the history; stale ones count as empty.
    generation: u32,
    readers: u8,
    written: bool,
    writer: Event,
    reader: [Event; 2],
}

/// The detector for one block at a time.
#[derive(Default)]
pub(super) struct SharedRaces {
    cells: Vec<Cell>,
    generation: u32,
}

impl SharedRaces {
    pub fn start_block(&mut self, shared_bytes: u32) {
        self.generation += 1;
        self.cells
            .resize(shared_bytes.div_ceil(4) as usize, Cell::default());
    }

    /// Notes an access; returns the last race it is part of.
    #[inline(always)]
    pub fn access(
        &mut self,
        clocks: &Clocks,
        access: &Access<'_>,
        event: Event,
    ) -> Option<Finding> {
        let mut found = None;
        let generation = self.generation;
        each_word(access, event, |address, second| {
            let Some(cell) = self.cells.get_mut(address as usize / 4) else {
                return;
            };
            if cell.generation != generation {
                *cell = Cell {
                    generation,
                    ..Cell::default()
                };
            }
            if let Some(first) = cell.touch(clocks, second) {
                found = Some(Finding::Shared {
                    first,
                    second,
                    offset: address as u32,
                });
            }
        });
        found
    }
}

impl Cell {
    /// Notes an access to this word; returns an earlier one that it races with.
    #[inline(always)]
    fn touch(&mut self, clocks: &Clocks, event: Event) -> Option<Event> {
        let mut race = None;
        if self.written && clocks.conflict(&self.writer, &event) {
            race = Some(self.writer);
        }
        if event.kind == AccessKind::Load {
            self.remember_reader(event);
        } else {
            let readers = &self.reader[..usize::from(self.readers)];
            race = race.or(readers.iter().find(|r| clocks.conflict(r, &event)).copied());
            (self.writer, self.written, self.readers) = (event, true, 0);
        }
        race
    }

    /// Keeps the latest readers: two of different threads where there are.
    #[inline(always)]
    fn remember_reader(&mut self, event: Event) {
        let same = |r: &Event| (r.warp, r.lane) == (event.warp, event.lane);
        match self.readers {
            0 => (self.reader[0], self.readers) = (event, 1),
            1 if !same(&self.reader[0]) => (self.reader[1], self.readers) = (event, 2),
            2 if !same(&self.reader[0]) => self.reader[1] = event,
            _ => self.reader[0] = event,
        }
    }
}
