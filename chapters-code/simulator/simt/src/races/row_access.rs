//! Accesses by whole warps to whole rows of memory.
//!
//! A row is 32 words that begin at a multiple of 128 bytes. If all lanes of a warp access
//! contiguous elements that fill rows exactly, the events of a row's words differ only in the lane.
//! One entry then represents the row. It is split into one entry per word as soon as the row is
//! accessed differently.

use super::Event;
use super::clock::Clocks;
use super::words::Part;
use crate::access::Access;
use crate::pattern::Pattern;
use crate::registers::ALL_LANES;

/// Words of a row.
pub(super) const WORDS: usize = 32;
/// Bytes of a row.
pub(super) const BYTES: u64 = 4 * WORDS as u64;

/// The access of one warp instruction to one row. Epoch 0 means no access.
#[derive(Clone, Copy, Default)]
pub(super) struct RowAccess {
    /// The event, without lane and bytes.
    event: Event,
    /// The lane that touched the row's first word.
    first: u8,
    /// Each lane touched `1 << shift` words.
    shift: u8,
}

impl RowAccess {
    /// Creates the access of consecutive lanes with `1 << shift` words each. `first` is the lane
    /// that touches word 0 (possibly out of range).
    #[inline(always)]
    pub fn new(event: Event, first: u32, shift: u8) -> Self {
        Self { event, first: (first & 31) as u8, shift }
    }

    /// Returns the access to some words of the row, one bit per word.
    #[inline(always)]
    pub fn part(&self, words: u32) -> Part {
        Part { event: self.event, words, first: self.first.into(), shift: self.shift.into() }
    }

    /// Returns the warp.
    #[inline(always)]
    pub fn warp(&self) -> u32 {
        self.event.warp()
    }

    /// Returns the rows that an access fills, each with its entry, or `None` if the access does not
    /// fill rows.
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
            let row_access = Self::new(event, row * (32 >> shift), shift);
            (first + BYTES * u64::from(row), row_access)
        });
        Some(sweeps)
    }

    /// Returns the event of a word of the row.
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

    /// Returns the logarithm of the words that each lane touched.
    pub fn shift(&self) -> u8 {
        self.shift
    }

    #[inline(always)]
    pub fn is_load(&self) -> bool {
        self.event.is_load()
    }

    /// Whether the same thread of the block touched each word in both accesses.
    #[inline(always)]
    pub fn is_by_threads_of(&self, other: &Self) -> bool {
        self.is_by_warp_of(other) && (self.first, self.shift) == (other.first, other.shift)
    }

    #[inline(always)]
    pub fn is_by_warp_of(&self, other: &Self) -> bool {
        self.event.warp() == other.event.warp()
    }

    /// Whether two accesses by threads of this block may race in some word. `later` happens now.
    #[inline(always)]
    pub fn may_conflict(&self, clocks: &Clocks, later: &Self) -> bool {
        if !self.is_some() || self.is_by_threads_of(later) {
            return false;
        }
        if self.is_by_warp_of(later) {
            return self.conflicts(later) && !clocks.has_synchronised_since(&self.event);
        }
        clocks.rows_conflict(&self.at(0), &later.at(0))
    }

    /// Whether the accesses conflict: see [`Event::conflicts`].
    #[inline(always)]
    pub fn conflicts(&self, later: &Self) -> bool {
        self.at(0).conflicts(&later.at(0))
    }
}
