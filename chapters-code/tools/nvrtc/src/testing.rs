//! For tests that compile kernels: the first that asks for the compiler fetches it.

use std::{
    collections::BTreeSet,
    io::{self, Write},
    sync::{LazyLock, Mutex, PoisonError},
};

use anyhow::Result;

use crate::{locate, skipped, wheels, workspace};

/// Whether there is a compiler, fetched if need be. Without one, the calling test is noted as
/// skipped, and the last program of `cargo test` reports it.
///
/// # Panics
/// If the variable `CI` is `true` and NVIDIA publishes a compiler for this system: a test that is
/// skipped there fails.
pub fn has_compiler() -> bool {
    static PROVIDED: LazyLock<Result<()>> = LazyLock::new(provide);
    let Err(error) = &*PROVIDED else {
        return true;
    };
    let is_published = !wheels::of_this_system().is_empty();
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(!(is_published && is_ci), "no compiler: {error:#}");
    let remedy = match is_published {
        true => "with a network, `cargo exercise setup` fetches it",
        false => "the container of .devcontainer/ has one",
    };
    note(&format!("{error:#}; {remedy}"));
    false
}

fn provide() -> Result<()> {
    // Tests capture what is printed; a fetch should be seen.
    let mut report = |line: &str| {
        let _ = writeln!(io::stderr(), "{line}");
    };
    match std::env::var_os("NVRTC_PATH") {
        Some(_) => locate::compiler(None).map(drop)?,
        None => wheels::provide(None, &mut report)?,
    }
    skipped::forget(&workspace(), &program())
}

/// Notes the calling test, whose thread has its name.
fn note(reason: &str) {
    static TESTS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut tests = TESTS.lock().unwrap_or_else(PoisonError::into_inner);
    let thread = std::thread::current();
    tests.insert(thread.name().unwrap_or("a test").to_owned());
    let tests: Vec<String> = tests.iter().cloned().collect();
    let noted = skipped::note(&workspace(), &program(), reason, &tests);
    noted.expect("target can be written");
}

/// The package whose tests these are.
fn program() -> String {
    std::env::var("CARGO_PKG_NAME").unwrap_or_else(|_| "tests".to_owned())
}
