//! Writes to shared memory that stand behind the atomics which have followed them.
//!
//! An atomic of another thread races with such a write, not with the atomics, and these are what is
//! remembered as the last writes. Where everybody has seen the write, nobody's can: so of a kernel that
//! zeroes its counters, waits at a barrier and counts, nothing is kept.

use std::collections::HashMap;

use super::Event;
use super::clock::Clocks;

/// The writes, by the offset of the word.
#[derive(Default)]
pub(super) struct Standing(HashMap<u32, Event>);

impl Standing {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// True if nothing is kept.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if there may be something to tell of an atomic after `last`, the last write to a word.
    #[inline(always)]
    pub fn concerns(&self, last: &Event) -> bool {
        last.is_some() && !(last.is_atomic() && self.is_empty())
    }

    /// An atomic has followed `last`, with which it does not race: the write behind that with which it
    /// does.
    #[inline(never)]
    pub fn follow(
        &mut self,
        clocks: &Clocks<'_>,
        offset: u32,
        last: &Event,
        atomic: &Event,
    ) -> Option<Event> {
        if last.is_atomic() {
            let write = self.0.get(&offset)?;
            let races = clocks.conflict(write, atomic);
            return races.then(|| self.0.remove(&offset)).flatten();
        }
        if !clocks.all_have_seen(last) {
            self.0.insert(offset, *last);
        }
        None
    }
}
