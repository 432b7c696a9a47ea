//! The three lines after which any cudarc program runs without a GPU, as the README and the book
//! give them: a shell runs them, and then `cargo test` in a package outside of this workspace.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::cargo;
use super::run::{self, Run};

const LINES: &str = include_str!("three_lines.sh");

/// What the program of the tests says on standard error, as the book shows it.
const SAID: &str = include_str!("said.txt");

/// A package in a folder of its own, deleted at the end.
struct Project(PathBuf);

impl Project {
    /// Lays the program of the book out as its author would, far from this workspace.
    fn new() -> Self {
        static PROJECTS: AtomicUsize = AtomicUsize::new(0);
        let number = PROJECTS.fetch_add(1, Ordering::Relaxed);
        let name = format!("outside-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let source = folder.join("src");
        fs::create_dir_all(&source).expect("a folder");
        let cudarc = cargo::cudarc();
        let manifest = run::manifest("outside", &cudarc);
        fs::write(folder.join("Cargo.toml"), manifest).expect("a file");
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = nvrtc::workspace();
        let copy = |from: PathBuf, to: PathBuf| fs::copy(from, to).expect("a file");
        copy(root.join("Cargo.lock"), folder.join("Cargo.lock"));
        copy(here.join("tests/outside/programs/add.rs"), source.join("lib.rs"));
        let kernel = here.join("../../chapter_0_setup/kernels/vector_add.ptx");
        copy(kernel, source.join("vector_add.ptx"));
        Self(folder)
    }

    /// Runs the three lines at the root of this workspace, and then a command here.
    fn after_three_lines(&self, command: &str) -> Run {
        let script = format!("set -e\n{LINES}cd {:?}\n{command}\n", self.0);
        let mut shell = Command::new("sh");
        shell.args(["-c", &script]).current_dir(nvrtc::workspace());
        for name in ["SIMT_DEVICES", "SIMT_RACES", "SIMT_SEED", "CARGO_TARGET_DIR"] {
            shell.env_remove(name);
        }
        run::run(&mut shell, &self.0.join("said"), Duration::from_secs(600))
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_three_lines_are_enough() {
    assert_eq!(LINES.lines().count(), 3);
    let run = Project::new().after_three_lines("cargo test --offline -- --test-threads=1");
    let (out, err) = (&run.stdout, &run.stderr);
    assert!(run.status.is_some_and(|s| s.success()), "{out}{err}");
    assert!(out.contains("2 passed"), "{out}");
    let said: Vec<_> = err.lines().filter(|line| line.starts_with("simt: ")).collect();
    // In the book the lines are broken.
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&said.join(" ")), words(SAID), "{err}");
}

#[test]
fn the_readme_has_the_same_lines() {
    let readme = fs::read_to_string(nvrtc::workspace().join("README.md")).expect("a file");
    assert!(readme.contains(LINES), "the README has others than\n{LINES}");
}

/// The workflow of the book does what the three lines do, in a job of its own.
#[test]
fn the_workflow_has_the_same_lines() {
    let workflow = include_str!("workflow.yml");
    for line in LINES.lines() {
        let line = match line.strip_prefix("export ") {
            Some(export) => format!("echo \"{export}\" >> \"$GITHUB_ENV\""),
            None => line.to_owned(),
        };
        assert!(workflow.contains(&format!("          {line}\n")), "{line}");
    }
    assert!(workflow.contains("SIMT_STRICT: 1"));
}

/// The book's own tests pass in strict mode, although one of them expects a fault.
#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_the_example_passes_in_strict_mode() {
    let command = "SIMT_STRICT=1 cargo test --offline -- --test-threads=1";
    let run = Project::new().after_three_lines(command);
    assert!(run.status.is_some_and(|s| s.success()), "{}{}", run.stdout, run.stderr);
}
