//! Is the compiler there, and if not, how to get it.

use anyhow::{Context, Result, bail};
use harness::terminal::print;
use xtask::{locate, wheels};

/// Fetches the compiler.
pub fn setup() -> Result<()> {
    refuse_macos()?;
    let root = crate::workspace();
    if locate::compiler(&root, None).is_ok() {
        print("The compiler is there: `cargo exercise` shows the exercises.\n")?;
        return Ok(());
    }
    let folder = wheels::fetch(&root)?;
    locate::compiler(&root, None).context("the compiler was fetched and does not load")?;
    print(&format!(
        "NVRTC is in {}: `cargo exercise` shows the exercises.\n",
        folder.display()
    ))?;
    Ok(())
}

/// Says what to do where there is no compiler.
///
/// # Errors
/// Where there is none.
pub fn look() -> Result<()> {
    refuse_macos()?;
    let root = crate::workspace();
    match locate::compiler(&root, None) {
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
