//! ptxas, NVIDIA's assembler from PTX to the instructions of a GPU, and the local memory that it gives to kernels.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use nvrtc::wheels::{self, Wheel};

/// The version whose numbers are committed; another one gives registers to other values.
pub const VERSION: &str = "12.9.86";

/// What is fetched, and under which terms.
const LICENCE: &str = "NVIDIA's assembler ptxas 12.9, 41 MB, under NVIDIA's licence for the CUDA Toolkit: \
                       https://docs.nvidia.com/cuda/eula/";

const PACKAGE: &str = "nvidia-cuda-nvcc-cu12";

/// For each system that NVIDIA publishes it for, as [`std::env::consts`] names it.
const WHEELS: [(&str, &str, Wheel<'static>); 3] = [
    (
        "linux",
        "x86_64",
        Wheel {
            package: PACKAGE,
            file: "nvidia_cuda_nvcc_cu12-12.9.86-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64.whl",
            sha256: "5d6a0d32fdc7ea39917c20065614ae93add6f577d840233237ff08e9a38f58f0",
        },
    ),
    (
        "linux",
        "aarch64",
        Wheel {
            package: PACKAGE,
            file: "nvidia_cuda_nvcc_cu12-12.9.86-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl",
            sha256: "44e1eca4d08926193a558d2434b1bf83d57b4d5743e0c431c0c83d51da1df62b",
        },
    ),
    (
        "windows",
        "x86_64",
        Wheel {
            package: PACKAGE,
            file: "nvidia_cuda_nvcc_cu12-12.9.86-py3-none-win_amd64.whl",
            sha256: "8ed7f0b17dea662755395be029376db3b94fed5cbb17c2d35cc866c5b1b84099",
        },
    ),
];

/// The assembler, fetched into `target/ptxas` unless it is there.
pub struct Ptxas {
    program: PathBuf,
}

impl Ptxas {
    /// Fetches it, once.
    ///
    /// # Errors
    /// If NVIDIA publishes none for this system, or it cannot be fetched.
    pub fn provide(root: &Path) -> Result<Self> {
        let folder = root.join("target").join("ptxas");
        let name = format!("ptxas{}", std::env::consts::EXE_SUFFIX);
        let program = folder.join("nvidia/cuda_nvcc/bin").join(name);
        let system = (std::env::consts::OS, std::env::consts::ARCH);
        let of_system = WHEELS.into_iter().filter(|(os, arch, _)| (*os, *arch) == system);
        let wheels: Vec<_> = of_system.map(|(_, _, wheel)| wheel).collect();
        let is_there = || program.exists();
        let report = &mut |line: &str| println!("{line}");
        wheels::install(&folder, &is_there, None, (&wheels, LICENCE), report)?;
        make_executable(&program)?;
        Ok(Self { program })
    }

    /// The local memory of the functions of a PTX file that have some, for an H100 or an H200.
    ///
    /// # Errors
    /// If the file cannot be read or assembled.
    pub fn local_memory(&self, ptx: &Path) -> Result<Vec<(String, Bytes)>> {
        let text =
            fs::read_to_string(ptx).with_context(|| format!("cannot read {}", ptx.display()))?;
        let output = Command::new(&self.program)
            .arg("-v")
            .arg(format!("-arch={}", architecture(&text)))
            .arg(ptx)
            .args(["-o", if cfg!(windows) { "NUL" } else { "/dev/null" }])
            .output()
            .with_context(|| format!("cannot run {}", self.program.display()))?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "ptxas refuses {}:\n{said}", ptx.display());
        Ok(parse(&said))
    }
}

/// A wheel says which files are programs, and the unpacking forgets it.
fn make_executable(program: &Path) -> Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(program, fs::Permissions::from_mode(0o755))
            .with_context(|| format!("cannot make {} a program", program.display()))?;
    }
    Ok(())
}

/// The target that a module asks for, if it is one of the H100's own, such as `sm_90a`; otherwise the H100's.
fn architecture(ptx: &str) -> &str {
    let target = ptx.lines().find_map(|line| line.strip_prefix(".target "));
    let target = target.and_then(|target| target.split(',').next()).unwrap_or_default().trim();
    if target.starts_with("sm_9") { target } else { "sm_90" }
}

/// The local memory of a function, in bytes per thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// All of it.
    pub stack: u32,
    /// What is stored because registers are short.
    pub stores: u32,
    /// What is loaded again.
    pub loads: u32,
}

/// What `ptxas -v` says, of the functions that have local memory.
fn parse(said: &str) -> Vec<(String, Bytes)> {
    let mut found = Vec::new();
    let mut function = None;
    for line in said.lines() {
        if let Some((_, name)) = line.split_once("Function properties for ") {
            function = Some(name.trim());
        } else if let (Some(bytes), Some(name)) = (bytes(line), function.take())
            && bytes != Bytes::default()
        {
            found.push((name.to_owned(), bytes));
        }
    }
    found
}

/// Reads such a line: `24 bytes stack frame, 20 bytes spill stores, 20 bytes spill loads`.
fn bytes(line: &str) -> Option<Bytes> {
    let of = |part: Option<&str>, name| part?.trim().strip_suffix(name)?.parse().ok();
    let mut parts = line.split(',');
    Some(Bytes {
        stack: of(parts.next(), " bytes stack frame")?,
        stores: of(parts.next(), " bytes spill stores")?,
        loads: of(parts.next(), " bytes spill loads")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_assembler_says() {
        let said = "ptxas info    : 0 bytes gmem\n\
                    ptxas info    : Compiling entry function 'a' for 'sm_90'\n\
                    ptxas info    : Function properties for a\n    \
                    24 bytes stack frame, 20 bytes spill stores, 16 bytes spill loads\n\
                    ptxas info    : Used 64 registers, used 1 barriers, 24 bytes cumulative stack size\n\
                    ptxas info    : Compiling entry function 'b' for 'sm_90'\n\
                    ptxas info    : Function properties for b\n    \
                    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n";
        assert_eq!(parse(said), [("a".into(), Bytes { stack: 24, stores: 20, loads: 16 })]);
    }

    #[test]
    fn the_architecture_of_a_module() {
        assert_eq!(architecture(".version 8.0\n.target sm_75\n"), "sm_90");
        assert_eq!(architecture(".target sm_90a, debug\n"), "sm_90a");
    }
}
