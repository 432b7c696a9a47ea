//! The last plain write to each shared word that was later updated by atomics. A later atomic may
//! race with that write, but not with the atomics, which the history remembers as the last writes.
//! Writes already ordered before every warp are dropped. Nothing is stored, for example, for a
//! kernel that zeroes its counters, waits at a barrier and counts.

use std::collections::HashMap;

use super::Event;
use super::clock::Clocks;

/// The masked writes, by the offset of the word.
#[derive(Default)]
pub(super) struct MaskedWrites(HashMap<u32, Event>);

impl MaskedWrites {
    /// Removes all writes.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether there are no masked writes.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether an atomic after `last`, the last write to a word, may race with a masked write.
    #[inline(always)]
    pub fn concerns(&self, last: &Event) -> bool {
        last.is_some() && !(last.is_atomic() && self.is_empty())
    }

    /// Notes that an atomic follows `last`, with which it does not race. Returns the masked write
    /// with which it does race.
    #[inline(never)]
    pub fn follow(
        &mut self,
        clocks: &Clocks,
        offset: u32,
        last: &Event,
        atomic: &Event,
    ) -> Option<Event> {
        if last.is_atomic() {
            let write = self.0.get(&offset)?;
            let races = clocks.conflict(write, atomic);
            return races.then(|| self.0.remove(&offset)).flatten();
        }
        if !clocks.is_before_all(last) {
            self.0.insert(offset, *last);
        }
        None
    }
}
