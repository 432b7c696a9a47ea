//! What NVRTC writes is understood: the output of 12.0 for every kernel of the simulator's tests, and of
//! 12.9, the last of the series, for some.

use std::fs;
use std::path::{Path, PathBuf};

/// The files below a folder whose names end in `.ptx`.
fn ptx_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("the folder can be listed").path();
        if path.is_dir() {
            ptx_files(&path, found);
        } else if path.extension().is_some_and(|is| is == "ptx") {
            found.push(path);
        }
    }
}

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Parses a file; its kernels must be as many as it declares, and none of them empty.
fn check(path: &Path) {
    let text = read(path);
    let module = ptx::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let declared = text.lines().filter(|line| line.contains(".entry")).count();
    assert_eq!(module.kernels.len(), declared, "{}", path.display());
    for kernel in &module.kernels {
        assert_eq!(kernel.unsupported, None, "{}", path.display());
        assert!(!kernel.code.is_empty(), "{}: {}", path.display(), kernel.name);
    }
}

/// Recursion has no place in kernels whose functions are all inlined.
#[test]
fn every_committed_file_parses() {
    let mut files = Vec::new();
    ptx_files(&tests().join("../.."), &mut files);
    files.retain(|path| path.components().any(|part| part.as_os_str() == "kernels"));
    files.retain(|path| path.file_stem().is_none_or(|name| name != "recursive"));
    assert!(files.len() >= 30, "only {} files", files.len());
    files.iter().for_each(|path| check(path));
}

#[test]
fn output_of_nvrtc_12_9_parses() {
    let mut files = Vec::new();
    ptx_files(&tests().join("nvrtc_12_9"), &mut files);
    assert!(!files.is_empty());
    for path in files {
        assert!(read(&path).contains("V12.9."), "{} is of another version", path.display());
        check(&path);
    }
}

#[test]
fn recursion_is_refused_by_name() {
    let module = ptx::parse(&read(&tests().join("kernels/recursive.ptx"))).expect("PTX");
    let error = module.kernels[0].unsupported.as_ref().expect("refused");
    let message = error.to_string();
    for part in ["recursi", "depth", "recursive.cu:"] {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}
