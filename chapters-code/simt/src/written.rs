//! Which bytes of an allocation somebody has written, for those who look for reads of the others.
//!
//! Most allocations are written as a whole before a kernel sees them, and then this is one flag. Of
//! one that is not, a bit a byte is kept, from the first write to a part of it on.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What has been written of an allocation.
#[derive(Debug)]
pub(crate) struct Written {
    bytes: u64,
    is_complete: AtomicBool,
    bits: OnceLock<Box<[AtomicU64]>>,
}

impl Written {
    /// Nothing yet, of so many bytes.
    pub fn nothing(bytes: u64) -> Self {
        Self {
            bytes,
            is_complete: AtomicBool::new(false),
            bits: OnceLock::new(),
        }
    }

    /// True if all of it counts as written.
    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        self.is_complete.load(Ordering::Relaxed)
    }

    /// All of it counts as written from now on.
    pub fn complete(&self) {
        self.is_complete.store(true, Ordering::Relaxed);
    }

    /// These bytes are being written.
    pub fn add(&self, offset: u64, bytes: u64) {
        if self.is_complete() {
            return;
        }
        if offset == 0 && bytes >= self.bytes {
            return self.complete();
        }
        let words = self.bytes.div_ceil(64) as usize;
        let bits = self.bits.get_or_init(|| {
            std::iter::repeat_with(AtomicU64::default)
                .take(words)
                .collect()
        });
        for (word, mask) in words_of(offset, bytes.min(self.bytes.saturating_sub(offset))) {
            bits[word].fetch_or(mask, Ordering::Relaxed);
        }
    }

    /// True if one of these bytes has been written.
    pub fn has_some(&self, offset: u64, bytes: u64) -> bool {
        self.is_complete()
            || self.bits.get().is_some_and(|bits| {
                let mut words = words_of(offset, bytes);
                words.any(|(word, mask)| bits[word].load(Ordering::Relaxed) & mask != 0)
            })
    }

    /// Takes over what is known of as many bytes of `other`.
    pub fn copy(&self, offset: u64, other: &Self, from: u64, bytes: u64) {
        if other.is_complete() {
            return self.add(offset, bytes);
        }
        let Some(bits) = other.bits.get() else {
            return;
        };
        // Both may be one allocation, and the ranges overlap: all is read before any is added.
        let words = words_of(from, bytes);
        let known: Vec<(u64, u64)> = words
            .map(|(word, mask)| {
                let first = 64 * word as u64;
                (first, bits[word].load(Ordering::Relaxed) & mask)
            })
            .collect();
        for (first, mask) in known {
            for (start, length) in runs(mask) {
                self.add(offset + (first + start - from), length);
            }
        }
    }
}

/// The runs of ones in a word: where each begins, and how long it is.
fn runs(mut word: u64) -> impl Iterator<Item = (u64, u64)> {
    std::iter::from_fn(move || {
        let start = (word != 0).then(|| word.trailing_zeros())?;
        let length = (word >> start).trailing_ones();
        word &= u64::MAX.checked_shl(start + length).unwrap_or(0);
        Some((start.into(), length.into()))
    })
}

/// The words of 64 bits that a range of bits lies in, each with its bits.
pub(crate) fn words_of(first: u64, count: u64) -> impl Iterator<Item = (usize, u64)> {
    let end = first + count;
    let words = if count == 0 {
        0..0
    } else {
        first / 64..end.div_ceil(64)
    };
    words.map(move |word| {
        let (from, to) = (
            first.max(64 * word) - 64 * word,
            end.min(64 * word + 64) - 64 * word,
        );
        let mask = u64::MAX >> (64 - (to - from)) << from;
        (word as usize, mask)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_bits() {
        let all = |first, count| words_of(first, count).collect::<Vec<_>>();
        assert_eq!(all(5, 0), []);
        assert_eq!(all(4, 4), [(0, 0xf0)]);
        assert_eq!(all(64, 64), [(1, u64::MAX)]);
        assert_eq!(all(60, 70), [(0, 0xf << 60), (1, u64::MAX), (2, 3)]);
    }

    #[test]
    fn runs_of_ones() {
        let all = |word| runs(word).collect::<Vec<_>>();
        assert_eq!(all(0), []);
        assert_eq!(all(u64::MAX), [(0, 64)]);
        assert_eq!(all(0b1011_0100), [(2, 1), (4, 2), (7, 1)]);
        assert_eq!(all(1 << 63), [(63, 1)]);
    }

    #[test]
    fn a_copy_within_an_allocation_takes_what_was_there_before() {
        let written = Written::nothing(400);
        written.add(10, 3);
        written.add(100, 60);
        written.copy(12, &written, 10, 300);
        let has: Vec<u64> = (0..400).filter(|at| written.has_some(*at, 1)).collect();
        assert_eq!(has, (10..15).chain(100..162).collect::<Vec<_>>());
    }

    #[test]
    fn parts_and_the_whole() {
        let written = Written::nothing(200);
        assert!(!written.has_some(0, 200));
        written.add(70, 4);
        assert!(written.has_some(73, 1) && !written.has_some(74, 126));
        let other = Written::nothing(100);
        other.copy(10, &written, 68, 5);
        assert!(!other.has_some(0, 12) && other.has_some(12, 1) && other.has_some(14, 1));
        assert!(!other.has_some(15, 85));
        written.add(0, 200);
        assert!(written.is_complete());
    }
}
