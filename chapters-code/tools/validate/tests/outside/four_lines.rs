//! The lines after which a program that uses NCCL runs without a GPU, as the book gives them: a shell runs them, and
//! then `cargo test` in a package outside of this workspace.

#![cfg(target_os = "linux")]

use std::fs;

use super::project::Project;

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_four_lines_are_enough() {
    let workspace = nvrtc::workspace().join("Cargo.toml");
    let workspace = fs::read_to_string(workspace).expect("a file");
    let cudarc =
        workspace.split("ANCHOR: cudarc\n").nth(1).and_then(|rest| rest.split("# ").next());
    let cudarc = cudarc.expect("the dependency that the book shows");
    let manifest =
        "[package]\nname = \"outside\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n";
    let project =
        Project::new(&format!("{manifest}{cudarc}"), include_str!("programs/all_reduce.rs"));
    let run = project.after(include_str!("four_lines.sh"), "cargo test --offline");
    let is_right = run.status.is_some_and(|s| s.success()) && run.stdout.contains("1 passed");
    assert!(is_right, "{}{}", run.stdout, run.stderr);
}
