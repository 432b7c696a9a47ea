//! What a scan has besides its elements and its operator.

use harness::{Case, ChapterParameters, Kind};
use serde::{Deserialize, Serialize};

/// The options of this chapter that a case keeps.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ScanParameters {
    /// Inclusive where there is none.
    pub kind: Option<Kind>,
}

impl ScanParameters {
    /// Those of a scan of a kind.
    pub fn of_kind(kind: Kind) -> Self {
        Self { kind: Some(kind) }
    }
}

impl ChapterParameters for ScanParameters {}

/// The kind of a case's scan.
pub fn kind(case: &Case) -> Kind {
    ScanParameters::of(case).kind.unwrap_or(Kind::Inclusive)
}
