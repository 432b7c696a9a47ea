//! Which bytes of an allocation are initialised, for the detector of uninitialised reads.
//!
//! Most memory is written from its start on, which takes one number. From the first write elsewhere
//! on, one bit per byte is stored in addition.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The initialised bytes of an allocation.
#[derive(Debug)]
pub(crate) struct InitMask {
    bytes: u64,
    /// All bytes before this offset are initialised.
    prefix: AtomicU64,
    /// The bytes behind the prefix, one bit each.
    bits: OnceLock<Box<[AtomicU64]>>,
}

impl InitMask {
    /// Creates the mask of `bytes` uninitialised bytes.
    pub fn uninitialised(bytes: u64) -> Self {
        Self { bytes, prefix: AtomicU64::new(0), bits: OnceLock::new() }
    }

    /// Marks all bytes as uninitialised.
    pub fn clear(&mut self) {
        *self.prefix.get_mut() = 0;
        for word in self.bits.get_mut().into_iter().flatten() {
            *word.get_mut() = 0;
        }
    }

    /// Returns the offset up to which all bytes are known to be initialised.
    #[inline(always)]
    pub fn prefix(&self) -> u64 {
        self.prefix.load(Ordering::Relaxed)
    }

    /// Whether all bytes are known to be initialised.
    #[inline(always)]
    pub fn is_complete(&self) -> bool {
        self.prefix() >= self.bytes
    }

    /// Marks all bytes as initialised.
    pub fn complete(&self) {
        self.prefix.store(self.bytes, Ordering::Relaxed);
    }

    /// Marks these bytes as initialised. Bytes beyond the end are ignored.
    pub fn add(&self, offset: u64, bytes: u64) {
        let end = offset.saturating_add(bytes).min(self.bytes);
        let prefix = self.prefix();
        if end <= prefix.max(offset) {
            return;
        }
        if offset <= prefix {
            return self.extend(end);
        }
        let words = self.bytes.div_ceil(64) as usize;
        let bits = self
            .bits
            .get_or_init(|| std::iter::repeat_with(AtomicU64::default).take(words).collect());
        for (word, mask) in words_of(offset, end - offset) {
            if bits[word].load(Ordering::Relaxed) & mask != mask {
                bits[word].fetch_or(mask, Ordering::Relaxed);
            }
        }
    }

    /// Sets the prefix to `end`, and beyond it by the bits that follow.
    fn extend(&self, mut end: u64) {
        let bits = self.bits.get().map_or(&[][..], |bits| bits);
        while let Some(word) = bits.get(end as usize / 64) {
            let behind = word.load(Ordering::Relaxed) >> (end % 64);
            let more = u64::from(behind.trailing_ones());
            end += more;
            if more == 0 || !end.is_multiple_of(64) {
                break;
            }
        }
        self.prefix.fetch_max(end.min(self.bytes), Ordering::Relaxed);
    }

    /// Whether one of these bytes is initialised or beyond the end.
    pub fn has_some(&self, offset: u64, bytes: u64) -> bool {
        let end = offset.saturating_add(bytes).min(self.bytes);
        offset < self.prefix()
            || end <= offset
            || self.any_word(offset, end - offset, |bits, mask| bits & mask != 0)
    }

    /// Whether all of these bytes are initialised or beyond the end.
    pub fn has_all(&self, offset: u64, bytes: u64) -> bool {
        let end = offset.saturating_add(bytes).min(self.bytes);
        let start = offset.max(self.prefix());
        end <= start || !self.any_word(start, end - start, |bits, mask| bits & mask != mask)
    }

    /// Whether `test` holds for the bits of some word of a range.
    fn any_word(&self, offset: u64, bytes: u64, test: impl Fn(u64, u64) -> bool) -> bool {
        let bits = self.bits.get();
        words_of(offset, bytes).any(|(word, mask)| {
            let bits = bits.map_or(0, |bits| bits[word].load(Ordering::Relaxed));
            test(bits, mask)
        })
    }

    /// Copies the state of the same number of bytes of `other`.
    pub fn copy(&self, offset: u64, other: &Self, from: u64, bytes: u64) {
        // Both may be one allocation with overlapping ranges, so everything is read before anything
        // is added.
        let whole = other.prefix().saturating_sub(from).min(bytes);
        let words = words_of(from + whole, bytes - whole);
        let bits = other.bits.get().map_or(&[][..], |bits| bits);
        let known: Vec<(u64, u64)> = words
            .filter_map(|(word, mask)| {
                let bits = bits.get(word)?.load(Ordering::Relaxed);
                Some((64 * word as u64, bits & mask))
            })
            .collect();
        self.add(offset, whole);
        for (first, mask) in known {
            for (start, length) in runs(mask) {
                self.add(offset + (first + start - from), length);
            }
        }
    }
}

/// Iterates over the runs of ones in a word: start and length.
fn runs(mut word: u64) -> impl Iterator<Item = (u64, u64)> {
    std::iter::from_fn(move || {
        let start = (word != 0).then(|| word.trailing_zeros())?;
        let length = (word >> start).trailing_ones();
        word &= u64::MAX.checked_shl(start + length).unwrap_or(0);
        Some((start.into(), length.into()))
    })
}

/// Iterates over the 64-bit words of a range of bits, each with the range's bits in it.
pub(crate) fn words_of(first: u64, count: u64) -> impl Iterator<Item = (usize, u64)> {
    let end = first + count;
    let words = if count == 0 { 0..0 } else { first / 64..end.div_ceil(64) };
    words.map(move |word| {
        let (from, to) = (first.max(64 * word) - 64 * word, end.min(64 * word + 64) - 64 * word);
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
        let init_mask = InitMask::uninitialised(400);
        init_mask.add(10, 3);
        init_mask.add(100, 60);
        init_mask.copy(12, &init_mask, 10, 300);
        let has: Vec<u64> = (0..400).filter(|at| init_mask.has_some(*at, 1)).collect();
        assert_eq!(has, (10..15).chain(100..162).collect::<Vec<_>>());
    }

    #[test]
    fn parts_and_the_whole() {
        let init_mask = InitMask::uninitialised(200);
        assert!(!init_mask.has_some(0, 200));
        init_mask.add(70, 4);
        assert!(init_mask.has_some(73, 1) && !init_mask.has_some(74, 126));
        let other = InitMask::uninitialised(100);
        other.copy(10, &init_mask, 68, 5);
        assert!(!other.has_some(0, 12) && other.has_some(12, 1) && other.has_some(14, 1));
        assert!(!other.has_some(15, 85));
        init_mask.add(0, 200);
        assert!(init_mask.has_all(0, 200));
    }

    #[test]
    fn what_is_written_out_of_order_joins_what_lies_before() {
        let mut init_mask = InitMask::uninitialised(200);
        init_mask.add(130, 70);
        init_mask.add(64, 66);
        assert_eq!(init_mask.prefix(), 0);
        init_mask.add(0, 60);
        assert_eq!(init_mask.prefix(), 60);
        assert!(
            !init_mask.has_all(50, 20) && init_mask.has_all(64, 136) && init_mask.has_all(0, 60)
        );
        init_mask.add(50, 14);
        assert_eq!(init_mask.prefix(), 200);
        // Bytes beyond the end do not count.
        assert!(init_mask.has_all(190, 20) && init_mask.has_some(500, 4));
        init_mask.clear();
        assert!(!init_mask.has_some(0, 200));
    }
}
