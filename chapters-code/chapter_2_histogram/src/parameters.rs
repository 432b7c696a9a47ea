//! What a histogram has besides its keys.

use std::{fmt, str::FromStr};

use harness::{ChapterParameters, shape::parse_count, text_in_json};
use serde::{Deserialize, Serialize};

/// The options of this chapter that a case keeps.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HistogramParameters {
    /// Bins: 256 where there is no number.
    pub bins: Option<u32>,
    /// Keys that the input is drawn from: as many as there are bins where there is no number.
    pub keys: Option<u32>,
    /// The most copies of the histogram that a block of `banked` keeps.
    pub copies: Option<u32>,
    /// The range that the bins divide evenly. Where there is none, floats have the bins of `0..1`, and integers are
    /// their own bins.
    pub range: Option<Range>,
}

/// A range of keys, without its upper end: `0..1048576`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least key that has a bin.
    pub low: f64,
    /// The least key above all bins.
    pub high: f64,
}

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |end: &str| match parse_count(end) {
            Ok(count) => Some(count as f64),
            Err(_) => end.parse().ok().filter(|end: &f64| end.is_finite()),
        };
        let ends = text.split_once("..").and_then(|(low, high)| number(low).zip(number(high)));
        let (low, high) = ends.filter(|(low, high)| low < high).ok_or_else(|| {
            "a range is two numbers, the lower one first; write for example 0..2^20 or -1..1"
                .to_owned()
        })?;
        Ok(Self { low, high })
    }
}

text_in_json!(Range);

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.low, self.high)
    }
}

impl HistogramParameters {
    /// Those of a histogram of `bins` bins.
    pub fn of_bins(bins: u32) -> Self {
        Self { bins: Some(bins), ..Self::default() }
    }
}

impl ChapterParameters for HistogramParameters {}

impl fmt::Display for HistogramParameters {
    /// Each with a comma before it: `, 256 bins`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bins, keys, copies, range } = self;
        for (count, of) in [(bins, "bins"), (keys, "keys"), (copies, "copies")] {
            if let Some(count) = count {
                write!(f, ", {count} {of}")?;
            }
        }
        if let Some(range) = range {
            write!(f, ", range {range}")?;
        }
        Ok(())
    }
}
