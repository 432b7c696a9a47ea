//! A library to compare with, behind the C interface of `chapters-code/peers/peers.h`.

use std::{
    ffi::{CStr, c_char},
    path::{Path, PathBuf},
};

use cudarc::driver::DriverError;
use libloading::Library;

use crate::{Error, error::in_full};

/// One complete operation of a peer, enqueued on the device's stream; ready to be timed.
pub type PeerRun<'a> = Box<dyn FnMut() -> Result<(), DriverError> + 'a>;

/// `PEER_INTERFACE` of peers.h.
const INTERFACE: i32 = 1;

/// An open peer library.
pub struct Peers {
    library: Library,
    path: PathBuf,
    /// Who it is, such as `CUB`.
    pub name: String,
    /// Its version, such as `3.0.1`.
    pub version: String,
}

impl Peers {
    /// Opens the library at `path`.
    ///
    /// # Errors
    /// [`Error::Peer`] where it is not a library, or not one with this interface.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let bad = |reason: String| Error::Peer {
            path: path.to_path_buf(),
            reason,
        };
        // A bare name would be looked for in the system's folders.
        let file = path
            .canonicalize()
            .map_err(|error| bad(error.to_string()))?;
        // SAFETY: a peer library's initialisers have no preconditions.
        let library = unsafe { Library::new(&file) }.map_err(|error| bad(in_full(&error)))?;
        // SAFETY: signatures as in peers.h; the strings are static.
        let (interface, name, version) = unsafe {
            let text = |symbol: &[u8]| -> Result<String, libloading::Error> {
                let text = library.get::<extern "C" fn() -> *const c_char>(symbol)?();
                Ok(CStr::from_ptr(text).to_string_lossy().into_owned())
            };
            let interface = library
                .get::<extern "C" fn() -> i32>(b"peer_interface")
                .map(|interface| interface());
            (interface, text(b"peer_name"), text(b"peer_version"))
        };
        let (Ok(interface), Ok(name), Ok(version)) = (interface, name, version) else {
            return Err(bad(
                "it is not a peer library: peer_interface, peer_name or peer_version \
                            is missing"
                    .into(),
            ));
        };
        if interface != INTERFACE {
            return Err(bad(format!(
                "it has interface {interface}, wanted is {INTERFACE}"
            )));
        }
        Ok(Self {
            library,
            path: path.to_path_buf(),
            name,
            version,
        })
    }

    /// A function of the library; none where it lacks it, which is no error.
    ///
    /// # Safety
    /// `F` must be the function's type in peers.h.
    pub unsafe fn function<F: Copy>(&self, name: &str) -> Option<F> {
        // SAFETY: the caller's promise.
        unsafe { self.library.get::<F>(name.as_bytes()) }
            .ok()
            .map(|symbol| *symbol)
    }

    /// An error of one of its functions.
    pub fn error(&self, reason: impl Into<String>) -> Error {
        Error::Peer {
            path: self.path.clone(),
            reason: reason.into(),
        }
    }
}
