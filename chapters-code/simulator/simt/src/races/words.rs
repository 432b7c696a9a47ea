//! The histories of the words of a row that is split.
//!
//! The histories are stored field by field, so that vector instructions compare and update many at
//! once. [`Cells::touch`] handles a range of words of the row as [`Cells::touch_word`] handles one
//! word.

use super::event::{Event, THREAD_OR_AGENT, WARP_BITS};
use super::row_access::WORDS;
use crate::alu::{Isa, compiled};
use crate::registers::lane_word;

/// One event per word. Epoch 0 means no event.
#[derive(Clone, Copy)]
struct Events {
    pc: [u32; WORDS],
    epoch: [u32; WORDS],
    tag: [u32; WORDS],
}

/// The history of each word of a row.
#[derive(Clone, Copy)]
pub(super) struct Cells {
    writer: Events,
    /// The latest readers. They are different threads if there were several.
    readers: [Events; 2],
}

/// The access of one warp instruction to some words of a row: consecutive lanes access consecutive
/// words.
pub(super) struct Part {
    pub event: Event,
    /// The words, one bit per word.
    pub words: u32,
    /// The lane of the row's first word, even if it is out of range.
    pub first: u32,
    /// Each lane has `1 << shift` words.
    pub shift: u32,
}

/// The last epochs that happen before a warp's present.
pub(super) struct OrderedEpochs {
    /// Of the warp's own epochs.
    pub own: u32,
    /// Of the epochs of every warp.
    pub any: u32,
}

/// A [`Part`], word by word.
struct ByWord {
    event: Event,
    tag: [u32; WORDS],
    /// All ones for the words of the part.
    select: [u32; WORDS],
}

impl Part {
    #[inline(always)]
    fn by_word(&self) -> ByWord {
        let whole = self.event.by(0, 0xf).tag;
        let (mut tag, mut select) = ([0; WORDS], [0; WORDS]);
        for word in 0..WORDS {
            tag[word] = whole | self.first.wrapping_add(word as u32 >> self.shift) & 31;
            select[word] = lane_word(self.words, word);
        }
        ByWord { event: self.event, tag, select }
    }
}

impl Events {
    const NONE: Self = Self { pc: [0; WORDS], epoch: [0; WORDS], tag: [0; WORDS] };

    #[inline(always)]
    fn at(&self, word: usize) -> Event {
        Event { pc: self.pc[word], epoch: self.epoch[word], tag: self.tag[word] }
    }

    #[inline(always)]
    fn set(&mut self, word: usize, event: Event) {
        self.pc[word] = event.pc;
        self.epoch[word] = event.epoch;
        self.tag[word] = event.tag;
    }

    fn from_fn(event: impl Fn(usize) -> Event) -> Self {
        let mut events = Self::NONE;
        for word in 0..WORDS {
            events.set(word, event(word));
        }
        events
    }

    /// Whether some word of the part was last touched by another thread or a copy in an epoch that
    /// does not happen before.
    #[inline(always)]
    fn may_race(&self, part: &ByWord, ordered: &OrderedEpochs) -> bool {
        let mut any = 0;
        for word in 0..WORDS {
            let differs = (self.tag[word] ^ part.tag[word]) & THREAD_OR_AGENT;
            let up_to = if differs & WARP_BITS == 0 { ordered.own } else { ordered.any };
            let is_late = u32::from(self.epoch[word] > up_to).wrapping_neg();
            any |= is_late & differs & part.select[word];
        }
        any != 0
    }

    /// Notes the access of the part.
    #[inline(always)]
    fn note(&mut self, part: &ByWord) {
        for word in 0..WORDS {
            let select = part.select[word];
            let put = |old: &mut u32, new: u32| *old = *old & !select | new & select;
            put(&mut self.pc[word], part.event.pc);
            put(&mut self.epoch[word], part.event.epoch);
            put(&mut self.tag[word], part.tag[word]);
        }
    }

    /// Takes over, in the words of the part, the events of `other` by other threads.
    #[inline(always)]
    fn take_others(&mut self, other: &Self, part: &ByWord) {
        for word in 0..WORDS {
            let differs = (other.tag[word] ^ part.tag[word]) & THREAD_OR_AGENT;
            let select = part.select[word] & u32::from(differs != 0).wrapping_neg();
            let put = |old: &mut u32, new: u32| *old = *old & !select | new & select;
            put(&mut self.pc[word], other.pc[word]);
            put(&mut self.epoch[word], other.epoch[word]);
            put(&mut self.tag[word], other.tag[word]);
        }
    }

