//! Segments as offsets and as head flags, and the conversions between the two.
//!
//! Offsets can tell of empty segments, flags cannot: flags made of offsets forget them.

use std::ops::Range;

use crate::{Case, Segments};
use harness::{Error, inputs};
use rayon::prelude::*;

/// What is wrong with offsets or flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SegmentsError {
    /// There is no first offset, or it is not 0.
    #[error("offsets begin with 0, at which the first segment begins")]
    NoBeginning,
    /// A segment ends before it begins: the index of an offset, the offset, and the one before it.
    #[error("offsets[{0}] is {1}, less than the {2} before it: offsets never decrease")]
    Decreasing(usize, u32, u32),
    /// A segment ends behind the last element: the index of an offset, the offset, and the number of elements.
    #[error("offsets[{0}] is {1}, past the end of {2} elements")]
    PastTheEnd(usize, u32, usize),
    /// Elements at the end belong to no segment: the last offset, and the number of elements.
    #[error("the last offset is {0}, but there are {1} elements: some belong to no segment")]
    ElementsLeftOver(u32, usize),
    /// The first element begins no segment.
    #[error("flags[0] is 0: the first element must begin a segment, or it belongs to none")]
    NoHead,
    /// More elements than offsets of 32 bits can tell apart.
    #[error("{0} elements are more than offsets of 32 bits reach")]
    TooMany(usize),
}

/// Where segments begin: segment s is `offsets[s] .. offsets[s + 1]`, and the last offset is the number
/// of elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offsets(Vec<u32>);

impl Offsets {
    /// Offsets of `n` elements.
    ///
    /// # Errors
    /// [`SegmentsError`] with the first place that is wrong.
    pub fn new(offsets: Vec<u32>, n: usize) -> Result<Self, SegmentsError> {
        if offsets.first() != Some(&0) {
            return Err(SegmentsError::NoBeginning);
        }
        for (at, &offset) in offsets.iter().enumerate() {
            let before = offsets[at.saturating_sub(1)];
            if offset < before {
                return Err(SegmentsError::Decreasing(at, offset, before));
            }
            if offset as usize > n {
                return Err(SegmentsError::PastTheEnd(at, offset, n));
            }
        }
        match offsets[offsets.len() - 1] {
            last if (last as usize) < n => Err(SegmentsError::ElementsLeftOver(last, n)),
            _ => Ok(Self(offsets)),
        }
    }

    /// The segments that head flags begin: one byte per element, not 0 at a head.
    ///
    /// # Errors
    /// [`SegmentsError::NoHead`] if the first flag is 0; [`SegmentsError::TooMany`].
    pub fn of_flags(flags: &[u8]) -> Result<Self, SegmentsError> {
        let n = u32::try_from(flags.len()).map_err(|_| SegmentsError::TooMany(flags.len()))?;
        if flags.first() == Some(&0) {
            return Err(SegmentsError::NoHead);
        }
        let heads = (0..n).filter(|&i| flags[i as usize] != 0);
        Ok(Self(heads.chain([n]).collect()))
    }

    /// Segments of these lengths, one behind the other.
    ///
    /// # Errors
    /// [`SegmentsError::TooMany`] if they are longer together than 32 bits count.
    pub fn of_lengths(lengths: impl IntoIterator<Item = u32>) -> Result<Self, SegmentsError> {
        let mut offsets = vec![0u32];
        let mut end = 0u32;
        for length in lengths {
            let next = end.checked_add(length);
            let too_many = SegmentsError::TooMany(end as usize + length as usize);
            end = next.ok_or(too_many)?;
            offsets.push(end);
        }
        Ok(Self(offsets))
    }

    /// The same segments but for the empty ones: what flags can tell of.
    pub fn without_empty(mut self) -> Self {
        self.0.dedup();
        self
    }

    /// The offsets, one more than there are segments.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }

    /// The number of segments, empty ones included.
    pub fn count(&self) -> usize {
        self.0.len() - 1
    }

    /// The number of elements in all segments.
    pub fn elements(&self) -> usize {
        self.0[self.count()] as usize
    }

