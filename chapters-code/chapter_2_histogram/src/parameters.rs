//! What a histogram has besides its keys.

use std::{fmt, str::FromStr};

use harness::{Parameter, Task, Value, shape::parse_count};

use crate::bins::{FEWEST, MOST, USUAL};

/// What a case of this chapter asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistogramParameters {
    /// Bins.
    pub bins: u32,
    /// Keys that the input is drawn from: as many as there are bins if there is no number.
    pub keys: Option<u32>,
    /// The most copies of the histogram that a block of `banked` keeps.
    pub copies: Option<u32>,
    /// The range that the bins divide evenly. If there is none, floats have the bins of `0..1`, and integers are their own
    /// bins.
    pub range: Option<Range>,
}

impl Default for HistogramParameters {
    fn default() -> Self {
        Self::of_bins(USUAL)
    }
}

impl HistogramParameters {
    /// Those of a histogram of `bins` bins.
    pub const fn of_bins(bins: u32) -> Self {
        Self { bins, keys: None, copies: None, range: None }
    }
}

impl Task for HistogramParameters {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        Parameter::new(
            "bins",
            "Bins, 2 to 65536; several, comma separated",
            |task: &Self| Some(task.bins.into()),
            |task, text| {
                let bins = count(text).filter(|count| (FEWEST..=MOST).contains(count));
                let wrong = || {
                    format!("bins are a whole number from {FEWEST} to {MOST}; write for example 256 or 2^12")
                };
                Ok(Self { bins: bins.ok_or_else(wrong)?, ..*task })
            },
        )
        .value_name("COUNT")
        .default("256")
        .label(|task| Some(format!("{} bins", task.bins)))
        .lab(&["16", "256", "1024"], ""),
        Parameter::new(
            "keys",
            "Draw the input from this number of keys, instead of as many as there are bins",
            |task: &Self| task.keys.map(Value::from),
            |task, text| {
                let keys = count(text).filter(|&count| count > 0);
                let wrong = "keys are a whole number from 1 to 2^32 - 1; write for example 300";
                Ok(Self { keys: Some(keys.ok_or(wrong)?), ..*task })
            },
        )
        .value_name("COUNT")
        .single()
        .label(|task| Some(format!("{} keys", task.keys?)))
        .lab(&["1", "16"], "as many as bins"),
        Parameter::new(
            "copies",
            "Copies of the histogram that a block of banked keeps, at most: 1, 2, 4, 8, 16 or 32",
            |task: &Self| task.copies.map(Value::from),
            |task, text| {
                let copies = count(text).filter(|n| n.is_power_of_two() && *n <= 32);
                let wrong = "copies are a power of two up to 32: 1, 2, 4, 8, 16 or 32";
                Ok(Self { copies: Some(copies.ok_or(wrong)?), ..*task })
            },
        )
        .value_name("COUNT")
        .label(|task| Some(format!("{} copies", task.copies?)))
        .lab(&["1", "2", "4", "8", "16", "32"], "as many as fit"),
        Parameter::new(
            "range",
            "Divide this range of keys evenly into the bins, for example 0..2^20; f32 [default: 0..1] or u32 \
             [default: each key is its own bin]",
            |task: &Self| task.range.map(Value::text),
            |task, text| Ok(Self { range: Some(text.parse()?), ..*task }),
        )
        .value_name("LOW..HIGH")
        .single()
        .label(|task| Some(format!("range {}", task.range?)))
        .lab(&["0..128", "64..192", "0..1024"], "each key is its own bin"),
    ];
}

/// A number of 32 bits as people write it.
fn count(text: &str) -> Option<u32> {
    parse_count(text).ok().and_then(|count| u32::try_from(count).ok())
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

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.low, self.high)
    }
}
