//! NVRTC, NVIDIA's run-time compiler from CUDA C++ to PTX.
//!
//! [`wheels`] fetches the pinned version, [`locate`] finds one on this machine, and [`compiler`] calls
//! it. [`testing`] tells tests whether there is a compiler, and [`skipped`] counts the tests that could
//! not run without one.

pub mod compiler;
pub mod locate;
pub mod skipped;
pub mod testing;
pub mod wheels;

use std::path::{Path, PathBuf};

/// The version of NVRTC whose output is committed. It writes PTX ISA 8.0, which every driver since
/// CUDA 12.0 loads.
pub const VERSION: &str = "12.0.140";

/// The root of the workspace that this program was built in.
pub fn workspace() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.ancestors().nth(3).unwrap_or(manifest).to_path_buf()
}

/// The folder that the fetched compiler is in.
pub fn folder() -> PathBuf {
    workspace().join("target").join("nvrtc")
}
