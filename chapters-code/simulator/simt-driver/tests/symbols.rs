//! The library exports the functions that the recorded driver exports: `h100_symbols.txt`.

use std::ffi::{c_char, c_int, c_void};

use crate::common::{LIBRARY, context};

#[test]
fn every_function_of_the_recorded_driver_is_exported() {
    let lines = include_str!("h100_symbols.txt").lines();
    let recorded = lines.filter(|line| !line.starts_with('#'));
    let names: Vec<&str> = recorded.filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names.len(), 674);
    // SAFETY: the symbols are only looked up.
    let exported = |name: &&str| unsafe { LIBRARY.get::<*const ()>(*name).is_ok() };
    let missing: Vec<_> = names.iter().filter(|name| !exported(name)).collect();
    assert!(missing.is_empty(), "not exported: {missing:?}");
    // Of CUDA 13.1 and later: clients that probe for them must not find them.
    for later in ["cuFuncGetParamCount", "cuGraphAddNode_v3", "cuLaunchHostFunc_v2"] {
        assert!(!exported(&later), "{later}");
    }
}

#[test]
fn the_functions_beyond_the_api_are_exported() {
    for name in ["simtSetOption", "simtSetName", "simtTakeReport", "simtTakeRecording"] {
        // SAFETY: the symbol is only looked up.
        let symbol = unsafe { LIBRARY.get::<*const ()>(name) };
        assert!(symbol.is_ok(), "{name}");
    }
}

#[test]
fn what_is_not_supported_says_so() {
    type Unsupported = unsafe extern "C" fn(*mut usize, u32) -> u32;
    // SAFETY: the type of `cuArrayDestroy`, but for an argument more.
    let create = unsafe { LIBRARY.get::<Unsupported>("cuArrayDestroy") }.expect("exported");
    // SAFETY: a null result is an error, if anything.
    assert_eq!(unsafe { create(std::ptr::null_mut(), 0) }, 801);
}

type GetProcAddress =
    unsafe extern "C" fn(*const c_char, *mut *const c_void, c_int, u64, *mut c_int) -> c_int;

/// Asks `cuGetProcAddress_v2`: code, address, status.
fn ask(name: &std::ffi::CStr, version: c_int, flags: u64) -> (c_int, *const c_void, c_int) {
    let (mut address, mut status) = (std::ptr::null(), -1);
    // SAFETY: the function has this type, the name ends in NUL, the results can be written.
    let code = unsafe {
        let get = LIBRARY.get::<GetProcAddress>("cuGetProcAddress_v2").expect("exported");
        get(name.as_ptr(), &mut address, version, flags, &mut status)
    };
    (code, address, status)
}

#[test]
fn a_function_by_name_and_version() {
    // SAFETY: the symbols are only looked up.
    let exported = |name| unsafe { *LIBRARY.get::<*const c_void>(name).expect("exported") };
    let found = |name, version, symbol| {
        assert_eq!(ask(name, version, 0), (0, exported(symbol), 0), "{name:?} {version}");
    };
    found(c"cuCtxGetDevice", 12_090, "cuCtxGetDevice");
    found(c"cuCtxGetDevice", 13_000, "cuCtxGetDevice_v2");
    found(c"cuCtxCreate", 12_050, "cuCtxCreate_v4");
    // What driver 580 answers: success, no function, and why.
    assert_eq!(ask(c"", 12_000, 0), (0, std::ptr::null(), 1));
    assert_eq!(ask(c"cuCtxCreate_v4", 13_000, 0), (0, std::ptr::null(), 1));
    assert_eq!(ask(c"cuGetProcAddress", 11_020, 0), (0, std::ptr::null(), 2));
    assert_eq!(ask(c"cuInit", 13_010, 0).0, 1);
    assert_eq!(ask(c"cuInit", 13_000, 4).0, 1);
}

#[test]
fn variants_whose_default_stream_is_the_threads_own() {
    let _context = context();
    type GetId = unsafe extern "C" fn(*mut c_void, *mut u64) -> c_int;
    for (flags, default_stream) in [(0, 1), (1, 1), (2, 2)] {
        let (code, address, status) = ask(c"cuStreamGetId", 13_000, flags);
        assert_eq!((code, status), (0, 0));
        let mut id = 0;
        // SAFETY: `cuStreamGetId` has this type, null is the default stream, `id` can be written.
        let code = unsafe {
            let get = std::mem::transmute::<*const c_void, GetId>(address);
            get(std::ptr::null_mut(), &mut id)
        };
        assert_eq!((code, id), (0, default_stream), "flags {flags}");
    }
}
