//! What the simulator knows beyond the CUDA API: options, counters, races, faults, traces.

use std::{
    ffi::{CStr, c_char},
    path::{Path, PathBuf},
};

use libloading::Library;
use serde::de::DeserializeOwned;
pub use simt_report::*;

use crate::{Error, error::in_full};

type SetOption = unsafe extern "C" fn(*const c_char, i64) -> i32;
type Take = unsafe extern "C" fn(*mut c_char, usize) -> usize;

/// The extra functions of the simulator's library, which stays loaded.
#[derive(Debug)]
pub struct Simulator {
    path: PathBuf,
    set_option: SetOption,
    take_report: Take,
    take_recording: Take,
    _library: Library,
}

impl Simulator {
    /// Opens the library at `path`.
    pub(crate) fn load(path: &Path) -> Result<Self, Error> {
        let bad = |error| unusable(path, &error);
        // SAFETY: the library is ours and its initialisers have no preconditions.
        let library = unsafe { Library::new(path) }.map_err(bad)?;
        // SAFETY: the signatures are those that simt-driver exports under these names.
        let (set_option, take_report, take_recording) = unsafe {
            (
                *library.get::<SetOption>(b"simtSetOption").map_err(bad)?,
                *library.get::<Take>(b"simtTakeReport").map_err(bad)?,
                *library.get::<Take>(b"simtTakeRecording").map_err(bad)?,
            )
        };
        let path = path.to_path_buf();
        Ok(Self { path, set_option, take_report, take_recording, _library: library })
    }

    /// Sets an option (`seed`, `races`, `counters`, `trace`, `instruction_limit`, …); false where
    /// the simulator has none of that name.
    pub fn set(&self, name: &CStr, value: i64) -> bool {
        // SAFETY: `name` ends in NUL, and the function only reads it.
        unsafe { (self.set_option)(name.as_ptr(), value) == 0 }
    }

    /// What the launches since the last call did.
    ///
    /// # Errors
    /// [`Error::BadSimulator`] where the library reports in another form: it is of another version.
    pub fn take(&self) -> Result<Report, Error> {
        self.take_json(self.take_report, USUAL)
    }

    /// What the devices have executed since the option `record` was set to 1. Recording ends.
    ///
    /// # Errors
    /// [`Error::BadSimulator`] where the library records in another form: it is of another version.
    pub fn take_recording(&self) -> Result<Recording, Error> {
        self.take_json(self.take_recording, LARGE)
    }

    fn take_json<T: DeserializeOwned>(&self, take: Take, room: usize) -> Result<T, Error> {
        let json = read_all(room, |buffer| {
            // SAFETY: the function writes at most `len` bytes.
            unsafe { take(buffer.as_mut_ptr().cast(), buffer.len()) }
        });
        serde_json::from_str(&json).map_err(|error| unusable(&self.path, &error))
    }
}

fn unusable(path: &Path, error: &dyn std::error::Error) -> Error {
    Error::BadSimulator { path: path.to_path_buf(), reason: in_full(error) }
}

/// A report takes that much at first.
const USUAL: usize = 64 * 1024;

/// A recording takes at most that much, with few exceptions. The library makes the whole text for each call, and pages
/// of the buffer that are not written cost nothing.
const LARGE: usize = 16 * 1024 * 1024;

/// The text that `take` hands over, in a buffer of `room` bytes at first. It returns the text's length, and once a
/// buffer has had room for it the text is gone: the next call is for another.
fn read_all(room: usize, mut take: impl FnMut(&mut [u8]) -> usize) -> String {
    let mut buffer = vec![0; room];
    loop {
        let needed = take(&mut buffer);
        let fitted = needed <= buffer.len();
        buffer.resize(needed, 0);
        if fitted {
            return String::from_utf8(buffer)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{USUAL, read_all};

    #[test]
    fn a_report_is_read_whatever_its_length() {
        for length in [0, 1, USUAL - 1, USUAL, USUAL + 1, 3 * USUAL] {
            let mut report = "x".repeat(length);
            // As simtTakeReport does: what has fitted is forgotten.
            let text = read_all(USUAL, |buffer| {
                let needed = report.len();
                if needed <= buffer.len() {
                    buffer[..needed].copy_from_slice(report.as_bytes());
                    report.clear();
                }
                needed
            });
            assert_eq!(text.len(), length);
        }
    }
}
