//! Reads of shared memory that no thread has written yet, and that another thread writes later.
//!
//! If nothing orders the two, the read is not only uninitialised: a barrier is missing. Accesses by
//! `volatile` do not race with each other, so [`super::shared`] does not say so.

use super::clock::Clocks;
use super::{Event, Finding, each_word};
use crate::access::{Access, AccessKind, AccessSpace, Strength};

/// Reads that are remembered per block.
const MOST: usize = 16;

/// The uninitialised reads of a block so far, each with its offset.
#[derive(Default)]
pub(super) struct EarlyReads(Vec<(u64, Event)>);

impl EarlyReads {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn note(&mut self, finding: &Finding) {
        if let Finding::Uninitialised { event, space: simt_report::Space::Shared, at } = *finding
            && self.0.len() < MOST
        {
            self.0.push((at / 4, event));
        }
    }

    /// Returns the race between an early read and a write that follows it.
    #[inline(always)]
    pub fn race(&self, clocks: &Clocks, access: &Access<'_>, event: Event) -> Option<Finding> {
        let is_write = access.kind != AccessKind::Load && access.space == AccessSpace::Shared;
        if self.0.is_empty() || !is_write { None } else { self.find(clocks, access, event) }
    }

    #[cold]
    fn find(&self, clocks: &Clocks, access: &Access<'_>, event: Event) -> Option<Finding> {
        let mut found = None;
        each_word(access, event, |address, second| {
            let reads = self.0.iter().filter(|(word, _)| *word == address / 4);
            let mut unordered = reads.map(|(_, read)| *read).filter(|first| {
                !first.is_by_thread_of(&second) && clocks.conflict(&plain(first), &plain(&second))
            });
            if let Some(first) = unordered.next() {
                found = Some(Finding::Shared { first, second, offset: address as u32 });
            }
        });
        found
    }
}

/// Returns the same access without its strength, to all bytes of the word.
fn plain(event: &Event) -> Event {
    let plain = Event::new(event.pc, event.epoch, event.warp(), event.kind(), Strength::Weak);
    plain.by(event.lane(), 0xf)
}