    /// The range of elements of each segment.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.ranges_of(0..self.count())
    }

    /// The elements of some segments, each by itself.
    pub fn ranges_of(&self, segments: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        self.0[segments.start..=segments.end]
            .windows(2)
            .map(|pair| pair[0] as usize..pair[1] as usize)
    }

    /// All segments in groups of neighbours, each but the last with at least `least` elements or segments.
    pub fn groups(&self, least: usize) -> Vec<Range<usize>> {
        let mut groups = Vec::new();
        let mut start = 0;
        for (segment, range) in self.ranges().enumerate() {
            let elements = range.end - self.0[start] as usize;
            if elements >= least || segment + 1 - start >= least {
                groups.push(start..segment + 1);
                start = segment + 1;
            }
        }
        if start < self.count() {
            groups.push(start..self.count());
        }
        groups
    }

    /// Words with the flags of `EACH` elements, on all cores. `set` changes a word by the place in it of an element at
    /// which a segment begins that is not empty.
    fn words<const EACH: usize, T: Send + Copy + Default>(
        &self,
        set: impl Fn(&mut T, usize) + Sync,
    ) -> Vec<T> {
        let mut words = vec![T::default(); self.elements().div_ceil(EACH)];
        words.par_chunks_mut(PART).enumerate().for_each(|(p, words)| {
            let first = p * PART * EACH;
            let end = self.elements().min(first + words.len() * EACH);
            let from = self.0.partition_point(|&i| (i as usize) < first);
            let heads = self.0[from..].iter().map(|&i| i as usize).take_while(|&i| i < end);
            heads.for_each(|i| set(&mut words[(i - first) / EACH], i % EACH));
        });
        words
    }

    /// Head flags, one byte per element. Empty segments leave no trace.
    pub fn flags(&self) -> Vec<u8> {
        self.words::<1, _>(|flag, _| *flag = 1)
    }

    /// Head flags, one bit per element: that of element i is bit i mod 32 of word i / 32.
    pub fn bits(&self) -> Vec<u32> {
        self.words::<32, _>(|word, bit| *word |= 1 << bit)
    }
}

/// The number of words with flags that one core writes at a time.
const PART: usize = 1 << 16;

/// The number of elements of a case. Kernels count elements and ends of segments in 32 bits, up to a whole tile.
///
/// # Errors
/// [`Error::Usage`] if there are more.
pub fn count(case: &Case) -> Result<u32, Error> {
    let n = case.elements();
    let most = u64::from(u32::MAX) - (1 << 16);
    if n > most {
        let too_many = SegmentsError::TooMany(n as usize);
        return Err(Error::usage(too_many, format!("give -n, up to {most}")));
    }
    Ok(n as u32)
}

impl Offsets {
    /// The segments of a case; of 64 if it does not say. They depend on its seed and size alone.
    ///
    /// # Errors
    /// As [`count`].
    pub fn of_case(case: &Case) -> Result<Offsets, Error> {
        let n = count(case)?;
        let kind = case.task.segments();
        if let Segments::Of(length) = kind {
            let begin = |s: u64| (s * u64::from(length)).min(n.into()) as u32;
            let segments = u64::from(n.div_ceil(length));
            return Ok(Offsets((0..=segments).into_par_iter().map(begin).collect()));
        }
        let (mut offsets, mut end) = (vec![0], 0);
        while end < n {
            end += length(kind, case, offsets.len() as u64 - 1).min(n - end);
            offsets.push(end);
        }
        if kind == Segments::Empty {
            offsets.push(end);
        }
        Ok(Offsets(offsets))
    }
}

/// The first segment of [`Segments::Lopsided`] of `n` elements.
fn long_side(n: u64) -> u64 {
    (n / 2).max(1)
}

/// The others.
const SHORT_SIDE: u32 = 4096;

/// The length that segment s is drawn to have.
fn length(kind: Segments, case: &Case, s: u64) -> u32 {
    let bits = inputs::bits(case.seed ^ 0x5e9, s);
    match kind {
        Segments::Of(length) => length,
        Segments::Giant => u32::MAX,
        Segments::PowerLaw => power_law(bits, longest(kind, case.elements())),
        // Offsets have 32 bits, and so have lengths.
        Segments::Lopsided if s == 0 => long_side(case.elements()) as u32,
        Segments::Lopsided => SHORT_SIDE,
        Segments::Empty if s == 0 || bits.is_multiple_of(3) => 0,
        Segments::Empty => 1 + (bits >> 8) as u32 % 127,
    }
}

/// A length that is k or more with probability 1/k, up to `most`.
fn power_law(bits: u64, most: u64) -> u32 {
    let unit = ((bits >> 11) + 1) as f64 * f64::powi(2.0, -53);
    (1.0 / unit).min(most as f64) as u32
}

/// The longest segment that a case of `n` elements can have.
pub fn longest(segments: Segments, n: u64) -> u64 {
    match segments {
        Segments::Of(length) => n.min(length.into()),
        Segments::Giant => n,
        Segments::PowerLaw => (n / 16).max(1),
        Segments::Lopsided => n.min(long_side(n).max(SHORT_SIDE.into())),
        Segments::Empty => n.min(127),
    }
}

