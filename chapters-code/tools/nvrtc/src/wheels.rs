//! Fetches NVRTC and CUDA's headers, which NVIDIA publishes on PyPI, and unpacks them.
//!
//! A wheel is a ZIP archive, so neither Python nor pip is needed. The index says where the files are
//! (PEP 691: pip reads the same index, so mirrors have it too). The files and their hashes are pinned
//! here, and a file with another hash is not unpacked.

use std::{
    fs::{self, File},
    io::Cursor,
    path::Path,
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use ureq::{
    Agent,
    tls::{RootCerts, TlsConfig},
};
use zip::ZipArchive;

use crate::{folder, locate};

/// What is fetched, and under which terms; to be shown before the fetch.
pub const LICENCE: &str = "NVIDIA's compiler NVRTC 12.0 and CUDA's headers, 27 MB, under NVIDIA's \
                           licence for the CUDA Toolkit: https://docs.nvidia.com/cuda/eula/";

/// PyPI's index.
const INDEX: &str = "https://pypi.org/simple";

/// The index's pages for programs.
const JSON: &str = "application/vnd.pypi.simple.v1+json";

/// The largest wheel that is taken, in bytes.
const LARGEST: u64 = 256 << 20;

/// A wheel of a package, as the index names it.
#[derive(Clone, Copy, Debug)]
pub struct Wheel<'a> {
    /// The package.
    pub package: &'a str,
    /// The file.
    pub file: &'a str,
    /// The file's SHA-256, in hexadecimal digits.
    pub sha256: &'a str,
}

/// NVRTC 12.0.140, the headers of the same release, and libcu++'s, of which the wheels of that release lack most,
/// for each system that NVIDIA publishes them for.
pub const WHEELS: [Wheel<'static>; 6] = [
    Wheel {
        package: "nvidia-cuda-nvrtc-cu12",
        file: "nvidia_cuda_nvrtc_cu12-12.0.140-py3-none-manylinux1_x86_64.whl",
        sha256: "8e94e991d85c422de4da87bdc7472fdc1364367bd4aace7000b559cd33122071",
    },
    Wheel {
        package: "nvidia-cuda-nvrtc-cu12",
        file: "nvidia_cuda_nvrtc_cu12-12.0.140-py3-none-win_amd64.whl",
        sha256: "5fb35744e31365b684731ca5b52d7fbb429f7dbfa7d0cceeeeeb5e04c73a36fa",
    },
    Wheel {
        package: "nvidia-cuda-runtime-cu12",
        file: "nvidia_cuda_runtime_cu12-12.0.146-py3-none-manylinux1_x86_64.whl",
        sha256: "18c038592af387684812fa712642aa9a26c12da80acb488b6709f7cced147f71",
    },
    Wheel {
        package: "nvidia-cuda-runtime-cu12",
        file: "nvidia_cuda_runtime_cu12-12.0.146-py3-none-win_amd64.whl",
        sha256: "2f94f9032850043bc091c441f1a1658bb695d8fdc2d81cdf850b742514e432ae",
    },
    Wheel {
        package: "nvidia-cuda-cccl-cu12",
        file: "nvidia_cuda_cccl_cu12-12.3.101.post1-py3-none-manylinux2014_x86_64.whl",
        sha256: "8b92908843ea1c14257f096499dfd27a1055027f94679146e9f0f78025a0f69d",
    },
    Wheel {
        package: "nvidia-cuda-cccl-cu12",
        file: "nvidia_cuda_cccl_cu12-12.3.101.post1-py3-none-win_amd64.whl",
        sha256: "220a288365dea318a390f6d16a1b29ec9e272456a9462e19f6b54a49b0ce1d37",
    },
];

