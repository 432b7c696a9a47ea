//! The lab's WebAssembly module, which is committed compressed, and what it was made of.

use std::fs;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::kernel;

/// The compressed module, from the root of the workspace.
pub const MODULE: &str = "chapters-code/tools/lab/lab.wasm.gz";
/// What the module was made of, from the root of the workspace.
pub const ORIGIN: &str = "chapters-code/tools/lab/lab.wasm.txt";

/// The crates whose sources make the module, from the root of the workspace.
const CRATES: [&str; 5] = [
    "chapters-code/simulator/ptx",
    "chapters-code/simulator/simt-report",
    "chapters-code/simulator/simt",
    "chapters-code/figures",
    "chapters-code/tools/lab",
];
const TARGET: &str = "wasm32-unknown-unknown";
/// Where cargo builds it.
const FOLDER: &str = "target/lab";
/// The most bytes of the compressed module.
const LARGEST: usize = 700_000;
/// How thoroughly the module is compressed: a twentieth smaller than without such effort, in a few seconds.
const EFFORT: zopfli::Options = zopfli::Options {
    iteration_count: NonZeroU64::new(5).unwrap(),
    iterations_without_improvement: NonZeroU64::MAX,
    maximum_block_splits: 15,
};

/// The compilers that can make the module.
enum Toolchain {
    /// rustup's, which has the target.
    Rustup,
    /// Debian's, which has the source of the standard library (packages rustc-web, cargo-web, rust-web-src, lld).
    Debian,
}

/// Makes the module, and writes it with its origin.
///
/// # Errors
/// If no compiler has the target, or the module does not compile or is too large.
pub fn make(root: &Path) -> Result<()> {
    let (module, origin) = build(root)?;
    check_size(&module)?;
    println!("{} bytes, compressed", module.len());
    for (path, content) in [(MODULE, &module[..]), (ORIGIN, origin.as_bytes())] {
        fs::write(root.join(path), content).with_context(|| format!("cannot write {path}"))?;
    }
    Ok(())
}

/// Makes the module anew, and fails if the committed one differs. Another compiler's cannot be compared.
///
/// # Errors
/// As [`make`], and where the modules differ.
pub fn check(root: &Path) -> Result<()> {
    if let Some(reason) = staleness(root)? {
        bail!("{reason}: `cargo xtask lab` mends it");
    }
    let committed = kernel::read(&root.join(ORIGIN))?;
    let (module, origin) = build(root)?;
    if committed != origin {
        println!(
            "not compared: the committed module is of another compiler\n{committed}here:\n{origin}"
        );
        return Ok(());
    }
    check_size(&module)?;
    if fs::read(root.join(MODULE))? != module {
        bail!("{MODULE} is not what its sources give: `cargo xtask lab` mends it");
    }
    println!("{MODULE} is what its sources give");
    Ok(())
}

/// Why the committed module is not of the sources as they are; none if it is.
///
/// # Errors
/// If a source cannot be read.
pub fn staleness(root: &Path) -> Result<Option<String>> {
    if !root.join(MODULE).is_file() {
        return Ok(Some(format!("{MODULE} is missing")));
    }
    let origin = kernel::read(&root.join(ORIGIN)).unwrap_or_default();
    let sources = sources_line(root)?;
    let is_current = origin.lines().any(|line| line == sources);
    Ok((!is_current).then(|| format!("{MODULE} was made of other sources")))
}

/// The line of the origin that names the sources: SHA-256 of all of them, in the order of their paths. Files of unit
/// tests are none, because they are not in the module.
fn sources_line(root: &Path) -> Result<String> {
    let mut files = Vec::new();
    for folder in CRATES {
        files.push(root.join(folder).join("Cargo.toml"));
        kernel::walk(&root.join(folder).join("src"), &mut |path| files.push(path.to_path_buf()))?;
    }
    files.retain(|path| !path.ends_with("tests.rs"));
    files.sort();
    let texts: Vec<String> = files.iter().map(|file| kernel::read(file)).collect::<Result<_>>()?;
    Ok(format!("sha256 of the sources: {}", kernel::hash(&texts)))
}

