//! What the values of the chapter's options mean.

use std::{fmt, str::FromStr};

use harness::{names, shape::parse_count};

/// How long segments are, as `--segments` spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Segments {
    /// All have this number of elements, 1 or more; the last may be shorter.
    Of(u32),
    /// One segment has all elements.
    Giant,
    /// Drawn so that one in k is of k elements or more, up to a sixteenth of all.
    PowerLaw,
    /// The first has half of all elements; the others are of 4096.
    Lopsided,
    /// About a third are empty, the first and the last among them; the others are of 1 to 127.
    Empty,
}

impl Segments {
    /// The segments of a case that does not say which.
    pub const USUAL: Self = Self::Of(64);
}

impl fmt::Display for Segments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Of(length) => write!(f, "{length}"),
            Self::Giant => write!(f, "giant"),
            Self::PowerLaw => write!(f, "power-law"),
            Self::Lopsided => write!(f, "lopsided"),
            Self::Empty => write!(f, "empty"),
        }
    }
}

impl FromStr for Segments {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let length = || parse_count(text).ok().and_then(|n| u32::try_from(n).ok());
        match text {
            "giant" => Ok(Self::Giant),
            "power-law" => Ok(Self::PowerLaw),
            "lopsided" => Ok(Self::Lopsided),
            "empty" => Ok(Self::Empty),
            _ => match length() {
                Some(length @ 1..) => Ok(Self::Of(length)),
                _ => Err(format!(
                    "`{text}` are no segments: write their length, such as 64, or giant, power-law, lopsided or empty"
                )),
            },
        }
    }
}

names! {
    /// A sparse matrix, as `--matrix` spells it.
    pub enum Matrix {
        /// Rows of 27 entries beside the diagonal, as a difference scheme in three dimensions gives.
        Banded = "banded",
        /// Rows as long as power-law segments, their columns at random.
        PowerLaw = "power-law",
        /// One row has half of all entries, the others 4 each.
        LongRow = "long-row",
        /// The matrix of a file.
        File = "file",
    }
}

impl Matrix {
    /// Those that are made by seed.
    pub const MADE: [Self; 3] = [Self::Banded, Self::PowerLaw, Self::LongRow];
}

names! {
    /// What segments are turned into, as `--convert` spells it.
    pub enum Conversion {
        /// Head flags are computed from offsets.
        ToFlags = "to-flags",
        /// Offsets are computed from head flags.
        ToOffsets = "to-offsets",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_as_people_write_them() {
        let check = |text: &str, segments| assert_eq!(text.parse(), Ok(segments), "{text}");
        check("64", Segments::Of(64));
        check("2^20", Segments::Of(1 << 20));
        check("giant", Segments::Giant);
        check("power-law", Segments::PowerLaw);
        check("lopsided", Segments::Lopsided);
        check("empty", Segments::Empty);
        for text in ["", "0", "-1", "2^40", "many", "1.5"] {
            assert!(text.parse::<Segments>().is_err(), "{text}");
        }
    }
}
