//! Data races in the shared memory of a block.
//!
//! **Detects** two accesses to the same byte by different threads of a block, at least one of them
//! a write, that nothing orders; after HiRace (Jain et al., arXiv 2401.04701), with vector clocks
//! a warp in place of its state machine.
//!
//! **What orders what:**
//!
//! | earlier and later access | ordered by |
//! | --- | --- |
//! | of one thread | program order |
//! | of different warps | a block barrier that both warps pass in between |
//! | of different lanes of one warp | such a barrier, or a `bar.warp.sync` (`__syncwarp`) whose mask names both lanes |
//!
//! Shuffles and votes order no memory. Two atomics never race with each other. Two `volatile` or
//! `relaxed` accesses of different warps do not race, as each is one indivisible access; those of
//! one warp are reported all the same when nothing orders them, because code that does this relies
//! on lanes running in lockstep, which has not been promised since Volta.
//!
//! **Can miss:** a write is remembered until the next one to the same word, and two readers are
//! remembered for each word. Lanes of one warp that write a word by the same store instruction are
//! not reported, as they usually write the same value.
//! Ordering by flags in shared memory (a volatile store, a fence, a spinning reader) is not seen.

use crate::counters::lanes;
use crate::observe::{Access, AccessKind, Strength};
use crate::registers::LaneMask;

/// How many different findings a block keeps.
const LIMIT: usize = 16;

/// What one thread did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub pc: u32,
    pub warp: u8,
    pub lane: u8,
    /// The bytes of the word that it touched, a bit each.
    bytes: u8,
    strong: bool,
    /// The warp's interval at the time.
    interval: u32,
    pub kind: EventKind,
}

/// What an [`Event`] was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EventKind {
    #[default]
    Load,
    Store,
    Atomic,
}

/// What was found, before names are put to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    /// Two unordered accesses to the byte at `offset`.
    Race { first: Event, second: Event, offset: u32 },
    /// A shuffle that reads from a lane that takes no part in it.
    AbsentSource { warp: u32, pc: u32, lane: u32, source: u32 },
}

impl Finding {
    /// Findings with the same key tell the same story.
    pub fn key(&self) -> (u32, u32) {
        match self {
            Self::Race { first, second, .. } => (first.pc, second.pc),
            Self::AbsentSource { pc, .. } => (*pc, u32::MAX),
        }
    }
}

/// The different findings of a block, at most [`LIMIT`].
pub(crate) type Findings = Vec<Finding>;

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

/// What orders the accesses of one warp.
#[derive(Clone, Default)]
struct Clock {
    /// Counts barriers and warp synchronisations passed, from 1.
    interval: u32,
    /// For each warp, up to which of its intervals everything is ordered before this warp's now.
    seen: Vec<u32>,
    /// The interval that the last synchronisation of the whole warp ended.
    whole: u32,
    /// The same for synchronisations of some lanes.
    partial: Vec<(LaneMask, u32)>,
}

/// The detector for one block at a time.
#[derive(Default)]
pub(crate) struct SharedRaces {
    cells: Vec<Cell>,
    clocks: Vec<Clock>,
    generation: u32,
    findings: Findings,
}

impl SharedRaces {
    pub fn start_block(&mut self, warps: u32, shared_bytes: u32) {
        self.generation += 1;
        self.cells.resize(shared_bytes.div_ceil(4) as usize, Cell::default());
        self.clocks.clear();
        let seen = vec![0; warps as usize];
        self.clocks.resize(warps as usize, Clock { interval: 1, seen, ..Clock::default() });
    }

    pub fn barrier_passed(&mut self, warps: &mut dyn Iterator<Item = u32>) {
        let warps: Vec<usize> = warps.map(|w| w as usize).collect();
        let mut joined = vec![0; self.clocks.len()];
        for &w in &warps {
            let clock = &self.clocks[w];
            for (all, seen) in joined.iter_mut().zip(&clock.seen) {
                *all = (*all).max(*seen);
            }
            joined[w] = clock.interval;
        }
        for &w in &warps {
            let clock = &mut self.clocks[w];
            clock.seen.copy_from_slice(&joined);
            clock.whole = clock.interval;
            clock.interval += 1;
        }
    }

