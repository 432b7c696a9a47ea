//! What a transpose has besides its matrix.

use std::fmt;

use harness::ChapterParameters;
use serde::{Deserialize, Serialize};

/// The options of this chapter that a case keeps.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MatrixParameters {
    /// The number of matrices, one behind the other: 1 where there is none.
    pub batch: Option<u64>,
    /// The leading dimension: the number of elements from the start of a row to that of the next. Where there
    /// is none, it is the number of columns.
    pub ld: Option<u64>,
}

impl ChapterParameters for MatrixParameters {}

impl fmt::Display for MatrixParameters {
    /// Each with a comma before it: `, 3 matrices`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(batch) = self.batch.filter(|&batch| batch != 1) {
            write!(f, ", {batch} matrices")?;
        }
        if let Some(ld) = self.ld {
            write!(f, ", leading dimension {ld}")?;
        }
        Ok(())
    }
}
