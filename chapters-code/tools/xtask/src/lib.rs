//! Regenerates and checks the PTX that is committed beside every kernel.
//!
//! [`kernel`] knows the sources: where they are, what they include, what is asked of the compiler.
//! [`nvrtc`] is the compiler, [`locate`] finds it on this machine and [`wheels`] fetches it.
//! [`ptx`] turns what it writes into a file that is the same on every machine. [`skipped`] reports the
//! tests that could not run without the compiler.

pub mod kernel;
pub mod locate;
pub mod nvrtc;
pub mod ptx;
pub mod skipped;
pub mod wheels;

use std::path::{Path, PathBuf};

/// The version of NVRTC whose output is committed: it writes PTX ISA 8.0, which every driver since
/// CUDA 12.0 loads.
pub const NVRTC_VERSION: &str = "12.0.140";

/// The root of the workspace that this program was built in.
pub fn workspace() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest
        .ancestors()
        .nth(3)
        .unwrap_or(manifest)
        .to_path_buf()
}
