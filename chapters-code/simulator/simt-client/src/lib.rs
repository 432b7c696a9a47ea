//! A client of the simulator's CUDA driver library: it opens the library, sets its options and takes its reports.
//!
//! The library answers the CUDA driver API, and four functions more, which are called here. Its options are those of the
//! whole process: a [`Session`] has them for itself, and restores them when it ends.

mod options;
mod text;

use std::{
    ffi::{CStr, c_char},
    mem,
    path::{Path, PathBuf},
};

use libloading::Library;
use parking_lot::{Mutex, ReentrantMutex, ReentrantMutexGuard};
use serde::de::DeserializeOwned;
pub use simt_report::*;

pub use options::Options;

type SetOption = unsafe extern "C" fn(*const c_char, i64) -> i32;
type SetName = unsafe extern "C" fn(u64, *const c_char) -> i32;
type Take = unsafe extern "C" fn(*mut c_char, usize) -> usize;

/// Why the library cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be opened, or lacks a function.
    #[error("{path} cannot be used: {cause}")]
    Library {
        /// Where it is.
        path: PathBuf,
        /// What the system says.
        #[source]
        cause: libloading::Error,
    },
    /// It reports in another form: it is of another version.
    #[error("{path} reports in another form")]
    Report {
        /// Where it is.
        path: PathBuf,
        /// Where its text differs.
        #[source]
        cause: serde_json::Error,
    },
    /// It has no such option, or the option has no such value.
    #[error("{path} has no option {name} of {value}")]
    Option {
        /// Where it is.
        path: PathBuf,
        /// The option.
        name: String,
        /// The value.
        value: i64,
    },
}

/// The simulator's library, which stays loaded.
#[derive(Debug)]
pub struct Simulator {
    path: PathBuf,
    set_option: SetOption,
    set_name: SetName,
    take_report: Take,
    take_recording: Take,
    options: Mutex<Options>,
    /// Held by a session.
    exclusive: ReentrantMutex<()>,
    _library: Library,
}

impl Simulator {
    /// Opens the library at `path`.
    ///
    /// # Errors
    /// [`Error::Library`] if it cannot be opened, or is not the simulator's.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let path = path.to_path_buf();
        let bad = |cause| Error::Library { path: path.clone(), cause };
        // SAFETY: the library is ours and its initialisers have no preconditions.
        let library = unsafe { Library::new(&path) }.map_err(bad)?;
        // SAFETY: the signatures are those that simt-driver exports under these names.
        let (set_option, set_name, take_report, take_recording) = unsafe {
            (
                *library.get::<SetOption>(b"simtSetOption").map_err(bad)?,
                *library.get::<SetName>(b"simtSetName").map_err(bad)?,
                *library.get::<Take>(b"simtTakeReport").map_err(bad)?,
                *library.get::<Take>(b"simtTakeRecording").map_err(bad)?,
            )
        };
        Ok(Self {
            path,
            set_option,
            set_name,
            take_report,
            take_recording,
            options: Mutex::default(),
            exclusive: ReentrantMutex::new(()),
            _library: library,
        })
    }

    /// Changes options until they are changed again. Waits until no other thread has a session.
    ///
    /// # Errors
    /// [`Error::Option`] if the library refuses one.
    pub fn configure(&self, change: impl FnOnce(&mut Options)) -> Result<(), Error> {
        let _exclusive = self.exclusive.lock();
        let mut options = self.options.lock().clone();
        change(&mut options);
        self.set_all(options)
    }

    /// Changes options for as long as the session lives. Waits until no other thread has a session; on the same thread
    /// sessions may be nested.
    ///
    /// # Errors
    /// [`Error::Option`] if the library refuses one.
    pub fn session(&self, change: impl FnOnce(&mut Options)) -> Result<Session<'_>, Error> {
        let exclusive = self.exclusive.lock();
        let before = self.options.lock().clone();
        let mut options = before.clone();
        change(&mut options);
        let session = Session { simulator: self, before, _exclusive: exclusive };
        self.set_all(options)?;
        Ok(session)
    }

    /// How many devices there are, for a library whose first device has not been asked for.
    ///
    /// # Errors
    /// [`Error::Option`] if that is more than it can have.
    pub fn set_devices(&self, count: u32) -> Result<(), Error> {
        self.set(c"devices", count.into())
    }

    /// Keeps all that the devices execute from now on, for [`Simulator::take_recording`].
    ///
    /// # Errors
    /// [`Error::Option`] if the library does not record.
    pub fn record(&self) -> Result<(), Error> {
        self.set(c"record", 1)
    }

    /// Calls the allocation, or the variable of a module, that contains an address by this name in reports to come; an
    /// empty name ends that. Returns whether something is allocated there.
    pub fn set_name(&self, address: u64, name: &CStr) -> bool {
        // SAFETY: `name` ends in NUL, and the function only reads it.
        unsafe { (self.set_name)(address, name.as_ptr()) == 0 }
    }

    /// What the launches since the last call did.
    ///
    /// # Errors
    /// [`Error::Report`] if the library reports in another form: it is of another version.
    pub fn take(&self) -> Result<Report, Error> {
        self.take_json(self.take_report, text::USUAL)
    }

    /// What the devices have executed since [`Simulator::record`]. Recording ends.
    ///
    /// # Errors
    /// [`Error::Report`] if the library records in another form: it is of another version.
    pub fn take_recording(&self) -> Result<Recording, Error> {
        self.take_json(self.take_recording, text::LARGE)
    }

    /// Sets the options that differ from those that are set.
    fn set_all(&self, options: Options) -> Result<(), Error> {
        let mut current = self.options.lock();
        for (name, value) in options.changes(&current) {
            self.set(name, value)?;
        }
        *current = options;
        Ok(())
    }

    fn set(&self, name: &CStr, value: i64) -> Result<(), Error> {
        // SAFETY: `name` ends in NUL, and the function only reads it.
        match unsafe { (self.set_option)(name.as_ptr(), value) } {
            0 => Ok(()),
            _ => Err(Error::Option {
                path: self.path.clone(),
                name: name.to_string_lossy().into_owned(),
                value,
            }),
        }
    }

    fn take_json<T: DeserializeOwned>(&self, take: Take, room: usize) -> Result<T, Error> {
        let json = text::read_all(room, |buffer| {
            // SAFETY: the function writes at most `len` bytes.
            unsafe { take(buffer.as_mut_ptr().cast(), buffer.len()) }
        });
        serde_json::from_str(&json)
            .map_err(|cause| Error::Report { path: self.path.clone(), cause })
    }
}

/// Options that are changed for a while. When it is dropped, they are what they were.
#[derive(Debug)]
pub struct Session<'s> {
    simulator: &'s Simulator,
    before: Options,
    _exclusive: ReentrantMutexGuard<'s, ()>,
}

impl Session<'_> {
    /// Changes options of the session.
    ///
    /// # Errors
    /// [`Error::Option`] if the library refuses one.
    pub fn change(&self, change: impl FnOnce(&mut Options)) -> Result<(), Error> {
        let mut options = self.simulator.options.lock().clone();
        change(&mut options);
        self.simulator.set_all(options)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // These values were set before.
        let restored = self.simulator.set_all(mem::take(&mut self.before));
        debug_assert!(restored.is_ok(), "{restored:?}");
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
