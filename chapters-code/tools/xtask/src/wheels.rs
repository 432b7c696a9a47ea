//! NVRTC and CUDA's headers, which NVIDIA publishes as wheels on PyPI: which files, and how pip fetches
//! them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::NVRTC_VERSION;

/// What is fetched, and under which terms; to be shown before the fetch.
pub const LICENCE: &str = "NVIDIA's compiler NVRTC 12.0 and CUDA's headers, 24 MB, under NVIDIA's \
                           licence for the CUDA Toolkit: https://docs.nvidia.com/cuda/eula/";

/// A wheel of a package, as the index names it.
#[derive(Clone, Copy, Debug)]
pub struct Wheel<'a> {
    /// The package.
    pub package: &'a str,
    /// Its version.
    pub version: &'a str,
    /// The file.
    pub file: &'a str,
    /// The file's SHA-256, in hexadecimal digits.
    pub sha256: &'a str,
}

/// NVRTC 12.0.140, and the headers of the same release, for each system that NVIDIA publishes them for.
pub const WHEELS: [Wheel<'static>; 4] = [
    nvrtc(
        "nvidia_cuda_nvrtc_cu12-12.0.140-py3-none-manylinux1_x86_64.whl",
        "8e94e991d85c422de4da87bdc7472fdc1364367bd4aace7000b559cd33122071",
    ),
    nvrtc(
        "nvidia_cuda_nvrtc_cu12-12.0.140-py3-none-win_amd64.whl",
        "5fb35744e31365b684731ca5b52d7fbb429f7dbfa7d0cceeeeeb5e04c73a36fa",
    ),
    headers(
        "nvidia_cuda_runtime_cu12-12.0.146-py3-none-manylinux1_x86_64.whl",
        "18c038592af387684812fa712642aa9a26c12da80acb488b6709f7cced147f71",
    ),
    headers(
        "nvidia_cuda_runtime_cu12-12.0.146-py3-none-win_amd64.whl",
        "2f94f9032850043bc091c441f1a1658bb695d8fdc2d81cdf850b742514e432ae",
    ),
];

const fn nvrtc(file: &'static str, sha256: &'static str) -> Wheel<'static> {
    Wheel {
        package: "nvidia-cuda-nvrtc-cu12",
        version: "12.0.140",
        file,
        sha256,
    }
}

const fn headers(file: &'static str, sha256: &'static str) -> Wheel<'static> {
    Wheel {
        package: "nvidia-cuda-runtime-cu12",
        version: "12.0.146",
        file,
        sha256,
    }
}

/// The wheels for a system, named as [`std::env::consts`] does; none where NVIDIA publishes none.
pub fn of_system(os: &str, arch: &str) -> Vec<Wheel<'static>> {
    let tag = match (os, arch) {
        ("linux", "x86_64") => "manylinux1_x86_64",
        ("windows", "x86_64") => "win_amd64",
        _ => return Vec::new(),
    };
    let mut wheels = WHEELS.to_vec();
    wheels.retain(|wheel| wheel.file.contains(tag));
    wheels
}

/// The wheels for the system that this program runs on.
pub fn of_this_system() -> Vec<Wheel<'static>> {
    of_system(std::env::consts::OS, std::env::consts::ARCH)
}

/// Where the unpacked wheels are.
pub fn folder(root: &Path) -> PathBuf {
    root.join("target").join("nvrtc")
}

/// Downloads the pinned wheels with pip, which checks their hashes, and unpacks them into [`folder`].
pub fn fetch(root: &Path) -> Result<PathBuf> {
    if of_this_system().is_empty() {
        bail!("NVIDIA publishes no NVRTC {NVRTC_VERSION} for this system");
    }
    let folder = folder(root);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let requirements = folder.join("requirements.txt");
    fs::write(&requirements, pinned())
        .with_context(|| format!("cannot write {}", requirements.display()))?;
    python(&download_arguments(&folder, &requirements))?;
    for wheel in of_this_system() {
        let (wheel, folder) = (folder.join(wheel.file), folder.to_string_lossy());
        let wheel = wheel.to_string_lossy();
        python(&["-m", "zipfile", "-e", &wheel, &folder].map(str::to_owned))?;
    }
    Ok(folder)
}

/// The wheels as pip's requirements.
fn pinned() -> String {
    let line = |wheel: &Wheel<'_>| {
        let Wheel {
            package,
            version,
            sha256,
            ..
        } = wheel;
        format!("{package}=={version} --hash=sha256:{sha256}\n")
    };
    of_this_system().iter().map(line).collect()
}

fn download_arguments(folder: &Path, requirements: &Path) -> Vec<String> {
    let fixed = ["-m", "pip", "download", "--no-deps", "--require-hashes"];
    let mut arguments = fixed.map(str::to_owned).to_vec();
    arguments.push("--only-binary=:all:".to_owned());
    for (option, path) in [("--dest", folder), ("--requirement", requirements)] {
        arguments.extend([option.to_owned(), path.to_string_lossy().into_owned()]);
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_has_its_wheels() {
        for system in [("linux", "x86_64"), ("windows", "x86_64")] {
            let wheels = of_system(system.0, system.1);
            let packages: Vec<_> = wheels.iter().map(|wheel| wheel.package).collect();
            let both = ["nvidia-cuda-nvrtc-cu12", "nvidia-cuda-runtime-cu12"];
            assert_eq!(packages, both, "{system:?}");
        }
        for system in [("macos", "aarch64"), ("linux", "aarch64")] {
            assert!(of_system(system.0, system.1).is_empty(), "{system:?}");
        }
    }

    #[test]
    fn each_wheel_is_of_its_release_and_pinned() {
        for Wheel {
            package,
            version,
            file,
            sha256,
        } in WHEELS
        {
            let release = format!("{}-{version}-", package.replace('-', "_"));
            assert!(file.starts_with(&release), "{file}");
            let is_hash = sha256.len() == 64 && sha256.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_hash, "{file}: {sha256}");
        }
    }
}
