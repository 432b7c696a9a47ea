//! Is the compiler there, and if not, how to get it.

use anyhow::{Context, Result, bail};
use nvrtc::{locate, wheels};
use report::terminal::print;

/// Fetches the compiler, unless it is there.
pub fn setup(index: Option<&str>) -> Result<()> {
    refuse_macos()?;
    let mut report = |line: &str| {
        // A closed output is no reason to stop.
        let _ = print(&format!("{line}\n"));
    };
    wheels::provide(index, &mut report).context("cannot set up the compiler")?;
    print("The compiler is there. `cargo exercise` shows the exercises.\n")?;
    Ok(())
}

/// Says what to do if there is no compiler.
///
/// # Errors
/// If there is none.
pub fn look() -> Result<()> {
    refuse_macos()?;
    match locate::compiler(None) {
        Ok(_) => Ok(()),
        Err(_) => bail!(
            "the compiler for kernels, NVIDIA's NVRTC, is not here\n  remedy: `cargo exercise \
             setup` fetches it into target/nvrtc; it needs no GPU, no root and no CUDA toolkit"
        ),
    }
}

fn refuse_macos() -> Result<()> {
    if cfg!(target_os = "macos") {
        bail!(
            "NVIDIA makes no NVRTC for macOS, so kernels cannot be compiled here\n  remedy: open \
             this folder in the container that .devcontainer/ describes (in VS Code: \"Reopen in \
             Container\"), or in GitHub Codespaces"
        );
    }
    Ok(())
}
