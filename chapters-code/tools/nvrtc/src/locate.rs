//! Finds NVRTC, and CUDA's headers, on this machine.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::compiler::Nvrtc;
use crate::{VERSION, folder};

/// What mends a missing or unsuitable NVRTC.
const REMEDY: &str = "`cargo xtask nvrtc` fetches the right one into target/nvrtc";

/// A compiler that is ready for use.
pub struct Toolchain {
    /// The compiler.
    pub nvrtc: Nvrtc,
    /// Its full version.
    pub version: String,
    /// The folder that holds `cuda_fp16.h`.
    pub include: PathBuf,
}

/// Which versions of NVRTC will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accept {
    /// [`VERSION`] only, whose output is committed.
    Pinned,
    /// Any version.
    Any,
}

/// A compiler of any version.
pub struct Compiler {
    /// The compiler.
    pub nvrtc: Nvrtc,
    /// The folder that holds `cuda_fp16.h`.
    pub include: PathBuf,
    /// The folder that holds `cuda/atomic` and the other headers of libcu++, if there is one.
    pub libcudacxx: Option<PathBuf>,
}

/// The compiler that [`library`] finds. This does not ask for its version, which costs a compilation.
///
/// # Errors
/// If the library cannot be loaded, or CUDA's headers are not found.
pub fn compiler(given: Option<&Path>) -> Result<Compiler> {
    let nvrtc = Nvrtc::load(&library(given)?).context(REMEDY)?;
    let include = include_folder(&nvrtc.path)?;
    let fetched = folder().join("nvidia/cuda_cccl/include");
    let mut folders = [include.clone(), fetched].into_iter();
    let libcudacxx = folders.find(|folder| folder.join("cuda/atomic").is_file());
    Ok(Compiler { nvrtc, include, libcudacxx })
}

/// The compiler that [`library`] finds, if its version is accepted.
///
/// # Errors
/// As for [`compiler`], and where the version is another than the accepted one.
pub fn toolchain(given: Option<&Path>, accept: Accept) -> Result<Toolchain> {
    let Compiler { nvrtc, include, .. } = compiler(given)?;
    let version = nvrtc.version()?;
    if accept == Accept::Pinned && version != VERSION {
        bail!(
            "{} is NVRTC {version}, but the committed PTX is of {VERSION}: {REMEDY}, and \
             --any-nvrtc compiles with this one",
            nvrtc.path.display()
        );
    }
    Ok(Toolchain { nvrtc, version, include })
}

/// Looks at `given` (a library, or a folder to search), then at `NVRTC_PATH`, then in [`folder`].
/// Otherwise it is the name that the system knows.
///
/// # Errors
/// If `given` or `NVRTC_PATH` names no library.
pub fn library(given: Option<&Path>) -> Result<PathBuf> {
    let from_environment = env::var_os("NVRTC_PATH").map(PathBuf::from);
    if let Some(path) = given.map(Path::to_path_buf).or(from_environment) {
        return in_folder_or_itself(&path)
            .with_context(|| format!("no NVRTC library at {}", path.display()));
    }
    let fetched = in_folder_or_itself(&folder());
    Ok(fetched.unwrap_or_else(|| PathBuf::from(system_name())))
}

fn system_name() -> &'static str {
    if cfg!(windows) { "nvrtc64_120_0.dll" } else { "libnvrtc.so.12" }
}

/// `path` if it is a file, or else the first NVRTC library in it or below it.
fn in_folder_or_itself(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_path_buf());
    }
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    let (folders, files): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| entry.is_dir());
    let file = files.into_iter().find(|file| is_nvrtc(file));
    file.or_else(|| folders.iter().find_map(|folder| in_folder_or_itself(folder)))
}

/// `libnvrtc.so.12`, `nvrtc64_120_0.dll`; not `libnvrtc-builtins.so.12.0`, nor a `.alt.` one.
fn is_nvrtc(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let dll = name.starts_with("nvrtc64_") && name.ends_with("_0.dll") && !name.contains("alt");
    name.starts_with("libnvrtc.so") || dll
}

/// The folder of CUDA's headers: beside the library, in a toolkit or among the wheels.
fn include_folder(library: &Path) -> Result<PathBuf> {
    let beside = library
        .ancestors()
        .skip(1)
        .take(4)
        .flat_map(|folder| ["include", "cuda_runtime/include"].map(|below| folder.join(below)));
    let fetched = folder().join("nvidia/cuda_runtime/include");
    let toolkit = ["CUDA_HOME", "CUDA_PATH"]
        .into_iter()
        .filter_map(env::var_os)
        .map(|home| PathBuf::from(home).join("include"));
    beside
        .chain([fetched])
        .chain(toolkit)
        .chain([PathBuf::from("/usr/local/cuda/include")])
        .find(|folder| folder.join("cuda_fp16.h").is_file())
        .with_context(|| format!("CUDA's headers (cuda_fp16.h) are not found near NVRTC: {REMEDY}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_compiler_itself_is_nvrtc() {
        for name in ["libnvrtc.so.12", "libnvrtc.so", "nvrtc64_120_0.dll"] {
            assert!(is_nvrtc(Path::new(name)), "{name}");
        }
        for name in ["libnvrtc-builtins.so.12.0", "nvrtc-builtins64_120.dll", "nvrtc.h"] {
            assert!(!is_nvrtc(Path::new(name)), "{name}");
        }
    }

    #[test]
    fn a_missing_library_is_named() {
        let given = Path::new("/nowhere/libnvrtc.so");
        let error = library(Some(given)).unwrap_err();
        assert!(error.to_string().contains("/nowhere/libnvrtc.so"), "{error}");
    }
}
