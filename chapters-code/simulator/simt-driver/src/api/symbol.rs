//! Functions by name, as driver 580 answers: `tests/h100_symbols.txt`.

use std::collections::HashMap;
use std::ffi::{c_int, c_ulonglong, c_void};
use std::sync::LazyLock;

use crate::entry::api;
use crate::error::{CUresult, Result};
use crate::profile;
use crate::types::{Out, Text};

/// `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM`.
const PER_THREAD: c_ulonglong = 2;
/// All flags together.
const ALL_FLAGS: c_ulonglong = 3;

api! {
    /// The function that a name without suffix stands for in a version of the API.
    fn cuGetProcAddress(
        name: Text,
        function: Out<*const c_void>,
        version: c_int,
        flags: c_ulonglong,
    ) {
        match search(&name.get()?, version, flags)? {
            Found::Function(address) => function.set(address),
            Found::NoSuchName | Found::OnlyLater => Err(CUresult::NOT_FOUND.into()),
        }
    }

    /// The function that a name without suffix stands for in a version of the API. As NVIDIA's, it
    /// succeeds with a null function if there is none, and the status says why.
    fn cuGetProcAddress_v2(
        name: Text,
        function: Out<*const c_void>,
        version: c_int,
        flags: c_ulonglong,
        status: Out<c_int>,
    ) {
        let (address, answer) = match search(&name.get()?, version, flags)? {
            Found::Function(address) => (address, 0),
            Found::NoSuchName => (std::ptr::null(), 1),
            Found::OnlyLater => (std::ptr::null(), 2),
        };
        function.set(address)?;
        status.set_if_wanted(answer)
    }
}

/// What the search for a name comes to.
#[derive(Debug, PartialEq)]
enum Found {
    Function(*const c_void),
    NoSuchName,
    /// All functions of this name are of later versions.
    OnlyLater,
}

/// A line of `tests/h100_symbols.txt`. The name that it answers is the symbol without its suffixes: `_v2`,
/// `_v3` or `_v4`, and `_ptds` or `_ptsz` where the default stream is the calling thread's own.
struct Symbol {
    name: &'static str,
    /// The first version of the API that it answers.
    since: u32,
    /// True for the variant whose default stream is the calling thread's own.
    per_thread: bool,
}

/// The symbols that a name without suffix stands for.
static SYMBOLS: LazyLock<HashMap<&str, Vec<Symbol>>> = LazyLock::new(|| {
    let mut symbols: HashMap<_, Vec<_>> = HashMap::new();
    for (name, since) in recorded() {
        let plain = name.trim_end_matches("_ptds").trim_end_matches("_ptsz");
        let base = plain.trim_end_matches(|c: char| c.is_ascii_digit());
        let base = base.strip_suffix("_v").unwrap_or(plain);
        if let Ok(since) = since.parse() {
            let per_thread = plain != name;
            let symbol = Symbol { name, since, per_thread };
            symbols.entry(base).or_default().push(symbol);
        }
    }
    symbols
});

/// The lines of `tests/h100_symbols.txt`: a symbol, and since when it answers.
fn recorded() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("../../tests/h100_symbols.txt").lines();
    lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '))
}

