//! Bins: how many, and of which range of keys.

use cudarc::driver::DeviceRepr;
use harness::{Dtype, Error};

use crate::Case;

/// The fewest bins of a histogram.
pub const FEWEST: u32 = 2;

/// The most bins of a histogram.
pub const MOST: u32 = 1 << 16;

/// Bins of a case that does not say how many.
pub const USUAL: u32 = 256;

/// Counters behind the bins: keys above the last bin, keys below the first, and NaN.
pub const EXTRA: u32 = 3;

/// The bins, as the kernels take them: `struct EvenBins` of `even.cuh`. Its first four words are `struct Bins` of
/// `histogram.cuh`, and a kernel that takes those reads no more.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bins {
    /// The number of bins, m.
    pub count: u32,
    /// The least float that has a bin.
    pub low: f32,
    /// The least float above all bins.
    pub high: f32,
    /// m / (high − low), rounded twice.
    pub scale: f32,
    /// The least integer that has a bin.
    pub first: u32,
    /// The least integer above all bins; 0 if integers are their own bins.
    pub end: u32,
    /// The number of leading zeros of `end − first`.
    pub shift: u32,
    /// ⌈m · 2^64 / ((end − first) · 2^shift)⌉: the high word, then the low word.
    pub reciprocal: [u32; 2],
}

// SAFETY: nine words without padding, of which any bits are valid. The kernels declare all of them, or the first four.
unsafe impl DeviceRepr for Bins {}

/// Why there are no such bins.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BinsError {
    /// There are too few or too many bins.
    #[error("{0} is not a number of bins: there are from {FEWEST} to {MOST}")]
    Count(u32),
    /// The range is empty, or its ends are no numbers.
    #[error("from {0} to {1} is no range: it needs two finite ends, the lower one first")]
    Range(f32, f32),
    /// The range's width, or the scale, is beyond f32.
    #[error("bins of that width are out of f32's range")]
    Width,
    /// The ends are not integers of 32 bits, the lower one first.
    #[error(
        "from {0} to {1} is no range of u32: it needs two whole numbers up to 2^32 - 1, the lower one first"
    )]
    Integers(f64, f64),
    /// A range of keys of a type that are always their own bins.
    #[error("keys of {0} are their own bins: no kernel divides a range of them into bins")]
    OwnBins(Dtype),
}

impl BinsError {
    /// The option that would mend it.
    fn remedy(&self) -> String {
        match self {
            Self::Count(_) => format!("give --bins, from {FEWEST} to {MOST}"),
            Self::Range(..) | Self::Width => "give --range, for example 0..1".into(),
            Self::Integers(..) => "give --range, for example 0..2^20".into(),
            Self::OwnBins(_) => "give --dtype u32 or f32, or leave --range out".into(),
        }
    }
}

impl Bins {
    /// `count` even bins of the floats in [low, high); keys that are integers are their own bins.
    ///
    /// # Errors
    /// If there are no such bins.
    pub fn even(count: u32, low: f32, high: f32) -> Result<Self, BinsError> {
        if !(FEWEST..=MOST).contains(&count) {
            return Err(BinsError::Count(count));
        }
        if !(low.is_finite() && high.is_finite() && low < high) {
            return Err(BinsError::Range(low, high));
        }
        let scale = count as f32 / (high - low);
        if !scale.is_normal() {
            return Err(BinsError::Width);
        }
        Ok(Self { count, low, high, scale, ..Self::default() })
    }

    /// `count` even bins of the integers in [low, high), whose ends are integers of 32 bits.
    ///
    /// # Errors
    /// If there are no such bins.
    pub fn of_integers(count: u32, low: f64, high: f64) -> Result<Self, BinsError> {
        let whole = |end: f64| (f64::from(end as u32) == end).then_some(end as u32);
        let ends = whole(low).zip(whole(high)).filter(|(first, end)| first < end);
        let (first, end) = ends.ok_or(BinsError::Integers(low, high))?;
        let (shift, reciprocal) = reciprocal(count, end - first);
        Ok(Self { first, end, shift, reciprocal, ..Self::even(count, 0.0, 1.0)? })
    }

