//! `cargo xtask`: regenerates and checks what is committed beside its sources.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, Parser, Subcommand};
use nvrtc::locate::{self, Accept};
use nvrtc::wheels;
use xtask::kernel::{self, Kernel};
use xtask::{lab, local_memory, ptx};

/// Work on the sources of this workspace that cargo itself does not do.
#[derive(Parser)]
#[command(bin_name = "cargo xtask", after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  cargo xtask nvrtc          fetch the compiler, once
  cargo xtask ptx            regenerate the PTX of kernels that have changed
  cargo xtask ptx --check    fail if a committed PTX file is not what its source gives
  cargo xtask local-memory   assemble the kernels of all chapters, and compare their local memory with the list
  cargo xtask lab            compile the lab of the book to WebAssembly
  cargo xtask ptx --nvrtc ~/cuda-12.0/lib64/libnvrtc.so.12";

#[derive(Subcommand)]
enum Command {
    /// Compiles each kernels/**/*.cu that has changed to the .ptx beside it
    Ptx(PtxArguments),
    /// Downloads NVRTC 12.0.140 and CUDA's headers into target/nvrtc
    Nvrtc,
    /// Fails where a kernel of a chapter has local memory that local_memory.tsv does not give a reason for
    LocalMemory,
    /// Compiles the lab of the book to WebAssembly
    Lab {
        /// Write nothing; fail where the committed module is not what its sources give
        #[arg(long)]
        check: bool,
    },
}

#[derive(Args)]
struct PtxArguments {
    /// Compile all, and write nothing; fail, naming the files, where the committed PTX differs
    #[arg(long)]
    check: bool,
    /// Compile all, also those whose PTX says that it was made of the source as it is
    #[arg(long)]
    all: bool,
    /// The NVRTC library, or a folder that holds it [default: NVRTC_PATH, target/nvrtc, the system]
    #[arg(long, value_name = "PATH")]
    nvrtc: Option<PathBuf>,
    /// Accept an NVRTC other than 12.0.140
    #[arg(long)]
    any_nvrtc: bool,
}

fn main() -> Result<()> {
    let root = xtask::workspace();
    match Cli::parse().command {
        Command::Ptx(arguments) => regenerate(&root, &arguments),
        Command::LocalMemory => local_memory::check(&root),
        Command::Lab { check: true } => lab::check(&root),
        Command::Lab { check: false } => lab::make(&root),
        Command::Nvrtc => {
            wheels::provide(None, &mut |line| println!("{line}"))?;
            println!("NVRTC {} is in {}", nvrtc::VERSION, nvrtc::folder().display());
            Ok(())
        }
    }
}

fn regenerate(root: &Path, arguments: &PtxArguments) -> Result<()> {
    let accept = if arguments.any_nvrtc { Accept::Any } else { Accept::Pinned };
    let toolchain = locate::toolchain(arguments.nvrtc.as_deref(), accept)?;
    let kernels = kernel::all(root)?;
    let (mut compiled, mut changed) = (0, Vec::new());
    for kernel in &kernels {
        let committed = fs::read_to_string(kernel.ptx_path()).unwrap_or_default();
        let is_all = arguments.check || arguments.all;
        if !is_all && ptx::is_current(kernel, &committed, &toolchain.version)? {
            continue;
        }
        compiled += 1;
        let text = ptx::generate(root, kernel, &toolchain)?;
        if committed != text {
            changed.push(kernel::relative(root, &kernel.ptx_path()));
            if !arguments.check {
                write(&kernel.ptx_path(), &text)?;
            }
        }
    }
    report(compiled, &changed, arguments.check)?;
    orphans(root, &kernels)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn report(count: usize, changed: &[String], check: bool) -> Result<()> {
    if check && !changed.is_empty() {
        bail!(
            "not what the source gives (`cargo xtask ptx` mends it):\n  {}",
            changed.join("\n  ")
        );
    }
    for name in changed {
        println!("wrote {name}");
    }
    println!("{count} kernels compiled, {} files changed", changed.len());
    Ok(())
}

/// Fails on PTX whose source is gone.
fn orphans(root: &Path, kernels: &[Kernel]) -> Result<()> {
    let mut orphans = kernel::all_ptx(root)?;
    orphans.retain(|path| !kernels.iter().any(|kernel| kernel.ptx_path() == *path));
    if orphans.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = orphans.iter().map(|path| kernel::relative(root, path)).collect();
    bail!("PTX without a source, to be deleted:\n  {}", names.join("\n  "))
}
