//! Everything that can go wrong on the way to a result, each with its remedy.

use std::{
    fmt::Display,
    io,
    path::{Path, PathBuf},
};

use cudarc::driver::DriverError;

/// Errors of opening a device, loading a kernel or running it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// `--device gpu` on a machine that has none that works.
    #[error(
        "no usable NVIDIA GPU: {reason}\n  remedy: {remedy}; or run on the simulator with \
         `--device sim`"
    )]
    NoGpu {
        /// What was tried and how it failed.
        reason: String,
        /// The command or step that mends it.
        remedy: &'static str,
    },
    /// The simulator was told to have no device.
    #[error(
        "the simulator offers no device\n  remedy: unset the environment variable SIMT_DEVICES, or set it to 1"
    )]
    NoSimulatedDevice,
    /// The library that stands in for the driver is not where it is looked for.
    #[error(
        "the simulator's library {file} was not found; looked in {}\n  remedy: \
         `cargo build -p warpsim-driver` beside this program, or name the file in the environment \
         variable SIMT_DRIVER",
        list(searched)
    )]
    NoSimulator {
        /// The file's name.
        file: String,
        /// The paths at which it was looked for.
        searched: Vec<PathBuf>,
    },
    /// The library is there but is not the one wanted.
    #[error(
        "the simulator's library cannot be used: {reason}\n  remedy: `cargo build -p warpsim-driver`, and unset the \
         environment variable SIMT_DRIVER"
    )]
    BadSimulator {
        /// The file, and the reason why it cannot be used.
        reason: String,
    },
    /// NCCL is there but cannot be opened.
    #[error("{} is NCCL, but it cannot be opened: {reason}\n  remedy: install it anew, or give it the name libnccl.so in a folder of LD_LIBRARY_PATH", path.display())]
    Nccl {
        /// The file.
        path: PathBuf,
        /// The reason why it cannot be opened.
        reason: String,
    },
    /// The process already talks to the other library; it cannot change over.
    #[error("this process already uses {0}; start another one for the other device")]
    AlreadyBound(&'static str),
    /// A call of the CUDA driver failed.
    #[error("{doing}: {error}{detail}")]
    Driver {
        /// The operation that failed.
        doing: String,
        /// The driver's error, by name.
        error: DisplayDriverError,
        /// The simulator's report of the failure: kernel, line, thread and cause.
        detail: String,
    },
    /// The driver refused a module.
    #[error("module {module}: {reason}\n  remedy: {remedy}")]
    Module {
        /// The kernel file.
        module: String,
        /// The cause.
        reason: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// A case does not fit the device's memory.
    #[error(
        "{case} needs {} of memory and {} are free\n  remedy: on this device up to {fits} elements \
         of that type fit", bytes(*needed), bytes(*free)
    )]
    Memory {
        /// The problem.
        case: String,
        /// The bytes that the case needs.
        needed: u64,
        /// The bytes that are free.
        free: u64,
        /// The number of elements that fit.
        fits: u64,
    },
    /// A kernel that was to be traced did not run as it should.
    #[error("{kernel} on {case}: {cause}")]
    Trace {
        /// The rung.
        kernel: String,
        /// The case that the rung ran on.
        case: String,
        /// The cause.
        cause: String,
    },
    /// A name or a combination that no rung has.
    #[error("{0}")]
    Usage(String),
    /// A baseline library cannot be used.
    #[error("baseline library {}: {reason}\n  remedy: build it as chapters-code/tools/baselines/README.md says", path.display())]
    Baseline {
        /// The file.
        path: PathBuf,
        /// The reason why it cannot be used.
        reason: String,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {error}\n  remedy: {}", named(path), write_remedy(error))]
    Write {
        /// The file; `-` is standard output.
        path: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
}

impl Error {
    /// A file that cannot be written.
    pub fn write(path: &Path, error: io::Error) -> Self {
        Self::Write { path: path.to_path_buf(), error }
    }

    /// What cannot be done as it was asked for, and what can be.
    pub fn usage(what: impl Display, remedy: impl Display) -> Self {
        Self::Usage(format!("{what}\n  remedy: {remedy}"))
    }

    /// No rung has this name.
    pub fn unknown_kernel(name: &str) -> Self {
        Self::Usage(format!("there is no kernel `{name}`; see --list"))
    }

    /// Whether it is a reader that has gone, as in `chapter_1 --json - | head -1`.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Write { error, .. } if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// A driver call that failed while `doing` something.
    pub fn driver(doing: impl Into<String>, error: DriverError) -> Self {
        Self::Driver {
            doing: doing.into(),
            error: DisplayDriverError(error),
            detail: String::new(),
        }
    }
}

impl From<DriverError> for Error {
    fn from(error: DriverError) -> Self {
        Self::driver("CUDA driver", error)
    }
}

/// A driver's error that prints as `CUDA_ERROR_…: what it means`.
#[derive(Debug, Clone, Copy)]
pub struct DisplayDriverError(pub DriverError);

impl std::fmt::Display for DisplayDriverError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let meaning = self.0.error_string().map(|s| s.to_string_lossy().into_owned());
        write!(f, "{:?}: {}", self.0.0, meaning.unwrap_or_else(|_| "no description".into()))
    }
}

impl From<simt_client::Error> for Error {
    fn from(error: simt_client::Error) -> Self {
        Self::BadSimulator { reason: in_full(&error) }
    }
}

/// An error and what caused it, in one line.
pub(crate) fn in_full(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", in_full(source)),
        None => error.to_string(),
    }
}

/// Bytes with a binary unit: `1.5 GiB`.
pub fn bytes(count: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    let digits = if value.fract() == 0.0 { 0 } else { 1 };
    format!("{value:.digits$} {}", units[unit])
}

fn named(path: &Path) -> String {
    if path == Path::new("-") { "to standard output".into() } else { path.display().to_string() }
}

fn write_remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull => "free some space, or name a file on another disk",
        io::ErrorKind::IsADirectory => "name a file in that folder",
        io::ErrorKind::PermissionDenied => "name a file that you may write",
        _ => "name a file in a folder that exists",
    }
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}
