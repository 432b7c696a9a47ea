//! Fetches NVRTC and CUDA's headers from PyPI, where NVIDIA publishes them as wheels.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// NVRTC 12.0.140, and the headers of the same release: packages of PyPI, and their versions.
pub const PACKAGES: [(&str, &str); 2] = [
    ("nvidia-cuda-nvrtc-cu12", "12.0.140"),
    ("nvidia-cuda-runtime-cu12", "12.0.146"),
];

/// Where the unpacked wheels are.
pub fn folder(root: &Path) -> PathBuf {
    root.join("target").join("nvrtc")
}

/// Downloads the pinned wheels with pip and unpacks them into [`folder`].
pub fn fetch(root: &Path) -> Result<PathBuf> {
    let folder = folder(root);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    python(&download_arguments(&folder))?;
    for entry in fs::read_dir(&folder)? {
        let wheel = entry?.path();
        if wheel.extension().is_some_and(|is| is == "whl") {
            let (wheel, folder) = (wheel.to_string_lossy(), folder.to_string_lossy());
            python(&["-m", "zipfile", "-e", &wheel, &folder].map(str::to_owned))?;
        }
    }
    Ok(folder)
}

fn download_arguments(folder: &Path) -> Vec<String> {
    let mut arguments = [
        "-m",
        "pip",
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--dest",
    ]
    .map(str::to_owned)
    .to_vec();
    arguments.push(folder.to_string_lossy().into_owned());
    arguments.extend(PACKAGES.map(|(name, version)| format!("{name}=={version}")));
    arguments
}

fn python(arguments: &[String]) -> Result<()> {
    let program = if cfg!(windows) { "python" } else { "python3" };
    let line = format!("{program} {}", arguments.join(" "));
    let status = Command::new(program)
        .args(arguments)
        .status()
        .with_context(|| format!("cannot run `{line}`: install Python 3 with pip"))?;
    if !status.success() {
        bail!("`{line}` failed; where pip is missing, `{program} -m ensurepip --user` installs it");
    }
    Ok(())
}
