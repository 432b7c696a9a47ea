//! Every kernel has its PTX, made from the source as it is now. This needs no NVRTC: it compares the
//! hash in the PTX's header; `cargo xtask ptx --check` compiles, and compares everything.

use std::fs;

use xtask::{kernel, lab, ptx};

#[test]
fn every_ptx_is_of_its_source() {
    let root = xtask::workspace();
    let kernels = kernel::all(&root).expect("the kernels can be listed");
    assert!(!kernels.is_empty(), "no kernels below {}", root.display());
    let mut stale = Vec::new();
    for kernel in kernels {
        let committed = fs::read_to_string(kernel.ptx_path()).unwrap_or_default();
        if let Some(reason) = ptx::staleness(&kernel, &committed).expect("its includes exist") {
            stale.push(format!("{}: {reason}", kernel.ptx_path().display()));
        }
    }
    assert!(stale.is_empty(), "`cargo xtask ptx` mends this:\n{}", stale.join("\n"));
}

#[test]
fn no_ptx_is_left_of_a_deleted_source() {
    let root = xtask::workspace();
    let kernels = kernel::all(&root).expect("the kernels can be listed");
    for path in kernel::all_ptx(&root).expect("the PTX files can be listed") {
        let has_source = kernels.iter().any(|kernel| kernel.ptx_path() == path);
        assert!(has_source, "{} has no source", path.display());
    }
}

#[test]
fn a_stale_header_is_noticed() {
    let root = xtask::workspace();
    let kernel = kernel::all(&root).expect("the kernels can be listed").remove(0);
    let text = fs::read_to_string(kernel.ptx_path()).expect("its PTX is there");
    let staleness = |text: &str| ptx::staleness(&kernel, text).expect("its includes exist");
    assert_eq!(staleness(&text), None);
    let hash = kernel.hash().expect("its includes exist");
    assert!(staleness(&text.replace(&hash, &hash.replace('a', "b"))).is_some());
    assert!(staleness(&text.replace("-fmad=false", "-fmad=true")).is_some());
    assert!(staleness("").is_some());

    let is_current =
        |text: &str, version| ptx::is_current(&kernel, text, version).expect("its includes exist");
    assert!(is_current(&text, nvrtc::VERSION));
    assert!(!is_current(&text, "12.9.86"));
    assert!(!is_current(&text.replace(&hash, &hash.replace('a', "b")), nvrtc::VERSION));
    assert!(!is_current("", nvrtc::VERSION));
}

#[test]
fn the_lab_is_of_its_sources() {
    let root = xtask::workspace();
    assert_eq!(lab::staleness(&root).expect("its sources can be read"), None);
}
