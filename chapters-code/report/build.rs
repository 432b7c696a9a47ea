//! Compresses the recorded runs in book/measurements/ without their raw samples, so that programs carry a twentieth of
//! their size.

use std::{env, fs, io::Write, path::Path};

fn main() -> std::io::Result<()> {
    // Asked for now, not compiled in: a target folder may serve several checkouts.
    let package = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let folder = Path::new(&package).join("../../book/measurements");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<_> = fs::read_dir(&folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let to = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let to = Path::new(&to);
    let mut out = fs::File::create(to.join("measurements.rs"))?;
    writeln!(out, "pub(super) static FILES: &[(&str, &[u8])] = &[")?;
    for path in &files {
        println!("cargo:rerun-if-changed={}", path.display());
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let compressed = to.join(&*name);
        let text = without_samples(&fs::read_to_string(path)?);
        fs::write(&compressed, lz4_flex::compress_prepend_size(text.as_bytes()))?;
        writeln!(
            out,
            "    ({:?}, include_bytes!({:?})),",
            format!("book/measurements/{name}"),
            compressed
        )?;
    }
    writeln!(out, "];")
}

/// The text of a recording with empty arrays `samples_us`, of which no program makes use. They hold numbers only.
fn without_samples(text: &str) -> String {
    let mut parts = text.split(r#""samples_us":"#);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (_, after) = part.split_once(']').expect("the array ends");
        kept += r#""samples_us":[]"#;
        kept += after;
    }
    kept
}
