//! What a compaction has besides its elements: what selects, how many of them, and where they lie.

use std::{fmt, str::FromStr};

use harness::{ChapterParameters, names, text_in_json};
use serde::{Deserialize, Serialize};

/// The options of this chapter that a case keeps.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SelectionParameters {
    /// What selects elements: a mask where it is not said.
    pub by: Option<By>,
    /// The part of the elements that is selected: half where it is not said.
    pub density: Option<Density>,
    /// Where the selected elements lie: at random where it is not said.
    pub mask: Option<Pattern>,
}

impl SelectionParameters {
    /// Parameters in which all three options are given.
    pub fn new(by: By, density: Density, mask: Pattern) -> Self {
        Self { by: Some(by), density: Some(density), mask: Some(mask) }
    }
}

impl ChapterParameters for SelectionParameters {}

impl fmt::Display for SelectionParameters {
    /// Each with a comma before it: `, 1/2 selected by mask, random`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { by, density, mask } = self;
        if let Some(density) = density {
            write!(f, ", {density} selected")?;
        }
        if let Some(by) = by {
            write!(f, " by {by}")?;
        }
        if let Some(mask) = mask {
            write!(f, ", {mask}")?;
        }
        Ok(())
    }
}

names! {
    /// What says which elements are kept, as `--select` and the kernels' names spell it.
    pub enum By {
        /// One byte per element: kept where it is not 0.
        Mask = "mask",
        /// One bit per element, 32 in a word, the lowest first: kept where it is 1.
        Bits = "bits",
        /// The element itself: kept where it is at least a pivot.
        Predicate = "predicate",
    }
}

names! {
    /// Where the kept elements lie, as `--mask` spells it.
    pub enum Pattern {
        /// Each is kept or not by a draw of its own.
        Random = "random",
        /// In runs of 3,000, by a draw for each run.
        Clustered = "clustered",
        /// As evenly as can be: every second one where half are kept, beginning with the first.
        Alternating = "alternating",
    }
}

/// The part of the elements that is kept: a fraction from 0 to 1, in lowest terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Density {
    pub(crate) kept: u32,
    pub(crate) of: u32,
}

impl Density {
    /// One in two.
    pub const HALF: Self = Self { kept: 1, of: 2 };

    /// `kept` elements out of every `of`; none where `kept` is more than `of`, or `of` is 0.
    pub fn new(kept: u32, of: u32) -> Option<Self> {
        if of == 0 || kept > of {
            return None;
        }
        let divisor = greatest_common_divisor(kept, of);
        Some(Self { kept: kept / divisor, of: of / divisor })
    }

    /// The fraction.
    pub fn to_f64(self) -> f64 {
        f64::from(self.kept) / f64::from(self.of)
    }
}

fn greatest_common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl fmt::Display for Density {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.of {
            1 => write!(f, "{}", self.kept),
            of => write!(f, "{}/{of}", self.kept),
        }
    }
}

text_in_json!(Density);

impl FromStr for Density {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = match text.trim().split_once('/') {
            Some((kept, of)) => kept.trim().parse().ok().zip(of.trim().parse().ok()),
            None => decimal(text.trim()),
        };
        parts.and_then(|(kept, of)| Self::new(kept, of)).ok_or_else(|| {
            format!("`{text}` is not a part of a whole: write for example 1/2, 0.25, 0 or 1")
        })
    }
}

/// `0.25` as 25 of 100.
fn decimal(text: &str) -> Option<(u32, u32)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let places = u32::try_from(fraction.len()).ok()?;
    let of = 10u32.checked_pow(places)?;
    Some((format!("{whole}{fraction}").parse().ok()?, of))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(u32, u32)>) {
        let density = text.parse::<Density>().ok();
        assert_eq!(density.map(|d| (d.kept, d.of)), expected, "{text}");
    }

    #[test]
    fn densities_as_people_write_them() {
        check("1/2", Some((1, 2)));
        check("2/128", Some((1, 64)));
        check("0", Some((0, 1)));
        check("0/7", Some((0, 1)));
        check("1", Some((1, 1)));
        check("1.0", Some((1, 1)));
        check("0.25", Some((1, 4)));
        check(" 1 / 3 ", Some((1, 3)));
    }

    #[test]
    fn densities_that_are_refused() {
        for text in ["", "2", "3/2", "1/0", "-1", "1/-2", "half", "0.12345678901", "1e-3", "/", "."]
        {
            check(text, None);
        }
    }

    #[test]
    fn densities_are_text_in_json() {
        let density = Density::new(2, 128).expect("a density");
        let json = serde_json::to_string(&density).expect("JSON");
        assert_eq!(json, r#""1/64""#);
        assert_eq!(serde_json::from_str::<Density>(&json).ok(), Some(density));
        assert!(serde_json::from_str::<Density>(r#""3/2""#).is_err());
    }
}
