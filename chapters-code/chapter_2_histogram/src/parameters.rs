//! What a histogram has besides its keys.

use std::fmt;

use harness::ChapterParameters;
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
        let Self { bins, keys, copies } = self;
        for (count, of) in [(bins, "bins"), (keys, "keys"), (copies, "copies")] {
            if let Some(count) = count {
                write!(f, ", {count} {of}")?;
            }
        }
        Ok(())
    }
}
