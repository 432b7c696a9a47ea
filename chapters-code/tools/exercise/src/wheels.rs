//! Fetches NVRTC and CUDA's headers, which NVIDIA publishes on PyPI, and unpacks them.
//!
//! A wheel is a ZIP archive, so neither Python nor pip is needed. The index says where the files are
//! (PEP 691: the one that pip reads, so mirrors have it too); which files, and their hashes, are pinned
//! in [`xtask::wheels`], and a file with another hash is not unpacked.

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
use xtask::{
    locate,
    wheels::{self, LICENCE, Wheel},
};
use zip::ZipArchive;

/// PyPI's index.
const INDEX: &str = "https://pypi.org/simple";

/// The index's pages for programs.
const JSON: &str = "application/vnd.pypi.simple.v1+json";

/// The largest wheel that is taken.
const LARGEST: u64 = 256 << 20;

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

/// Makes sure that the compiler is in `target/nvrtc` of a workspace: fetches it from an index (or from
/// pip's, `PIP_INDEX_URL`, or PyPI), unless it is there. `tell` hears what is fetched, under which
/// licence. Programs that ask for it at the same time wait for the first.
///
/// # Errors
/// Where NVIDIA publishes none for this system, or the index does not send the pinned files.
pub fn provide(root: &Path, index: Option<&str>, tell: &mut dyn FnMut(&str)) -> Result<()> {
    let folder = wheels::folder(root);
    let target = folder.parent().unwrap_or(root);
    fs::create_dir_all(target).with_context(|| format!("cannot make {}", target.display()))?;
    let lock = target.join("nvrtc.lock");
    let lock = File::create(&lock).and_then(|file| file.lock().map(|()| file));
    let _alone = lock.context("cannot lock target/nvrtc.lock")?;
    if is_there(root) {
        return Ok(());
    }
    let wheels = wheels::of_this_system();
    ensure!(
        !wheels.is_empty(),
        "NVIDIA publishes no NVRTC {} for {} on {}",
        xtask::NVRTC_VERSION,
        std::env::consts::OS,
        std::env::consts::ARCH
    );
    let of_pip = std::env::var("PIP_INDEX_URL").ok();
    let index = index.or(of_pip.as_deref()).unwrap_or(INDEX);
    tell(&format!("Fetching {LICENCE}"));
    // Nobody sees a folder that is half unpacked.
    let unpacked = tempfile::tempdir_in(target)?;
    fetch(unpacked.path(), index, &wheels, tell)?;
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot replace {}", folder.display()))?;
    }
    fs::rename(unpacked.path(), &folder)
        .with_context(|| format!("cannot make {}", folder.display()))?;
    locate::compiler(root, None).context("the compiler was fetched and does not load")?;
    Ok(())
}

/// Whether the compiler that is found is the one that was fetched: what the system has may be of another
/// version, which messages and counts depend on.
fn is_there(root: &Path) -> bool {
    let folder = wheels::folder(root);
    let is_own = locate::library(root, None).is_ok_and(|library| library.starts_with(&folder));
    is_own && locate::compiler(root, None).is_ok()
}

/// Fetches wheels from an index and unpacks them into a folder; `tell` hears of each.
///
/// # Errors
/// Where the index does not answer, does not list a wheel, or sends another file.
pub fn fetch(
    folder: &Path,
    index: &str,
    wheels: &[Wheel<'_>],
    tell: &mut dyn FnMut(&str),
) -> Result<()> {
    let certificates = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .build();
    let agent: Agent = Agent::config_builder()
        .tls_config(certificates)
        .timeout_connect(Some(Duration::from_secs(20)))
        .build()
        .into();
    let index = index.trim_end_matches('/');
    for Wheel {
        package,
        file,
        sha256,
        ..
    } in wheels
    {
        let listed = get(&agent, &format!("{index}/{package}/"), JSON)?;
        let listed: Package = serde_json::from_slice(&listed)
            .with_context(|| format!("{index} does not list the files of {package}"))?;
        let mut listed = listed.files.iter();
        let found = listed
            .find(|listed| listed.filename == *file)
            .with_context(|| format!("{index} does not have {file}"))?;
        tell(&format!("fetching {file}"));
        let wheel = get(&agent, &found.url, "*/*")?;
        check(&wheel, file, sha256)?;
        unpack(&wheel, folder).with_context(|| format!("cannot unpack {file}"))?;
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