/// The wheels for a system, named as [`std::env::consts`] does; none if NVIDIA publishes none.
pub fn of_system(os: &str, arch: &str) -> Vec<Wheel<'static>> {
    let tag = match (os, arch) {
        ("linux", "x86_64") => "manylinux",
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

/// Makes sure that the pinned compiler is in [`folder`]. Unless it is there, it is fetched from `index`,
/// or else from pip's index (`PIP_INDEX_URL`), or else from PyPI. `report` gets a line for each fetch,
/// the first with the licence. Programs that call this at the same time wait for the first.
///
/// # Errors
/// If NVIDIA publishes none for this system, or the index does not send the pinned files.
pub fn provide(index: Option<&str>, report: &mut dyn FnMut(&str)) -> Result<()> {
    let wheels = of_this_system();
    if install(&folder(), &is_there, index, (&wheels, LICENCE), report)? {
        locate::compiler(None).context("the compiler was fetched and does not load")?;
    }
    Ok(())
}

/// Makes sure that what wheels hold is in a folder of `target/`, and says whether it was fetched, as [`provide`] does:
/// unless `is_there`. With the wheels come the terms, to be shown before the fetch.
///
/// # Errors
/// If there are no wheels, or the index does not send them.
pub fn install(
    folder: &Path,
    is_there: &dyn Fn() -> bool,
    index: Option<&str>,
    (wheels, licence): (&[Wheel<'_>], &str),
    report: &mut dyn FnMut(&str),
) -> Result<bool> {
    let target = folder.parent().unwrap_or(folder);
    fs::create_dir_all(target).with_context(|| format!("cannot make {}", target.display()))?;
    let lock = folder.with_extension("lock");
    let file = File::create(&lock).and_then(|file| file.lock().map(|()| file));
    let _alone = file.with_context(|| format!("cannot lock {}", lock.display()))?;
    if is_there() {
        return Ok(false);
    }
    ensure!(
        !wheels.is_empty(),
        "for {} on {} there is no wheel of {licence}",
        std::env::consts::OS,
        std::env::consts::ARCH
    );
    let index_of_pip = std::env::var("PIP_INDEX_URL").ok();
    let index = index.or(index_of_pip.as_deref()).unwrap_or(INDEX);
    report(&format!("Fetching {licence}"));
    // No program sees a folder that is half unpacked.
    let unpacked = tempfile::tempdir_in(target)?;
    fetch(unpacked.path(), index, wheels, report)?;
    if folder.exists() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot replace {}", folder.display()))?;
    }
    fs::rename(unpacked.path(), folder)
        .with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(true)
}

/// Whether the compiler that is found is the one that was fetched. The system may have another
/// version, with other messages and other counts.
fn is_there() -> bool {
    let is_own = locate::library(None).is_ok_and(|library| library.starts_with(folder()));
    is_own && locate::compiler(None).is_ok_and(|compiler| compiler.libcudacxx.is_some())
}

/// Fetches wheels from an index and unpacks them into a folder; `report` gets a line for each.
///
/// # Errors
/// If the index does not answer, does not list a wheel, or sends another file.
pub fn fetch(
    folder: &Path,
    index: &str,
    wheels: &[Wheel<'_>],
    report: &mut dyn FnMut(&str),
) -> Result<()> {
    let certificates = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
    let agent: Agent = Agent::config_builder()
        .tls_config(certificates)
        .timeout_connect(Some(Duration::from_secs(20)))
        .build()
        .into();
    let index = index.trim_end_matches('/');
    for Wheel { package, file, sha256, .. } in wheels {
        let listed = get(&agent, &format!("{index}/{package}/"), JSON)?;
        let listed: Package = serde_json::from_slice(&listed)
            .with_context(|| format!("{index} does not list the files of {package}"))?;
        let mut listed = listed.files.iter();
        let found = listed
            .find(|listed| listed.filename == *file)
            .with_context(|| format!("{index} does not have {file}"))?;
        report(&format!("fetching {file}"));
        let wheel = get(&agent, &found.url, "*/*")?;
        check(&wheel, file, sha256)?;
        unpack(&wheel, folder).with_context(|| format!("cannot unpack {file}"))?;
    }
    Ok(())
}

/// All files of a package.
#[derive(Deserialize)]
struct Package {
    files: Vec<Listed>,
}

/// A file of a package.
#[derive(Deserialize)]
struct Listed {
    filename: String,
    url: String,
}

fn get(agent: &Agent, url: &str, kind: &str) -> Result<Vec<u8>> {
    let read = || -> Result<Vec<u8>, ureq::Error> {
        let mut response = agent.get(url).header("Accept", kind).call()?;
        response.body_mut().with_config().limit(LARGEST).read_to_vec()
    };
    read().with_context(|| format!("cannot fetch {url}"))
}

fn check(wheel: &[u8], file: &str, sha256: &str) -> Result<()> {
    let hash = Sha256::digest(wheel);
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    ensure!(
        hash == sha256,
        "{file} is not the pinned file: its SHA-256 is {hash}, and should be {sha256}"
    );
    Ok(())
}

fn unpack(wheel: &[u8], folder: &Path) -> Result<()> {
    ZipArchive::new(Cursor::new(wheel))?.extract(folder)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VERSION;

    #[test]
    fn each_system_has_its_wheels() {
        for system in [("linux", "x86_64"), ("windows", "x86_64")] {
            let wheels = of_system(system.0, system.1);
            let packages: Vec<_> = wheels.iter().map(|wheel| wheel.package).collect();
            let all =
                ["nvidia-cuda-nvrtc-cu12", "nvidia-cuda-runtime-cu12", "nvidia-cuda-cccl-cu12"];
            assert_eq!(packages, all, "{system:?}");
        }
        for system in [("macos", "aarch64"), ("linux", "aarch64")] {
            assert!(of_system(system.0, system.1).is_empty(), "{system:?}");
        }
    }

    #[test]
    fn each_wheel_is_of_its_package_and_pinned() {
        for Wheel { package, file, sha256 } in WHEELS {
            let release = if package.contains("cccl") { "12.3" } else { "12.0" };
            let release = format!("{}-{release}.", package.replace('-', "_"));
            assert!(file.starts_with(&release), "{file}");
            let is_compiler = package.contains("nvrtc");
            assert_eq!(file.contains(&format!("-{VERSION}-")), is_compiler, "{file}");
            let is_hash = sha256.len() == 64 && sha256.bytes().all(|b| b.is_ascii_hexdigit());
            assert!(is_hash, "{file}: {sha256}");
        }
    }
}
