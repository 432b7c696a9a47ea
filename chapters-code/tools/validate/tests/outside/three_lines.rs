//! The three lines after which any cudarc program runs without a GPU, as the README and the book
//! give them: a shell runs them, and then `cargo test` in a package outside of this workspace.

#![cfg(target_os = "linux")]

use std::fs;

use super::cargo;
use super::project::Project;
use super::run;

const LINES: &str = include_str!("three_lines.sh");

/// What the program of the tests says on standard error, as the book shows it.
const SAID: &str = include_str!("said.txt");

/// The program of the book, in a package of its own.
fn project() -> Project {
    let manifest = run::manifest("outside", &cargo::cudarc());
    let project = Project::new(&manifest, include_str!("programs/add.rs"));
    let kernel = include_bytes!("../../../../chapter_0_setup/kernels/vector_add.ptx");
    project.write("src/vector_add.ptx", kernel);
    project
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_three_lines_are_enough() {
    assert_eq!(LINES.lines().count(), 3);
    let run = project().after(LINES, "cargo test --offline -- --test-threads=1");
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
    let run = project().after(LINES, command);
    assert!(run.status.is_some_and(|s| s.success()), "{}{}", run.stdout, run.stderr);
}
