//! Tests after which the device takes no more work from the process, as on a GPU.

use std::process::Command;

/// Runs an ignored test of the calling program in a process of its own; `test` is the name that the
/// list of tests has, `deadlock::program`.
///
/// # Panics
/// If there is no such test, or it fails.
#[track_caller]
pub fn in_own_process(test: &str) {
    let program = std::env::current_exe().expect("a running test has a path");
    let output = Command::new(program)
        .args(["--ignored", "--exact", test, "--nocapture"])
        .output()
        .expect("this program starts");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("running 1 test"), "{test}: {printed}");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{test}: {printed}{complaint}");
}