#[cfg(test)]
mod tests {
    use harness::{Dtype, Op};

    use super::*;
    use crate::Task;

    /// The example of the chapter: [[1 2] [6 7 1] [1 2 3 4]].
    #[test]
    fn by_hand() {
        let offsets = Offsets::new(vec![0, 2, 5, 9], 9).expect("they are right");
        assert_eq!(offsets.flags(), [1, 0, 1, 0, 0, 1, 0, 0, 0]);
        assert_eq!(offsets.bits(), [0b10_0101]);
        assert_eq!(Offsets::of_flags(&offsets.flags()), Ok(offsets));
    }

    #[test]
    fn flags_forget_empty_segments() {
        let offsets = Offsets::of_lengths([0, 2, 0, 0, 1, 0]).expect("they are few");
        assert_eq!(offsets.as_slice(), [0, 0, 2, 2, 2, 3, 3]);
        assert_eq!(offsets.flags(), [1, 0, 1]);
        let again = Offsets::of_flags(&offsets.flags()).expect("flags");
        assert_eq!(again.as_slice(), [0, 2, 3]);
        assert_eq!(again, offsets.without_empty());
    }

    #[test]
    fn nothing_has_no_segments() {
        assert_eq!(Offsets::of_flags(&[]).map(|o| o.count()), Ok(0));
        assert_eq!(Offsets::new(vec![0], 0).map(|o| o.bits()), Ok(vec![]));
        assert_eq!(Offsets::new(vec![0, 0], 0).map(|o| o.count()), Ok(1));
    }

    #[test]
    fn what_is_refused() {
        let refused = |offsets: &[u32], n| Offsets::new(offsets.into(), n).err();
        assert_eq!(refused(&[], 0), Some(SegmentsError::NoBeginning));
        assert_eq!(refused(&[1, 2], 2), Some(SegmentsError::NoBeginning));
        assert_eq!(refused(&[0, 4, 3, 5], 5), Some(SegmentsError::Decreasing(2, 3, 4)));
        assert_eq!(refused(&[0, 4, 6], 5), Some(SegmentsError::PastTheEnd(2, 6, 5)));
        assert_eq!(refused(&[0, 4], 5), Some(SegmentsError::ElementsLeftOver(4, 5)));
        assert_eq!(Offsets::of_flags(&[0, 1]), Err(SegmentsError::NoHead));
        let long = Offsets::of_lengths([u32::MAX, 1]);
        assert_eq!(long, Err(SegmentsError::TooMany(1 << 32)));
    }

    fn drawn(segments: Segments, n: u64) -> Offsets {
        let task = Task::Reduce(segments);
        let case = Case { task, ..Case::vector(n, Dtype::F32, Op::Sum) };
        Offsets::of_case(&case).expect("they are few enough")
    }

    #[test]
    fn drawn_segments_hold_every_element_once() {
        let kinds = [
            Segments::Of(7),
            Segments::Giant,
            Segments::PowerLaw,
            Segments::Lopsided,
            Segments::Empty,
        ];
        for (kind, n) in kinds.into_iter().flat_map(|kind| [(kind, 1), (kind, 10_000)]) {
            let offsets = drawn(kind, n);
            let again = Offsets::new(offsets.as_slice().to_vec(), n as usize);
            assert_eq!(again.as_ref(), Ok(&offsets), "{kind}");
            let lengths = offsets.ranges().map(|range| range.len() as u64);
            assert!(lengths.max() <= Some(longest(kind, n)), "{kind}");
        }
    }

    #[test]
    fn a_power_law_is_one() {
        let offsets = drawn(Segments::PowerLaw, 1 << 20);
        let of_at_least = |k| offsets.ranges().filter(|range| range.len() >= k).count();
        for k in [2, 4, 16, 64] {
            let part = of_at_least(k) as f64 / offsets.count() as f64;
            assert!((part * k as f64 - 1.0).abs() < 0.1, "{k}: {part}");
        }
    }

    #[test]
    fn the_first_and_the_last_segment_may_be_empty() {
        let offsets = drawn(Segments::Empty, 10_000);
        let lengths: Vec<usize> = offsets.ranges().map(|range| range.len()).collect();
        assert_eq!((lengths[0], lengths[lengths.len() - 1]), (0, 0));
        let empty = lengths.iter().filter(|&&length| length == 0).count();
        assert!((lengths.len() / 4..lengths.len() / 2).contains(&empty));
    }
}
