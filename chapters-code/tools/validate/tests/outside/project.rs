//! Packages outside of this workspace that are tested as the book says.

#![cfg(target_os = "linux")]

use std::{fs, process::Command, time::Duration};

use tempfile::TempDir;

use super::run::{self, Run};

/// A package in a folder of its own, far from this workspace, deleted at the end.
pub struct Project(TempDir);

impl Project {
    /// Lays out a library as its author would.
    pub fn new(manifest: &str, source: &str) -> Self {
        let project = Self(tempfile::tempdir().expect("a folder"));
        project.write("Cargo.toml", manifest.as_bytes());
        // The versions of this workspace, which are all at hand: nothing is fetched.
        let lock = fs::read(nvrtc::workspace().join("Cargo.lock"));
        project.write("Cargo.lock", &lock.expect("a file"));
        project.write("src/lib.rs", source.as_bytes());
        project
    }

    /// Writes a file of the package.
    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    /// Runs lines of the book at the root of this workspace, and then a command here.
    pub fn after(&self, lines: &str, command: &str) -> Run {
        let script = format!("set -e\n{lines}cd {:?}\n{command}\n", self.0.path());
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(nvrtc::workspace());
        for name in ["SIMT_DEVICES", "SIMT_RACES", "SIMT_SEED", "CARGO_TARGET_DIR"] {
            shell.env_remove(name);
        }
        run::run(&mut shell, &self.0.path().join("said"), Duration::from_secs(1200))
    }
}
