//! cudarc panics where a function that it binds is not exported, so all must be.

mod common;

use common::cargo;

#[test]
fn every_function_that_cudarc_binds_is_exported() {
    let bindings = cargo::cudarc().folder().join("src/driver/sys/mod.rs");
    let source = std::fs::read_to_string(bindings).expect("cudarc's source");
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
