//! From PTX text to a module of the device.

use std::{
    collections::HashMap,
    fmt,
    ops::Deref,
    sync::{LazyLock, Mutex, PoisonError},
};

use cudarc::{
    driver::{CudaFunction, LaunchConfig, sys::CUresult},
    nvrtc::Ptx,
};

use crate::{Device, Error, Rung, Task, verify};

/// The text of a `.ptx` file, which the program holds compressed. [`ptx!`](crate::ptx) makes one.
#[derive(Clone, Copy)]
pub struct PtxText(&'static [u8]);

/// The text of a `.ptx` file of this package, as a [`PtxText`]: `ptx!("kernels/sequential.ptx")`.
#[macro_export]
macro_rules! ptx {
    ($($path:literal)+) => {
        $crate::PtxText::from_lz4($crate::lz4!($($path)+))
    };
}

impl PtxText {
    /// What `embed::lz4!` made of a text.
    pub const fn from_lz4(compressed: &'static [u8]) -> Self {
        Self(compressed)
    }
}

impl Deref for PtxText {
    type Target = str;

    /// The text. It is decompressed at the first call and kept until the program ends.
    fn deref(&self) -> &'static str {
        static TEXTS: LazyLock<Mutex<HashMap<usize, &'static str>>> = LazyLock::new(Mutex::default);
        let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
        texts.entry(self.0.as_ptr().addr()).or_insert_with(|| {
            let text = lz4_flex::decompress_size_prepended(self.0);
            let text = text.ok().and_then(|bytes| String::from_utf8(bytes).ok());
            Box::leak(text.expect("`embed::lz4!` compressed a text").into_boxed_str())
        })
    }
}

impl From<PtxText> for String {
    fn from(text: PtxText) -> Self {
        (*text).to_owned()
    }
}

impl fmt::Debug for PtxText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PtxText({} bytes)", self.len())
    }
}

/// The kernel `entry` of a PTX text, for the kernels of the harness itself. A rung loads its kernels by
/// itself.
///
/// # Errors
/// [`Error::Driver`] if the driver refuses the text, or the text has no such kernel.
pub fn load(device: &Device, ptx: &str, entry: &str) -> Result<CudaFunction, Error> {
    let module = device.context.load_module(Ptx::from_src(ptx));
    let loaded = module.and_then(|module| module.load_function(entry));
    loaded.map_err(|error| device.explain(&format!("loading {entry}"), error))
}

/// Adds the cause and the remedy to an error of the driver while a rung was prepared.
pub fn explain(device: &Device, rung: &Rung<impl Task>, error: Error) -> Error {
    use CUresult::*;
    const COMPILE: &str = "run `cargo xtask ptx` to compile the kernel anew";
    let Error::Driver { error: code, .. } = &error else {
        return error;
    };
    let (reason, remedy) = match code.0.0 {
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION => (
            "the driver is older than the PTX".into(),
            "update NVIDIA's driver to version 525 or newer",
        ),
        CUDA_ERROR_NO_BINARY_FOR_GPU => {
            (format!("it has no code for {}", device.properties.name), "use `--device sim`")
        }
        CUDA_ERROR_NOT_FOUND => ("its PTX has no kernel of that name".into(), COMPILE),
        CUDA_ERROR_INVALID_PTX | CUDA_ERROR_INVALID_IMAGE => {
            (device.explain("the driver refused the PTX", code.0).to_string(), COMPILE)
        }
        _ => return error,
    };
    Error::Module { module: rung.name.into(), reason, remedy }
}

