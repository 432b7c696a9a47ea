//! Every file of tests is compiled: a crate's tests are one program, and `tests/main.rs` lists its files.

use std::fs;
use std::path::{Path, PathBuf};

/// The entries of a folder; none if there is no folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

/// The module that a file or folder is, if it holds tests.
fn module(path: &Path) -> Option<&str> {
    let is_module = path.join("mod.rs").is_file() || path.extension().is_some_and(|e| e == "rs");
    let name = path.file_stem()?.to_str()?;
    (is_module && name != "main").then_some(name)
}

#[test]
fn every_file_is_a_module_of_its_program() {
    let code = xtask::workspace().join("chapters-code");
    let groups = [&code, &code.join("simulator"), &code.join("tools")];
    let crates = groups.into_iter().flat_map(|group| entries(group));
    let mut missing = Vec::new();
    for tests in crates.map(|package| package.join("tests")) {
        let main = fs::read_to_string(tests.join("main.rs")).unwrap_or_default();
        for path in &entries(&tests) {
            let listed = |name| main.lines().any(|line| line == format!("mod {name};"));
            if module(path).is_some_and(|name| !listed(name)) {
                missing.push(path.clone());
            }
        }
    }
    assert!(missing.is_empty(), "not in main.rs: {missing:?}");
}
