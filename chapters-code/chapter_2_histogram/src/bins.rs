//! Bins: how many, and of which range of floats.

use cudarc::driver::DeviceRepr;
use harness::{Case, ChapterParameters, Error};

use crate::HistogramParameters;

/// The fewest bins of a histogram.
pub const FEWEST: u32 = 2;

/// The most bins of a histogram.
pub const MOST: u32 = 1 << 16;

/// Bins of a case that does not say how many.
pub const USUAL: u32 = 256;

/// How many bins a case asks for.
pub fn wanted(case: &Case) -> u32 {
    HistogramParameters::of(case).bins.unwrap_or(USUAL)
}

/// Counters behind the bins: keys above the last bin, keys below the first, and NaN.
pub const EXTRA: u32 = 3;

/// The bins, as the kernels take them: `struct Bins` of `histogram.cuh`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bins {
    /// How many, m.
    pub count: u32,
    /// The least float that has a bin.
    pub low: f32,
    /// The least float above all bins.
    pub high: f32,
    /// m / (high − low), rounded twice.
    pub scale: f32,
}

// SAFETY: four words without padding, of which any bits are valid, as the kernels declare them.
unsafe impl DeviceRepr for Bins {}

/// Why there are no such bins.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BinsError {
    /// Too few or too many.
    #[error("{0} is not a number of bins: there are from {FEWEST} to {MOST}")]
    Count(u32),
    /// The range is empty, or its ends are no numbers.
    #[error("from {0} to {1} is no range: it needs two finite ends, the lower one first")]
    Range(f32, f32),
    /// The range's width, or the scale, is beyond f32.
    #[error("bins of that width are out of f32's range")]
    Width,
}

impl Bins {
    /// `count` even bins of the floats in [low, high); keys that are integers are their own bins.
    ///
    /// # Errors
    /// Where there are no such bins.
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
        Ok(Self { count, low, high, scale })
    }

    /// A case's bins; of floats, those of [0, 1).
    ///
    /// # Errors
    /// [`Error::Usage`] where a histogram cannot have that number of bins.
    pub fn of(case: &Case) -> Result<Self, Error> {
        let count = wanted(case);
        let remedy = format!("remedy: give --bins, from {FEWEST} to {MOST}");
        Self::even(count, 0.0, 1.0).map_err(|error| Error::Usage(format!("{error}\n  {remedy}")))
    }

    /// Counters of an output: the bins', and those behind them.
    pub fn counters(&self) -> u32 {
        self.count + EXTRA
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
