//! Results: the API's codes, and why a call failed.

use std::ffi::c_uint;

/// `CUresult`: what every function of the API returns. The codes are in `error_codes.rs`.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CUresult(pub c_uint);

impl CUresult {
    /// A failure with this code, and its cause for people.
    pub fn because(self, cause: impl Into<String>) -> Failure {
        Failure { code: self, cause: Some(cause.into()) }
    }
}

impl std::fmt::Debug for CUresult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.name() {
            Some(name) => f.write_str(&name.to_string_lossy()),
            None => write!(f, "CUresult({})", self.0),
        }
    }
}

/// A call that failed.
#[derive(Debug)]
pub struct Failure {
    /// What is returned.
    pub code: CUresult,
    /// What is said on standard error, if anything.
    pub cause: Option<String>,
}

impl From<CUresult> for Failure {
    fn from(code: CUresult) -> Self {
        Self { code, cause: None }
    }
}

impl From<simt::MemoryError> for Failure {
    fn from(error: simt::MemoryError) -> Self {
        let code = match error {
            simt::MemoryError::OutOfMemory { .. } => CUresult::OUT_OF_MEMORY,
            _ => CUresult::INVALID_VALUE,
        };
        code.because(error.to_string())
    }
}

/// What a function of the API comes to.
pub type Result<T = ()> = std::result::Result<T, Failure>;
