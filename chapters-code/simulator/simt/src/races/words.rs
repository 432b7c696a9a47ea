//! What was done to the words of a row, each of which has a history of its own.
//!
//! The histories are kept field by field, so that vector instructions compare and note many at once:
//! [`Cells::touch`] does to part of a row what [`Cells::touch_word`] does to a word.

use super::event::{DOER, Event, WARP_BITS};
use super::sweep::WORDS;
use crate::alu::Isa;
use crate::registers::lane_word;

/// An event a word. An event of interval 0 is none.
#[derive(Clone, Copy)]
struct Events {
    pc: [u32; WORDS],
    interval: [u32; WORDS],
    tag: [u32; WORDS],
}

/// The history of each word of a row.
#[derive(Clone, Copy)]
pub(super) struct Cells {
    writer: Events,
    /// The latest readers: of different threads, if there were several.
    readers: [Events; 2],
}

/// What one warp instruction did to some words of a row: lanes that follow one another, to words
/// that do.
pub(super) struct Part {
    pub event: Event,
    /// The words, a bit each.
    pub words: u32,
    /// The lane of the row's first word, were there such a lane.
    pub first: u32,
    /// Each lane has `1 << shift` words.
    pub shift: u32,
}

/// Which intervals of earlier accesses come before the now of a warp: all up to these.
pub(super) struct Seen {
    /// Of its own.
    pub own: u32,
    /// Of any warp's.
    pub any: u32,
}

/// A [`Part`], word by word.
struct ByWord {
    event: Event,
    tag: [u32; WORDS],
    /// All ones for the words in question.
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
        ByWord {
            event: self.event,
            tag,
            select,
        }
    }
}

impl Events {
    const NONE: Self = Self {
        pc: [0; WORDS],
        interval: [0; WORDS],
        tag: [0; WORDS],
    };

    #[inline(always)]
    fn at(&self, word: usize) -> Event {
        Event {
            pc: self.pc[word],
            interval: self.interval[word],
            tag: self.tag[word],
        }
    }

    #[inline(always)]
    fn set(&mut self, word: usize, event: Event) {
        self.pc[word] = event.pc;
        self.interval[word] = event.interval;
        self.tag[word] = event.tag;
    }

    fn from_fn(event: impl Fn(usize) -> Event) -> Self {
        let mut events = Self::NONE;
        for word in 0..WORDS {
            events.set(word, event(word));
        }
        events
    }

    /// True if some word of the part was last touched by another thread or a copy, in an interval
    /// that does not come before.
    #[inline(always)]
    fn may_race(&self, part: &ByWord, seen: &Seen) -> bool {
        let mut any = 0;
        for word in 0..WORDS {
            let differs = (self.tag[word] ^ part.tag[word]) & DOER;
            let up_to = if differs & WARP_BITS == 0 {
                seen.own
            } else {
                seen.any
            };
            let is_late = u32::from(self.interval[word] > up_to).wrapping_neg();
            any |= is_late & differs & part.select[word];
        }
        any != 0
    }

    /// Notes the part.
    #[inline(always)]
    fn note(&mut self, part: &ByWord) {
        for word in 0..WORDS {
            let select = part.select[word];
            let put = |old: &mut u32, new: u32| *old = *old & !select | new & select;
            put(&mut self.pc[word], part.event.pc);
            put(&mut self.interval[word], part.event.interval);
            put(&mut self.tag[word], part.tag[word]);
        }
    }

    /// Takes over, in the words of the part, those events of `other` that are another thread's.
    #[inline(always)]
    fn take_others(&mut self, other: &Self, part: &ByWord) {
        for word in 0..WORDS {
            let differs = (other.tag[word] ^ part.tag[word]) & DOER;
            let select = part.select[word] & u32::from(differs != 0).wrapping_neg();
            let put = |old: &mut u32, new: u32| *old = *old & !select | new & select;
            put(&mut self.pc[word], other.pc[word]);
            put(&mut self.interval[word], other.interval[word]);
            put(&mut self.tag[word], other.tag[word]);
        }
    }

    /// Forgets the words of the part.
    #[inline(always)]
    fn forget(&mut self, part: &ByWord) {
        for word in 0..WORDS {
            self.interval[word] &= !part.select[word];
            self.tag[word] &= !part.select[word];
        }
    }
}

impl Cells {
    pub const EMPTY: Self = Self {
        writer: Events::NONE,
        readers: [Events::NONE; 2],
    };

    /// With these events by word.
    pub fn new(writer: impl Fn(usize) -> Event, reader: impl Fn(usize, usize) -> Event) -> Self {
        Self {
            writer: Events::from_fn(writer),
            readers: [0, 1].map(|i| Events::from_fn(|word| reader(i, word))),
        }
    }

    /// Notes an access to part of the row, unless it may be part of a race; then nothing is noted.
    #[inline(always)]
    pub fn touch(&mut self, isa: Isa, part: &Part, seen: &Seen) -> bool {
        match isa {
            Isa::Baseline(_) => self.touch_baseline(part, seen),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Avx2` is made only where the processor has the features.
            Isa::Avx2(_) => unsafe { self.touch_avx2(part, seen) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: an `Avx512` likewise.
            Isa::Avx512(_) => unsafe { self.touch_avx512(part, seen) },
        }
    }

    #[inline(never)]
    fn touch_baseline(&mut self, part: &Part, seen: &Seen) -> bool {
        self.touch_inline(part, seen)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline(never)]
    fn touch_avx2(&mut self, part: &Part, seen: &Seen) -> bool {
        self.touch_inline(part, seen)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2")]
    #[inline(never)]
    fn touch_avx512(&mut self, part: &Part, seen: &Seen) -> bool {
        self.touch_inline(part, seen)
    }

    #[inline(always)]
    fn touch_inline(&mut self, part: &Part, seen: &Seen) -> bool {
        let part = &part.by_word();
        if self.writer.may_race(part, seen) {
            return false;
        }
        let [last, other] = &mut self.readers;
        if part.event.is_load() {
            other.take_others(last, part);
            last.note(part);
            return true;
        }
        if last.may_race(part, seen) || other.may_race(part, seen) {
            return false;
        }
        self.writer.note(part);
        last.forget(part);
        other.forget(part);
        true
    }

    /// The last write to a word.
    pub fn writer(&self, word: usize) -> Event {
        self.writer.at(word)
    }

    /// Notes an atomic on a word that nothing but atomics has touched: these never race. False if
    /// something else has; then nothing is noted.
    #[inline(always)]
    pub fn follow_atomics(&mut self, word: usize, atomic: Event) -> bool {
        let last = self.writer.at(word);
        let follows = self.readers[0].interval[word] == 0 && (!last.is_some() || last.is_atomic());
        if follows {
            self.writer.set(word, atomic);
        }
        follows
    }

    /// Notes an access to a word; returns an earlier one that it races with, as `conflict` tells.
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
            if last.interval[word] != 0 {
                let readers = [last.at(word), other.at(word)];
                last.set(word, Event::default());
                other.set(word, Event::default());
                return first_race(&conflict, [writer, readers[0], readers[1]]);
            }
        }
        conflict(&writer).then_some(writer)
    }
}

/// The first of these that an access races with.
#[inline(never)]
fn first_race(conflict: &dyn Fn(&Event) -> bool, earlier: [Event; 3]) -> Option<Event> {
    earlier.into_iter().find(conflict)
}
