//! Accesses by whole warps to whole rows of memory.
//!
//! A row is 32 words that begin at a multiple of 128 bytes. Where all lanes of a warp access
//! neighbouring elements that fill rows exactly, what is to be noted of a row's words differs in the
//! lane alone, and so do most histories: one entry then stands for the row. It must be split into
//! entries a word as soon as anything else happens to the row.

use super::Event;
use super::clock::Clocks;
use super::words::Part;
use crate::observe::Access;
use crate::pattern::Pattern;
use crate::registers::ALL_LANES;

/// Words of a row.
pub(super) const WORDS: usize = 32;
/// Bytes of a row.
pub(super) const BYTES: u64 = 4 * WORDS as u64;

/// What one warp instruction did to one row. That of interval 0 is none.
#[derive(Clone, Copy, Default)]
pub(super) struct Sweep {
    /// By no lane and to no bytes in particular.
    event: Event,
    /// The lane that touched the row's first word.
    first: u8,
    /// Each lane touched `1 << shift` words.
    shift: u8,
}

impl Sweep {
    /// By lanes that follow one another, of which the one at the row's first word is `first`, were
    /// there such a lane. Each has `1 << shift` words.
    #[inline(always)]
    pub fn new(event: Event, first: u32, shift: u8) -> Self {
        Self {
            event,
            first: (first & 31) as u8,
            shift,
        }
    }

    /// What happened to some words of the row, a bit each.
    #[inline(always)]
    pub fn part(&self, words: u32) -> Part {
        Part {
            event: self.event,
            words,
            first: self.first.into(),
            shift: self.shift.into(),
        }
    }

    /// The warp.
    #[inline(always)]
    pub fn warp(&self) -> u32 {
        self.event.warp()
    }

    /// The rows that an access fills, each with what is to be noted of it; `None` if it is not of
    /// this kind.
    #[inline(always)]
    pub fn of(access: &Access<'_>, event: Event) -> Option<impl Iterator<Item = (u64, Self)>> {
        let Pattern::Affine { first, step, .. } = access.pattern else {
            return None;
        };
        let fills = access.mask == ALL_LANES
            && access.bytes >= 4
            && step == i64::from(access.bytes)
            && first % BYTES == 0;
        let rows = fills.then_some(access.bytes / 4)?;
        let shift = rows.trailing_zeros() as u8;
        let sweeps = (0..rows).map(move |row| {
            let sweep = Self::new(event, row * (32 >> shift), shift);
            (first + BYTES * u64::from(row), sweep)
        });
        Some(sweeps)
    }

    /// What happened to a word of the row.
    #[inline(always)]
    pub fn at(&self, word: usize) -> Event {
        if self.is_some() {
            let lane = u32::from(self.first) + (word as u32 >> self.shift);
            self.event.by(lane & 31, 0xf)
        } else {
            Event::default()
        }
    }

    #[inline(always)]
    pub fn is_some(&self) -> bool {
        self.event.is_some()
    }

    #[inline(always)]
    pub fn is_load(&self) -> bool {
        self.event.is_load()
    }

    /// True if every word was touched by the same thread of the block.
    #[inline(always)]
    pub fn is_by_threads_of(&self, other: &Self) -> bool {
        self.is_by_warp_of(other) && (self.first, self.shift) == (other.first, other.shift)
    }

    #[inline(always)]
    pub fn is_by_warp_of(&self, other: &Self) -> bool {
        self.event.warp() == other.event.warp()
    }

    /// True if two accesses by threads of this block may race in some word. `later` happens now.
    #[inline(always)]
    pub fn may_conflict(&self, clocks: &Clocks<'_>, later: &Self) -> bool {
        if !self.is_some() || self.is_by_threads_of(later) {
            return false;
        }
        if self.is_by_warp_of(later) {
            return self.excludes(later) && !clocks.has_met_since(&self.event);
        }
        clocks.conflict(&self.at(0), &later.at(0))
            || clocks.lanes_differ(&self.event, &later.event) && self.excludes(later)
    }

    /// See [`Event::excludes`].
    #[inline(always)]
    pub fn excludes(&self, later: &Self) -> bool {
        self.at(0).excludes(&later.at(0))
    }
}