/// The compressed module, and its origin.
fn build(root: &Path) -> Result<(Vec<u8>, String)> {
    let toolchain = toolchain()?;
    let compiled = compile(root, &toolchain)?;
    let wasm =
        fs::read(&compiled).with_context(|| format!("cannot read {}", compiled.display()))?;
    let mut module = Vec::new();
    zopfli::compress(EFFORT, zopfli::Format::Gzip, &wasm[..], &mut module)?;
    let version = Command::new(toolchain.compiler()).arg("--version").output()?.stdout;
    let origin = format!(
        "made by `cargo xtask lab`\ncompiler: {}\n{}\n",
        String::from_utf8_lossy(&version).trim(),
        sources_line(root)?
    );
    Ok((module, origin))
}

/// Fails for a module that is larger than a page may load. Another compiler's, which is not committed, may be larger.
fn check_size(module: &[u8]) -> Result<()> {
    if module.len() > LARGEST {
        bail!("the module has {} bytes, compressed, of at most {LARGEST}", module.len());
    }
    Ok(())
}

fn toolchain() -> Result<Toolchain> {
    let targets = Command::new("rustup").args(["target", "list", "--installed"]).output();
    let has_target = |output: std::process::Output| {
        String::from_utf8_lossy(&output.stdout).lines().any(|line| line == TARGET)
    };
    if targets.is_ok_and(has_target) {
        return Ok(Toolchain::Rustup);
    }
    if Path::new("/usr/lib/rustlib/src/rust/library").is_dir() {
        return Ok(Toolchain::Debian);
    }
    bail!(
        "no compiler for {TARGET}\n  remedy: `rustup target add {TARGET}`, or Debian's packages rustc-web, \
         cargo-web, rust-web-src and lld"
    )
}

impl Toolchain {
    fn compiler(&self) -> &'static str {
        match self {
            Self::Rustup => "rustc",
            Self::Debian => "/usr/bin/rustc",
        }
    }
}

/// Compiles the module, for size and without unwinding, and returns where it lies.
fn compile(root: &Path, toolchain: &Toolchain) -> Result<PathBuf> {
    let mut cargo = match toolchain {
        Toolchain::Rustup => Command::new("cargo"),
        Toolchain::Debian => {
            let mut cargo = Command::new("/usr/bin/cargo");
            // The source belongs to this one compiler, whose version lets it be built as if it were a nightly.
            cargo.env("RUSTC", "/usr/bin/rustc").env("RUSTC_BOOTSTRAP", "1");
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld");
            cargo.arg("-Zbuild-std=std,panic_abort");
            // Its sorts are smaller then, for each type that is sorted.
            cargo.arg("-Zbuild-std-features=optimize_for_size");
            cargo
        }
    };
    // Messages of panics name files: their paths must not depend on the machine.
    let home = std::env::var("CARGO_HOME").or_else(|_| Ok(std::env::var("HOME")? + "/.cargo"));
    let home = home.map_err(|_: std::env::VarError| anyhow::anyhow!("HOME is not set"))?;
    let prefixes = [(root.display().to_string(), ""), (home, "cargo")];
    let prefixes = prefixes.map(|(from, to)| format!("--remap-path-prefix={from}={to}"));
    // Not in the profile: settings of single packages make Cargo keep the symbols.
    let flags = [&prefixes[..], &["-Cstrip=symbols".to_owned()]].concat();
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"));
    cargo.env_remove("RUSTFLAGS").env_remove("RUSTUP_TOOLCHAIN");
    // All but the machine that executes kernels is made as small as it gets.
    for setting in [
        "opt-level=\"z\"",
        "package.warpsim-simt.opt-level=\"s\"",
        "lto=\"fat\"",
        "codegen-units=1",
        "panic=\"abort\"",
    ] {
        cargo.args(["--config", &format!("profile.release.{setting}")]);
    }
    cargo.args(["build", "--release", "--package", "lab", "--lib", "--target", TARGET]);
    cargo.args(["--target-dir", FOLDER]).current_dir(root);
    if !cargo.status().context("cannot start cargo")?.success() {
        bail!("the lab does not compile for {TARGET}");
    }
    Ok(root.join(FOLDER).join(TARGET).join("release/lab.wasm"))
}