/// Looks a name up in a version of the API; a negative version is the newest.
fn search(name: &str, version: c_int, flags: c_ulonglong) -> Result<Found> {
    if version > profile::DRIVER_VERSION {
        let cause = format!("version {version} of the API is newer than the driver");
        return Err(CUresult::INVALID_VALUE.because(cause));
    }
    if flags & !ALL_FLAGS != 0 {
        return Err(CUresult::INVALID_VALUE.because(format!("no flags {flags:#x}")));
    }
    let Some(symbols) = SYMBOLS.get(name) else {
        return Ok(Found::NoSuchName);
    };
    let per_thread = flags & PER_THREAD != 0 && symbols.iter().any(|s| s.per_thread);
    let candidates = symbols.iter().filter(|s| {
        s.per_thread == per_thread && s.since <= u32::try_from(version).unwrap_or(u32::MAX)
    });
    let newest = candidates.max_by_key(|s| s.since);
    let address = newest.and_then(|symbol| super::address(symbol.name));
    Ok(address.map_or(Found::OnlyLater, Found::Function))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_functions_are_those_of_the_recorded_driver() {
        let ours: BTreeSet<&str> = crate::api::names().collect();
        let recorded: BTreeSet<&str> = recorded().map(|(name, _)| name).collect();
        let beyond: Vec<_> = ours.difference(&recorded).collect();
        let missing: Vec<_> = recorded.difference(&ours).collect();
        assert!(beyond.is_empty() && missing.is_empty(), "{beyond:?} {missing:?}");
        assert_eq!(recorded.len(), 674);
    }

    /// What driver 580.159.04 answered.
    #[test]
    fn by_version() {
        let missing = |name, version| search(name, version, 0).unwrap();
        for name in ["", "cuNonsense", "nonsense", "cuMemAlloc_v2", "cuCtxGetDevice_v2"] {
            for version in [-1, 0, 1999, 2000, 12_000, 13_000] {
                assert_eq!(missing(name, version), Found::NoSuchName, "{name} {version}");
            }
        }
        assert_eq!(missing("cuInit", 1999), Found::OnlyLater);
        assert_eq!(missing("cuGetProcAddress", 11_020), Found::OnlyLater);
        let cases = [
            ("cuInit", -1, 0, "cuInit"),
            ("cuInit", 2000, 0, "cuInit"),
            ("cuMemAlloc", 3010, 0, "cuMemAlloc"),
            ("cuMemAlloc", 12_000, 0, "cuMemAlloc_v2"),
            ("cuCtxCreate", 3010, 0, "cuCtxCreate"),
            ("cuCtxCreate", 11_030, 0, "cuCtxCreate_v2"),
            ("cuCtxCreate", 12_000, 0, "cuCtxCreate_v3"),
            ("cuCtxCreate", 12_050, 0, "cuCtxCreate_v4"),
            ("cuCtxGetDevice", 12_090, 0, "cuCtxGetDevice"),
            ("cuCtxGetDevice", 13_000, 0, "cuCtxGetDevice_v2"),
            ("cuCtxGetDevice", -1, 0, "cuCtxGetDevice_v2"),
            ("cuDeviceGetUuid", 11_030, 0, "cuDeviceGetUuid"),
            ("cuMemPrefetchAsync", 12_010, 0, "cuMemPrefetchAsync"),
            ("cuMemPrefetchAsync", 12_020, 0, "cuMemPrefetchAsync_v2"),
            ("cuStreamGetCaptureInfo", 12_020, 1, "cuStreamGetCaptureInfo_v2"),
            ("cuStreamGetCaptureInfo", 12_030, 1, "cuStreamGetCaptureInfo_v3"),
            ("cuMemcpy", 13_000, 1, "cuMemcpy"),
            ("cuMemcpy", 13_000, 2, "cuMemcpy_ptds"),
            ("cuMemcpy", 13_000, 3, "cuMemcpy_ptds"),
            ("cuMemcpyHtoD", 12_000, 2, "cuMemcpyHtoD_v2_ptds"),
            ("cuGetProcAddress", 11_030, 2, "cuGetProcAddress"),
            ("cuGetProcAddress", 12_000, 0, "cuGetProcAddress_v2"),
        ];
        for (name, version, flags, symbol) in cases {
            let address = crate::api::address(symbol).expect(symbol);
            let found = search(name, version, flags).unwrap();
            assert_eq!(found, Found::Function(address), "{name} {version} {flags}");
        }
        for (version, flags) in [(13_010, 0), (14_000, 0), (13_000, 4), (13_000, 8)] {
            let error = search("cuMemcpy", version, flags).unwrap_err();
            assert_eq!(error.code, CUresult::INVALID_VALUE);
        }
    }
}
