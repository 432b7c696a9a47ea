//! Compresses the recorded runs in book/measurements/ without their raw samples, so that programs carry a twentieth of
//! their size.

use std::{env, error::Error, fs, io::Write, path::Path};

use recording::Recording;

fn main() -> Result<(), Box<dyn Error>> {
    // Asked for now, not compiled in: a target folder may serve several checkouts.
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../../book/measurements");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={}", folder.display());
    let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    let to = env::var("OUT_DIR")?;
    let mut out = fs::File::create(Path::new(&to).join("measurements.rs"))?;
    writeln!(out, "static FILES: &[&[u8]] = &[")?;
    for path in files {
        println!("cargo:rerun-if-changed={}", path.display());
        let recording = Recording::read(&fs::read_to_string(&path)?)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        if let Some(recording) = recording {
            let text = recording.without_samples().to_json()?;
            let compressed = Path::new(&to).join(path.file_name().unwrap_or_default());
            fs::write(&compressed, lz4_flex::compress_prepend_size(text.as_bytes()))?;
            writeln!(out, "    include_bytes!({compressed:?}),")?;
        }
    }
    Ok(writeln!(out, "];")?)
}
