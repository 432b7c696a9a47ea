//! Programs outside of this workspace: where they find the driver, and how they are run.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use super::cargo::Package;

/// What ran, and what it said.
pub struct Run {
    /// How it ended; none if it had to be ended.
    pub status: Option<ExitStatus>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// The variable that says where the system looks for libraries.
pub const SEARCH_PATH: &str = if cfg!(windows) {
    "PATH"
} else if cfg!(target_os = "macos") {
    "DYLD_LIBRARY_PATH"
} else {
    "LD_LIBRARY_PATH"
};

/// The manifest of a package of its own, with the cudarc of this workspace.
pub fn manifest(name: &str, cudarc: &Package) -> String {
    let (version, features) = (cudarc.version(), &cudarc.features);
    format!(
        "[package]\nname = {name:?}\nedition = \"2024\"\n[workspace]\n[profile.dev]\n\
         debug = false\n[dependencies]\ncudarc = {{ version = \"={version}\", \
         default-features = false, features = {features:?} }}\n"
    )
}

/// Where cargo puts the driver: beside the tests, and so in their folder.
fn library_path() -> PathBuf {
    let test = std::env::current_exe().expect("a running test has a path");
    test.with_file_name(libloading::library_filename("simt_driver"))
}

/// Lays the driver into a folder under the name that cudarc asks for.
pub fn lay_driver(folder: &Path) {
    fs::create_dir_all(folder).expect("a folder");
    let named = folder.join(libloading::library_filename("cuda"));
    fs::copy(library_path(), named).expect("the driver has been built");
}

/// The value of the search path with these folders before what is there.
pub fn search_path(folders: &[PathBuf]) -> std::ffi::OsString {
    let before = std::env::var_os(SEARCH_PATH).unwrap_or_default();
    let rest: Vec<_> = std::env::split_paths(&before).collect();
    std::env::join_paths(folders.iter().chain(&rest)).expect("no path holds a separator")
}

/// Runs a program, for `limit` at most; it may say more than a pipe holds.
pub fn run(command: &mut Command, said: &Path, limit: Duration) -> Run {
    let (out, err) = (said.with_extension("out"), said.with_extension("err"));
    command.stdout(File::create(&out).expect("a file"));
    command.stderr(File::create(&err).expect("a file"));
    let mut child = command.spawn().expect("the program starts");
    let status = wait(&mut child, limit);
    let read = |path| String::from_utf8_lossy(&fs::read(path).expect("it was made")).into_owned();
    Run { status, stdout: read(out), stderr: read(err) }
}

fn wait(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < limit {
        if let Some(status) = child.try_wait().expect("it is ours") {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().expect("it is ours");
    child.wait().expect("it is ours");
    None
}
