//! The simulator understands every kernel of the workspace.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The only ones with copies to several blocks of a cluster: they are in no rung.
const CLUSTER_TRIALS: &str = "cluster_trials.compute_90.ptx";

/// The PTX of the chapters' kernels, broken ones, too.
fn chapters_ptx() -> Vec<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = chapters::ALL.iter().flat_map(|chapter| {
        let kernels = workspace.join(chapter.name()).join("kernels");
        [kernels.join("broken"), kernels]
    });
    let files = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    let paths = files.map(|file| file.expect("the folder can be listed").path());
    paths.filter(|path| path.extension().is_some_and(|is| is == "ptx")).collect()
}

fn parse(path: &Path) -> (String, ptx::ir::Module) {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let module = ptx::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    (text, module)
}

#[test]
fn every_kernel_is_understood() {
    let mut files = chapters_ptx();
    assert!(files.len() > 180, "only {} files", files.len());
    files.retain(|path| !path.ends_with(CLUSTER_TRIALS));
    for path in files {
        let (text, module) = parse(&path);
        let declared = text.lines().filter(|line| line.contains(".entry")).count();
        assert_eq!(module.kernels.len(), declared, "{}", path.display());
        for kernel in &module.kernels {
            assert_eq!(kernel.unsupported, None, "{}", path.display());
            assert!(!kernel.code.is_empty(), "{}: {}", path.display(), kernel.name);
        }
    }
}

#[test]
fn copies_to_several_blocks_are_refused_by_name() {
    let files = chapters_ptx();
    let path = files.iter().find(|path| path.ends_with(CLUSTER_TRIALS)).expect("it is there");
    for kernel in &parse(path).1.kernels {
        let refused = kernel.unsupported.as_ref().map(ToString::to_string);
        let names_it = refused.as_deref().map(|message| message.contains("multicast::cluster"));
        let expected = kernel.name.starts_with("multicast").then_some(true);
        assert_eq!(names_it, expected, "{}: {refused:?}", kernel.name);
    }
}