/// A one-dimensional launch of `blocks` blocks of `threads` threads, without dynamic shared memory.
pub const fn grid(blocks: u64, threads: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// Whether a PTX text has an entry point of this name.
pub fn has_entry(ptx: &str, name: &str) -> bool {
    ptx.match_indices(".entry ").any(|(at, entry)| {
        let rest = ptx[at + entry.len()..].trim_start();
        rest.strip_prefix(name).is_some_and(|after| !after.starts_with(is_identifier))
    })
}

/// The compute capability that a text is compiled for, times ten; 0 if it says nothing.
pub fn target(ptx: &str) -> u32 {
    let after = ptx.split(".target sm_").nth(1).unwrap_or("");
    let digits = after.split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
    digits.parse().unwrap_or(0)
}

/// A number of 64 bits, in hexadecimal, that stands for the instructions of a PTX text: its FNV-1a hash without comments,
/// line positions and debugging sections.
pub fn fingerprint(ptx: &str) -> String {
    let lines = ptx.lines().map(str::trim).take_while(|line| !line.starts_with(".section"));
    let counts = |line: &&str| {
        let is_position = line.starts_with(".loc") || line.starts_with(".file");
        !(line.is_empty() || line.starts_with("//") || is_position)
    };
    let bytes = lines.filter(counts).flat_map(|line| line.bytes().chain([b'\n']));
    format!("{:016x}", verify::fnv1a(bytes))
}

fn is_identifier(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// The number of stages of `stage` bytes for which a block has shared memory, beside `other` bytes that
/// the kernel declares itself. The kernel needs `least` stages.
///
/// # Errors
/// [`Error::Module`] if the device has no room for `least` stages.
pub fn stages_that_fit(
    device: &Device,
    rung: &Rung<impl Task>,
    other: u32,
    least: u32,
    stage: u32,
) -> Result<u32, Error> {
    let room = device.properties.shared_bytes_a_block;
    let needed = other + least * stage;
    if needed <= room {
        return Ok((room - other) / stage);
    }
    let name = &device.properties.name;
    Err(Error::Module {
        module: rung.name.into(),
        reason: format!(
            "its blocks need {needed} bytes of shared memory, and {name} has {room} for one"
        ),
        remedy: "leave this kernel out with --kernel, or use `--device sim`",
    })
}

/// What one launch of a kernel takes from a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Usage {
    /// Registers of a thread.
    pub registers: u32,
    /// Threads that a multiprocessor holds at once, as a fraction of what it could.
    pub occupancy: f64,
}

/// Asks the driver what a launch takes.
///
/// # Errors
/// [`Error::Driver`] if the driver does not say.
pub fn usage(
    device: &Device,
    kernel: &CudaFunction,
    config: &LaunchConfig,
) -> Result<Usage, Error> {
    let asking = |error| Error::driver("asking for a kernel's occupancy", error);
    let (x, y, z) = config.block_dim;
    let threads = x * y * z;
    let shared = config.shared_mem_bytes as usize;
    let blocks = kernel
        .occupancy_max_active_blocks_per_multiprocessor(threads, shared, None)
        .map_err(asking)?;
    let most = device.properties.threads_per_multiprocessor.max(1);
    Ok(Usage {
        registers: kernel.num_regs().map_err(asking)?.max(0) as u32,
        occupancy: f64::from(blocks * threads) / f64::from(most),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_is_read_from_the_text() {
        assert_eq!(target(".version 8.0\n.target sm_75\n.address_size 64"), 75);
        assert_eq!(target(".target sm_90a, debug"), 90);
        assert_eq!(target("nonsense"), 0);
    }

    #[test]
    fn a_fingerprint_is_of_the_instructions() {
        let text =
            "// a comment\n.version 8.0\n\t.loc 1 2 3\n\tadd.s32 %r1, %r2, %r3;\n.section .debug";
        assert_eq!(fingerprint(text), fingerprint(".version 8.0\nadd.s32 %r1, %r2, %r3;\n"));
        assert_ne!(fingerprint(text), fingerprint(".version 8.0\nadd.s32 %r1, %r2, %r2;\n"));
    }

    #[test]
    fn entries_are_found_by_their_whole_name() {
        let ptx = ".visible .entry sum_f32(\n\t.param .u64 sum_f32_param_0\n)";
        assert!(has_entry(ptx, "sum_f32"));
        assert!(!has_entry(ptx, "sum_f3"));
        assert!(!has_entry(ptx, "sum_f32_param_0"));
    }
}
