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
use crate::observe::Access;

/// The history of one 4-byte word. An event of interval 0 is none.
#[derive(Clone, Copy, Default)]
struct Cell {
    /// Of which block this is the history; stale ones count as empty.
    generation: u32,
    writer: Event,
    /// The latest readers: of different threads, if there were several.
    readers: [Event; 2],
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
        let race = |earlier: &Event| earlier.is_some() && clocks.conflict(earlier, &event);
        if event.is_load() {
            if event.thread() != self.readers[0].thread() {
                self.readers[1] = self.readers[0];
            }
            self.readers[0] = event;
            return Some(self.writer).filter(race);
        }
        let [first, second] = self.readers;
        let found = [self.writer, first, second].into_iter().find(race);
        self.writer = event;
        self.readers = Default::default();
        found
    }
}
