//! A block that is held back: an execution mode in which one block of a launch stops somewhere, and goes on only when
//! the others have executed many instructions.
//!
//! Nothing bounds how late a block, or a kernel on another device, may start or go on. Normally the blocks of the
//! simulator take turns, so that a thread which gives up waiting after some hundred polls always finds what it waits
//! for. In this mode it does not. Code that waits until the value is there gives the same results.
//!
//! Of launches that run at the same time, one in two is held back, so that none waits for another that is held.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::grid::Grid;
use crate::schedule::mix;

/// Warp instructions that the others execute meanwhile.
const OTHERS: u64 = 1 << 20;
/// What a turn counts for in which the others have executed nothing: they may all have ended.
const SKIPPED: u64 = 1 << 8;
/// The logarithm of the most rounds that a block has before it is held.
const LOG_ROUNDS: u64 = 7;

/// What a group knows of its blocks that are held back.
#[derive(Default)]
pub(crate) struct Meanwhile(AtomicU64);

impl Meanwhile {
    /// Notes that a warp has executed instructions. Returns whether a block may still be held: they count for no limit.
    pub fn note(&self, instructions: u32) -> bool {
        self.0.fetch_add(instructions.into(), Ordering::Relaxed) < OTHERS
    }

    fn skip(&self) -> bool {
        self.0.fetch_add(SKIPPED, Ordering::Relaxed) < OTHERS
    }
}

/// When a block is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    /// It is not.
    Not,
    /// It will be, after so many rounds over its warps with short time slices. It has them in one turn, so that others come
    /// to wait for it.
    After(u32),
    /// It is.
    Now,
}

impl Held {
    /// When a block is held, of a number in its launch.
    pub fn of(grid: &Grid<'_>, index: u64) -> Self {
        let seed = grid.options.held_back;
        let launch = grid.facts.as_ref().map_or(0, |facts| facts.number as u64);
        let is_of_launch = grid.facts.is_none() || (seed ^ launch) & 1 == 0;
        let drawn = mix(seed ^ mix(launch));
        if seed == 0 || !is_of_launch || drawn % grid.block_count() != index {
            return Self::Not;
        }
        let log = (drawn >> 32) % (LOG_ROUNDS + 1);
        Self::After((drawn >> 40) as u32 & ((1 << log) - 1))
    }

    /// Whether the block, which is held, has no turn now.
    pub fn is_now(&mut self, meanwhile: &Meanwhile) -> bool {
        let is_held = *self == Self::Now;
        if is_held && !meanwhile.skip() {
            *self = Self::Not;
            return false;
        }
        is_held
    }
}
