//! Fetches NVRTC and CUDA's headers, which NVIDIA publishes on PyPI, and unpacks them.
//!
//! A wheel is a ZIP archive, so neither Python nor pip is needed. Which files there are, and their
//! hashes, the index tells (PEP 691: the one that pip reads, so mirrors have it too); a file with another
//! hash is not unpacked.

use std::{fs, io::Cursor, path::Path};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use ureq::{
    Agent,
    tls::{RootCerts, TlsConfig},
};
use xtask::wheels::PACKAGES;
use zip::ZipArchive;

/// PyPI's index.
pub const INDEX: &str = "https://pypi.org/simple";

/// The index's pages for programs.
const JSON: &str = "application/vnd.pypi.simple.v1+json";

/// The largest wheel that is taken.
const LARGEST: u64 = 256 << 20;

/// All files of a package.
#[derive(Deserialize)]
struct Package {
    files: Vec<File>,
}

/// A file of a package.
#[derive(Clone, Debug, Deserialize)]
struct File {
    filename: String,
    url: String,
    hashes: Hashes,
}

#[derive(Clone, Debug, Deserialize)]
struct Hashes {
    sha256: String,
}

/// Fetches the wheels for this system from an index into a folder; `tell` hears of each.
///
/// # Errors
/// Where the index does not answer, has no wheel for this system, or sends another file.
pub fn fetch(folder: &Path, index: &str, tell: &mut dyn FnMut(&str)) -> Result<()> {
    let certificates = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .build();
    let agent: Agent = Agent::config_builder()
        .tls_config(certificates)
        .build()
        .into();
    for (name, version) in PACKAGES {
        let package = get(&agent, &format!("{index}/{name}/"), JSON)?;
        let mut package: Package = serde_json::from_slice(&package)
            .with_context(|| format!("{index} does not list the files of {name}"))?;
        let release = format!("{}-{version}-", name.replace('-', "_"));
        package
            .files
            .retain(|file| file.filename.starts_with(&release));
        let file = of_system(&package.files, std::env::consts::OS, std::env::consts::ARCH)
            .with_context(|| {
                let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
                format!("NVIDIA publishes no {name} {version} for {os} on {arch}")
            })?;
        tell(&file.filename);
        let wheel = get(&agent, &file.url, "*/*")?;
        check(&wheel, file)?;
        unpack(&wheel, folder).with_context(|| format!("cannot unpack {}", file.filename))?;
    }
    Ok(())
}

fn get(agent: &Agent, url: &str, kind: &str) -> Result<Vec<u8>> {
    let read = || -> Result<Vec<u8>, ureq::Error> {
        let mut response = agent.get(url).header("Accept", kind).call()?;
        response
            .body_mut()
            .with_config()
            .limit(LARGEST)
            .read_to_vec()
    };
    read().with_context(|| format!("cannot fetch {url}"))
}

/// The wheel for a system.
fn of_system<'f>(files: &'f [File], os: &str, arch: &str) -> Option<&'f File> {
    let fits = |file: &&File| match os {
        "linux" => file.filename.contains("manylinux") && file.filename.contains(arch),
        "windows" => arch == "x86_64" && file.filename.contains("win_amd64"),
        _ => false,
    };
    let mut wheels = files.iter().filter(|file| file.filename.ends_with(".whl"));
    wheels.find(fits)
}

fn check(wheel: &[u8], file: &File) -> Result<()> {
    let hash = Sha256::digest(wheel);
    let hash: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    ensure!(
        hash == file.hashes.sha256,
        "{} arrived damaged: its hash is {hash}, and should be {}",
        file.filename,
        file.hashes.sha256
    );
    Ok(())
}

fn unpack(wheel: &[u8], folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    ZipArchive::new(Cursor::new(wheel))?.extract(folder)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_system_has_its_wheel() {
        let file = |filename: &str| File {
            filename: filename.into(),
            url: String::new(),
            hashes: Hashes {
                sha256: String::new(),
            },
        };
        let files = [
            "x-12.0.140.tar.gz",
            "x-12.0.140-py3-none-manylinux2014_aarch64.whl",
            "x-12.0.140-py3-none-manylinux1_x86_64.whl",
            "x-12.0.140-py3-none-win_amd64.whl",
        ]
        .map(file);
        let of = |os, arch| of_system(&files, os, arch).map(|file| file.filename.as_str());
        assert!(of("linux", "x86_64").is_some_and(|name| name.contains("x86_64")));
        assert!(of("linux", "aarch64").is_some_and(|name| name.contains("aarch64")));
        assert!(of("windows", "x86_64").is_some_and(|name| name.contains("win_amd64")));
        assert_eq!(of("macos", "aarch64"), None);
        assert_eq!(of("linux", "riscv64"), None);
    }
}