    /// A case's bins. If the case has no range, floats have the bins of [0, 1), and integers are their own bins.
    ///
    /// # Errors
    /// [`Error::Usage`] if a histogram cannot have that number of bins, or keys of the type not that range.
    pub fn of(case: &Case) -> Result<Self, Error> {
        let (count, range) = (case.task.bins, case.task.range);
        let bins = match (case.dtype, range) {
            (dtype @ (Dtype::U8 | Dtype::U16), Some(_)) => Err(BinsError::OwnBins(dtype)),
            (Dtype::U32, Some(range)) => Self::of_integers(count, range.low, range.high),
            (_, Some(range)) => Self::even(count, range.low as f32, range.high as f32),
            (_, None) => Self::even(count, 0.0, 1.0),
        };
        bins.map_err(|error| Error::Usage(format!("{error}\n  remedy: {}", error.remedy())))
    }

    /// Whether integers have even bins of a range, instead of being their own bins.
    pub fn divide_integers(&self) -> bool {
        self.end > 0
    }

    /// The range of the bins: that of floats, or that of integers.
    pub fn range(&self, dtype: Dtype) -> (f64, f64) {
        match (dtype.is_float(), self.divide_integers()) {
            (true, _) => (self.low.into(), self.high.into()),
            (false, true) => (self.first.into(), self.end.into()),
            (false, false) => (0.0, self.count.into()),
        }
    }

    /// Counters of an output: the bins', and those behind them.
    pub fn counters(&self) -> u32 {
        self.count + EXTRA
    }
}

/// `shift` and `reciprocal` for `count` bins of a range of `width` integers, from 1 on.
pub fn reciprocal(count: u32, width: u32) -> (u32, [u32; 2]) {
    let shift = width.leading_zeros();
    let reciprocal = (u128::from(count) << 64).div_ceil(u128::from(width << shift));
    (shift, [(reciprocal >> 32) as u32, reciprocal as u32])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bin of the key that is `offset` behind the first, as `counter_of` in `even.cuh` computes it.
    fn bin(offset: u32, (shift, [high, low]): (u32, [u32; 2])) -> u32 {
        let scaled = u64::from(offset << shift);
        ((scaled * u64::from(high) + ((scaled * u64::from(low)) >> 32)) >> 32) as u32
    }

    /// Every key of narrow ranges; of others, the two neighbours of every bin's border.
    #[test]
    fn the_reciprocal_is_exact() {
        let widths = [1, 2, 3, 255, 256, 257, 1000, 1 << 16, (1 << 16) + 1, 1 << 20, 1 << 31];
        for width in widths.into_iter().chain([(1 << 31) + 1, u32::MAX - 1, u32::MAX]) {
            for count in [1, 2, 3, 255, 256, 257, 1000, 65_521, MOST] {
                let (m, w) = (u128::from(count), u128::from(width));
                let border = |bin: u32| (u128::from(bin) * w).div_ceil(m) as u32;
                let beside = |bin| [border(bin).saturating_sub(1), border(bin)];
                let offsets: Vec<u32> = match width <= MOST {
                    true => (0..width).collect(),
                    false => (0..count).flat_map(beside).chain([width - 1]).collect(),
                };
                for offset in offsets {
                    let expected = u128::from(offset) * m / w;
                    let computed = bin(offset, reciprocal(count, width));
                    assert_eq!(u128::from(computed), expected, "{offset} of {width}, {count} bins");
                }
            }
        }
    }

    #[test]
    fn ranges_of_integers_that_are_none() {
        let max = f64::from(u32::MAX);
        for (low, high) in
            [(1.0, 1.0), (2.0, 1.0), (-1.0, 1.0), (0.5, 1.0), (0.0, max + 1.0), (f64::NAN, 1.0)]
        {
            let error = Bins::of_integers(2, low, high).expect_err("no range");
            assert!(matches!(error, BinsError::Integers(..)), "{error}");
        }
        assert!(Bins::of_integers(2, 0.0, max).is_ok());
        assert_eq!(Bins::of_integers(1, 0.0, 9.0), Err(BinsError::Count(1)));
    }

    #[track_caller]
    fn check(count: u32, low: f32, high: f32, error: BinsError) {
        assert_eq!(Bins::even(count, low, high), Err(error));
    }

    #[test]
    fn bins_that_are_none() {
        for count in [0, 1, MOST + 1] {
            check(count, 0.0, 1.0, BinsError::Count(count));
        }
        check(2, 1.0, 1.0, BinsError::Range(1.0, 1.0));
        check(2, 0.0, f32::INFINITY, BinsError::Range(0.0, f32::INFINITY));
        check(2, f32::MIN, f32::MAX, BinsError::Width);
        check(2, 0.0, f32::from_bits(1), BinsError::Width);
        assert!(Bins::even(2, 0.0, f32::NAN).is_err());
    }
}