    /// Clears the words of the part.
    #[inline(always)]
    fn forget(&mut self, part: &ByWord) {
        for word in 0..WORDS {
            self.epoch[word] &= !part.select[word];
            self.tag[word] &= !part.select[word];
        }
    }
}

impl Cells {
    pub const EMPTY: Self = Self { writer: Events::NONE, readers: [Events::NONE; 2] };

    /// Creates cells with these events by word.
    pub fn new(writer: impl Fn(usize) -> Event, reader: impl Fn(usize, usize) -> Event) -> Self {
        Self {
            writer: Events::from_fn(writer),
            readers: [0, 1].map(|i| Events::from_fn(|word| reader(i, word))),
        }
    }

    /// Notes an access to part of the row. Returns false, and notes nothing, if it may be part of a
    /// race. It is compiled for AVX-512 too: the masks of that instruction set save a quarter of the
    /// time of kernels that use much shared memory.
    #[inline(always)]
    pub fn touch(&mut self, isa: Isa, part: &Part, ordered: &OrderedEpochs) -> bool {
        compiled! { Baseline:
            #[inline(never)]
            fn baseline(cells: &mut Cells, part: &Part, ordered: &OrderedEpochs) -> bool {
                cells.touch_inline(part, ordered)
            }
        }
        compiled! { Avx2:
            #[inline(never)]
            fn avx2(cells: &mut Cells, part: &Part, ordered: &OrderedEpochs) -> bool {
                cells.touch_inline(part, ordered)
            }
        }
        compiled! { Avx512:
            #[inline(never)]
            fn avx512(cells: &mut Cells, part: &Part, ordered: &OrderedEpochs) -> bool {
                cells.touch_inline(part, ordered)
            }
        }
        match isa {
            Isa::Baseline(_) => baseline(self, part, ordered),
            // SAFETY: an `Avx2` exists only if the CPU has the features.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2(_) => unsafe { avx2(self, part, ordered) },
            // SAFETY: an `Avx512` likewise.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512(_) => unsafe { avx512(self, part, ordered) },
        }
    }

    #[inline(always)]
    fn touch_inline(&mut self, part: &Part, ordered: &OrderedEpochs) -> bool {
        let part = &part.by_word();
        if self.writer.may_race(part, ordered) {
            return false;
        }
        let [last, other] = &mut self.readers;
        if part.event.is_load() {
            other.take_others(last, part);
            last.note(part);
            return true;
        }
        if last.may_race(part, ordered) || other.may_race(part, ordered) {
            return false;
        }
        self.writer.note(part);
        last.forget(part);
        other.forget(part);
        true
    }

    /// Returns the last write to a word.
    pub fn writer(&self, word: usize) -> Event {
        self.writer.at(word)
    }

    /// Notes an atomic on a word that only atomics have touched; these never race. Otherwise
    /// returns false and notes nothing.
    #[inline(always)]
    pub fn follow_atomics(&mut self, word: usize, atomic: Event) -> bool {
        let last = self.writer.at(word);
        let follows = self.readers[0].epoch[word] == 0 && (!last.is_some() || last.is_atomic());
        if follows {
            self.writer.set(word, atomic);
        }
        follows
    }

    /// Notes an access to a word. Returns an earlier one that it races with, as `conflict` decides.
    #[inline(always)]
    pub fn touch_word(
        &mut self,
        conflict: impl Fn(&Event) -> bool,
        word: usize,
        event: Event,
    ) -> Option<Event> {
        let writer = self.writer.at(word);
        let [last, other] = &mut self.readers;
        if event.is_load() {
            let before = last.at(word);
            if !event.is_by_thread_of(&before) {
                other.set(word, before);
            }
            last.set(word, event);
        } else {
            self.writer.set(word, event);
            if last.epoch[word] != 0 {
                let readers = [last.at(word), other.at(word)];
                last.set(word, Event::default());
                other.set(word, Event::default());
                return first_race(&conflict, [writer, readers[0], readers[1]]);
            }
        }
        conflict(&writer).then_some(writer)
    }
}

/// Returns the first of these that an access races with.
#[inline(never)]
fn first_race(conflict: &dyn Fn(&Event) -> bool, earlier: [Event; 3]) -> Option<Event> {
    earlier.into_iter().find(conflict)
}
