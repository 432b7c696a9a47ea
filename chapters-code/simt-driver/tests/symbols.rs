//! cudarc panics where a function that it binds is not exported, so all must be.

mod common;

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// The output of a command.
fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .expect("the toolchain runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{program} {arguments:?}: {complaint}"
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The file of cudarc, in the version that this workspace uses, that binds the driver's functions.
fn bindings() -> PathBuf {
    let host = run("rustc", &["--print", "host-tuple"]);
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let arguments = [
        "metadata",
        "--format-version=1",
        "--manifest-path",
        manifest,
    ];
    let filter = ["--filter-platform", host.trim()];
    let metadata: Value =
        serde_json::from_str(&run(&cargo, &[&arguments[..], &filter].concat())).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let cudarc = packages
        .iter()
        .find(|p| p["name"] == "cudarc")
        .expect("a dependency on cudarc");
    let manifest = cudarc["manifest_path"].as_str().expect("a path");
    PathBuf::from(manifest)
        .with_file_name("src")
        .join("driver/sys/mod.rs")
}

#[test]
fn every_function_that_cudarc_binds_is_exported() {
    let source = std::fs::read_to_string(bindings()).expect("cudarc's source");
    // All versions of the API, not only the one whose feature is on.
    let definitions = source
        .lines()
        .filter_map(|line| line.strip_prefix("pub unsafe fn cu"));
    let names = definitions.filter_map(|rest| Some(format!("cu{}", rest.split_once('(')?.0)));
    let names: Vec<String> = names.filter(|name| name != "culib").collect();
    assert!(
        names.len() > 500,
        "cudarc binds {} functions: is it read rightly?",
        names.len()
    );
    // SAFETY: the symbols are only looked up.
    let exported = |name: &String| unsafe { common::LIBRARY.get::<*const ()>(name).is_ok() };
    let missing: Vec<_> = names.iter().filter(|name| !exported(name)).collect();
    assert!(missing.is_empty(), "not exported: {missing:?}");
}

#[test]
fn the_functions_beyond_the_api_are_exported() {
    for name in ["simtSetOption", "simtTakeReport"] {
        // SAFETY: the symbol is only looked up.
        let symbol = unsafe { common::LIBRARY.get::<*const ()>(name) };
        assert!(symbol.is_ok(), "{name}");
    }
}

#[test]
fn what_is_not_supported_says_so() {
    type Unsupported = unsafe extern "C" fn(*mut usize, u32) -> u32;
    // SAFETY: the type of `cuGraphCreate`.
    let create = unsafe { common::LIBRARY.get::<Unsupported>("cuGraphCreate") }.expect("exported");
    // SAFETY: a null result is an error, if anything.
    assert_eq!(unsafe { create(std::ptr::null_mut(), 0) }, 801);
}
