//! What a block scans, for chapters whose rungs are not typed yet.

use harness::Dtype;

/// What a block scans.
#[derive(Clone, Copy, Debug)]
pub enum Share {
    /// So many elements.
    Elements(u64),
    /// So many bytes of elements.
    Bytes(u64),
}

impl Share {
    /// How many elements of a type that is.
    pub fn elements(self, dtype: Dtype) -> u64 {
        match self {
            Self::Elements(elements) => elements,
            Self::Bytes(bytes) => bytes / dtype.size() as u64,
        }
    }
}