    pub fn warp_synchronised(&mut self, warp: u32, lanes: LaneMask) {
        let clock = &mut self.clocks[warp as usize];
        if lanes == LaneMask::MAX {
            clock.whole = clock.interval;
        } else {
            clock.partial.retain(|(mask, _)| *mask != lanes);
            clock.partial.push((lanes, clock.interval));
        }
        clock.interval += 1;
    }

    pub fn absent_source(&mut self, warp: u32, pc: u32, lane: u32, source: u32) {
        self.add(Finding::AbsentSource { warp, pc, lane, source });
    }

    pub fn take(&mut self) -> Findings {
        std::mem::take(&mut self.findings)
    }

    pub fn access(&mut self, access: &Access<'_>) {
        let kind = match access.kind {
            AccessKind::Load => EventKind::Load,
            AccessKind::Store => EventKind::Store,
            AccessKind::Atomic => EventKind::Atomic,
        };
        let interval = self.clocks[access.warp as usize].interval;
        for lane in lanes(access.mask) {
            let event = Event {
                pc: access.pc,
                warp: access.warp as u8,
                lane: lane as u8,
                bytes: 0,
                strong: access.strength == Strength::Strong,
                interval,
                kind,
            };
            self.touch(event, access.addresses[lane as usize] as u32, access.bytes);
        }
    }

    /// Splits an access into words.
    #[inline(always)]
    fn touch(&mut self, event: Event, offset: u32, bytes: u32) {
        if bytes >= 4 {
            for word in 0..bytes / 4 {
                self.touch_word(Event { bytes: 0xf, ..event }, offset + 4 * word);
            }
        } else {
            let bits = ((1u8 << bytes) - 1) << (offset & 3);
            self.touch_word(Event { bytes: bits, ..event }, offset);
        }
    }

    #[inline(always)]
    fn touch_word(&mut self, event: Event, offset: u32) {
        let Some(cell) = self.cells.get_mut(offset as usize / 4) else { return };
        if cell.generation != self.generation {
            *cell = Cell { generation: self.generation, ..Cell::default() };
        }
        let clock = &self.clocks[usize::from(event.warp)];
        let mut race = None;
        if cell.written && clock.conflict(&cell.writer, &event) {
            race = Some(cell.writer);
        }
        if event.kind == EventKind::Load {
            cell.remember_reader(event);
        } else {
            let readers = &cell.reader[..usize::from(cell.readers)];
            race = race.or(readers.iter().find(|r| clock.conflict(r, &event)).copied());
            (cell.writer, cell.written, cell.readers) = (event, true, 0);
        }
        if let Some(first) = race {
            self.add(Finding::Race { first, second: event, offset });
        }
    }

    #[cold]
    fn add(&mut self, finding: Finding) {
        let known = self.findings.iter().any(|f| f.key() == finding.key());
        if !known && self.findings.len() < LIMIT {
            self.findings.push(finding);
        }
    }
}

impl Cell {
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

impl Clock {
    /// True if nothing orders `earlier` before `later`, which is of this clock's warp, and they
    /// exclude each other.
    #[inline(always)]
    fn conflict(&self, earlier: &Event, later: &Event) -> bool {
        if earlier.bytes & later.bytes == 0 {
            return false;
        }
        if earlier.warp != later.warp {
            return self.seen[usize::from(earlier.warp)] < earlier.interval
                && !(earlier.strong && later.strong);
        }
        earlier.lane != later.lane
            && self.whole < earlier.interval
            && !(earlier.kind == later.kind && earlier.pc == later.pc)
            && !(earlier.kind == EventKind::Atomic && later.kind == EventKind::Atomic)
            && !self.partly_ordered(earlier, later)
    }

    #[inline(never)]
    fn partly_ordered(&self, earlier: &Event, later: &Event) -> bool {
        let both = 1 << earlier.lane | 1 << later.lane;
        self.partial.iter().any(|(mask, at)| mask & both == both && *at >= earlier.interval)
    }
}
