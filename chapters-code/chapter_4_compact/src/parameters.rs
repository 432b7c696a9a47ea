//! What a compaction has besides its elements: what selects, how many of them, and where they lie.

use std::{fmt, str::FromStr};

use harness::{Parameter, Task, Value, names};

/// What a case of this chapter asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectionParameters {
    /// What selects elements.
    pub by: By,
    /// The part of the elements that is selected.
    pub density: Density,
    /// Where the selected elements lie; `None` if a file says that.
    pub mask: Option<Pattern>,
}

impl Default for SelectionParameters {
    fn default() -> Self {
        Self::new(By::Mask, Density::HALF, Pattern::Random)
    }
}

impl SelectionParameters {
    /// Parameters in which all three options are given.
    pub const fn new(by: By, density: Density, mask: Pattern) -> Self {
        Self { by, density, mask: Some(mask) }
    }
}

impl Task for SelectionParameters {
    const PARAMETERS: &'static [Parameter<Self>] = &[
        Parameter::new(
            "by",
            "What selects elements; several, comma separated",
            |task: &Self| Some(Value::text(task.by)),
            |task, text| Ok(Self { by: text.parse()?, ..*task }),
        )
        .option("select")
        .value_name("WHAT")
        .named::<By>()
        .default("mask")
        .label(|task| Some(format!("{} selected by {}", task.density, task.by)))
        .lab(&["mask", "bits", "predicate"], ""),
        Parameter::new(
            "density",
            "The part of the elements that is selected: 1/2, 0.25, 0, 1; several, comma separated",
            |task: &Self| Some(Value::text(task.density)),
            |task, text| Ok(Self { density: text.parse()?, ..*task }),
        )
        .value_name("PART")
        .default("1/2")
        .lab(&["0", "1/10", "1/2", "1"], ""),
        Parameter::new(
            "mask",
            "Where the selected elements lie; several, comma separated",
            |task: &Self| task.mask.map(Value::text),
            |task, text| Ok(Self { mask: Some(text.parse()?), ..*task }),
        )
        .value_name("PATTERN")
        .named::<Pattern>()
        .default("random")
        .label(|task| task.mask.map(|mask| mask.to_string()))
        .lab(&["random", "clustered", "alternating"], ""),
    ];
}

names! {
    /// What says which elements are kept, as `--select` and the kernels' names spell it.
    pub enum By {
        /// One byte per element: kept if it is not 0.
        Mask = "mask",
        /// One bit per element, 32 in a word, the lowest first: kept if it is 1.
        Bits = "bits",
        /// The element itself: kept if it is at least a pivot.
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

    /// `kept` elements out of every `of`; none if `kept` is more than `of`, or `of` is 0.
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
}
