//! What a case has besides its elements: how they are divided into segments, what is done with the segments, and
//! which sparse matrix is multiplied.

use std::{fmt, str::FromStr};

use harness::{Case, ChapterParameters, Kind, names, shape::parse_count, text_in_json};
use serde::{Deserialize, Serialize};

/// The options of this chapter that a case keeps.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SegmentParameters {
    /// The kind of scan; none where the segments are not scanned.
    pub kind: Option<Kind>,
    /// The segments: 64 elements each where it is not said.
    pub segments: Option<Segments>,
    /// The conversion; none where the segments are not converted.
    pub convert: Option<Conversion>,
    /// Where there is one, it is multiplied by a vector.
    pub matrix: Option<Matrix>,
}

impl ChapterParameters for SegmentParameters {}

impl SegmentParameters {
    /// Scans of these segments where there is a kind, otherwise reductions.
    pub fn in_segments(kind: Option<Kind>, segments: Segments) -> Self {
        Self { kind, segments: Some(segments), ..Self::default() }
    }

    /// A conversion of these segments.
    pub fn conversion(to: Conversion, segments: Segments) -> Self {
        Self { convert: Some(to), segments: Some(segments), ..Self::default() }
    }

    /// Products of this matrix.
    pub fn product(matrix: Matrix) -> Self {
        Self { matrix: Some(matrix), ..Self::default() }
    }
}

impl fmt::Display for SegmentParameters {
    /// Each with a comma before it: `, inclusive, segments of 64`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, segments, convert, matrix } = self;
        let words = [
            kind.map(|kind| kind.to_string()),
            segments.map(|segments| match segments {
                Segments::Of(length) => format!("segments of {length}"),
                segments => format!("{segments} segments"),
            }),
            convert.map(|conversion| conversion.to_string()),
            matrix.map(|matrix| format!("{matrix} matrix")),
        ];
        words.into_iter().flatten().try_for_each(|words| write!(f, ", {words}"))
    }
}

/// The kind of a case's scans.
pub fn kind(case: &Case) -> Kind {
    SegmentParameters::of(case).kind.unwrap_or(Kind::Inclusive)
}

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

text_in_json!(Segments);

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

impl FromStr for Matrix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let made = Self::MADE.into_iter().find(|matrix| matrix.name() == text);
        made.ok_or_else(|| format!("`{text}` is no matrix: write banded, power-law or long-row"))
    }
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

    #[test]
    fn segments_are_text_in_json() {
        for segments in [Segments::Of(7), Segments::PowerLaw] {
            let json = serde_json::to_string(&segments).expect("JSON");
            assert_eq!(serde_json::from_str::<Segments>(&json).ok(), Some(segments));
        }
        assert!(serde_json::from_str::<Segments>(r#""0""#).is_err());
    }
}
