//! Lists the recorded runs in book/measurements/ for `include_str!`, so that programs carry them.

use std::{env, fs, io::Write, path::Path};

fn main() -> std::io::Result<()> {
    // Asked for now, not compiled in: a target folder may serve several checkouts.
    let package = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let folder = Path::new(&package).join("../../../book/measurements");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = fs::read_dir(&folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.retain(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    files.sort();
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets OUT_DIR")).join("measurements.rs");
    let mut out = fs::File::create(out)?;
    writeln!(out, "pub(super) const FILES: &[(&str, &str)] = &[")?;
    for path in &files {
        println!("cargo:rerun-if-changed={}", path.display());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        writeln!(
            out,
            "    ({:?}, include_str!({:?})),",
            format!("book/measurements/{name}"),
            path
        )?;
    }
    writeln!(out, "];")
}
