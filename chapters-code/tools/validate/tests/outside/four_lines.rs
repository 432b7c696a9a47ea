//! The lines after which a program that uses NCCL runs without a GPU, as the book gives them: a shell runs them, and
//! then `cargo test` in a package outside of this workspace.

#![cfg(target_os = "linux")]

use std::{fs, path::Path, process::Command};

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_four_lines_are_enough() {
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().expect("a folder");
    let workspace = fs::read_to_string(root.join("Cargo.toml")).expect("a file");
    let cudarc =
        workspace.split("ANCHOR: cudarc\n").nth(1).and_then(|rest| rest.split("# ").next());
    let cudarc = cudarc.expect("the dependency that the book shows");
    let folder = std::env::temp_dir().join(format!("outside-nccl-{}", std::process::id()));
    fs::create_dir_all(folder.join("src")).expect("a folder");
    let manifest =
        "[package]\nname = \"outside\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n";
    fs::write(folder.join("Cargo.toml"), format!("{manifest}{cudarc}")).expect("a file");
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("a file");
    fs::write(folder.join("src/lib.rs"), include_str!("programs/all_reduce.rs")).expect("a file");

    let lines = include_str!("four_lines.sh");
    let script = format!("set -e\n{lines}cd {folder:?}\ncargo test --offline\n");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).current_dir(root);
    for name in ["SIMT_RACES", "SIMT_SEED", "CARGO_TARGET_DIR"] {
        shell.env_remove(name);
    }
    let output = shell.output().expect("a shell");
    let _ = fs::remove_dir_all(&folder);
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success() && out.contains("1 passed"), "{out}{err}");
}
