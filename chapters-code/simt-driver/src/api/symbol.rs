//! Functions by name.

use std::ffi::{c_int, c_ulonglong, c_void};

use crate::entry::api;
use crate::error::CUresult;
use crate::types::{Out, Text};

const FOUND: c_int = 0;
const NOT_FOUND: c_int = 1;

api! {
    /// The function that a name without suffix stands for in a version of the API.
    fn cuGetProcAddress(
        name: Text,
        function: Out<*const c_void>,
        version: c_int,
        _flags: c_ulonglong,
    ) {
        let found = resolve(&name.get()?, version);
        function.set(found.unwrap_or(std::ptr::null()))?;
        found.map(|_| ()).ok_or(CUresult::NOT_FOUND.into())
    }

    /// The function that a name without suffix stands for in a version of the API.
    fn cuGetProcAddress_v2(
        name: Text,
        function: Out<*const c_void>,
        version: c_int,
        _flags: c_ulonglong,
        status: Out<c_int>,
    ) {
        let found = resolve(&name.get()?, version);
        function.set(found.unwrap_or(std::ptr::null()))?;
        status.set_if_wanted(if found.is_some() { FOUND } else { NOT_FOUND })
    }
}

/// Names whose meaning changed with a version of the API, the newest first.
const CHANGED: [(&str, c_int, &str); 10] = [
    ("cuCtxCreate", 12_050, "cuCtxCreate_v4"),
    ("cuCtxCreate", 11_040, "cuCtxCreate_v3"),
    ("cuDeviceGetUuid", 11_040, "cuDeviceGetUuid_v2"),
    ("cuEventElapsedTime", 12_080, "cuEventElapsedTime_v2"),
    ("cuGetProcAddress", 12_000, "cuGetProcAddress_v2"),
    ("cuMemAdvise", 13_000, "cuMemAdvise_v2"),
    ("cuMemPrefetchAsync", 13_000, "cuMemPrefetchAsync_v2"),
    (
        "cuStreamGetCaptureInfo",
        12_030,
        "cuStreamGetCaptureInfo_v3",
    ),
    (
        "cuStreamGetCaptureInfo",
        11_030,
        "cuStreamGetCaptureInfo_v2",
    ),
    ("cuStreamGetCtx", 12_050, "cuStreamGetCtx_v2"),
];

fn resolve(name: &str, version: c_int) -> Option<*const c_void> {
    let changed = CHANGED
        .iter()
        .find(|&&(base, since, _)| base == name && version >= since);
    if let Some((.., versioned)) = changed {
        return super::address(versioned);
    }
    // Most second versions are as old as 64-bit addresses, and the only ones there are.
    super::address(name).or_else(|| super::address(&format!("{name}_v2")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let same = |name, version, exact| {
            assert_eq!(resolve(name, version), crate::api::address(exact), "{name}");
            assert!(resolve(name, version).is_some(), "{name}");
        };
        same("cuMemAlloc", 12_000, "cuMemAlloc_v2");
        same("cuInit", 12_000, "cuInit");
        same("cuCtxCreate", 10_000, "cuCtxCreate_v2");
        same("cuCtxCreate", 12_000, "cuCtxCreate_v3");
        same("cuDeviceGetUuid", 10_000, "cuDeviceGetUuid");
        assert!(resolve("cuNonsense", 12_000).is_none());
    }
}
