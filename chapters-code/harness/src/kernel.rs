//! From PTX text to a module of the device.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use cudarc::{
    driver::{
        CudaFunction, CudaModule, DriverError, LaunchConfig,
        sys::{CUfunction_attribute, CUresult},
    },
    nvrtc::Ptx,
};

use crate::{Device, Error, device::Properties, typed::Rung};

/// Loads the newest of several PTX texts that the device's compute capability allows. A text that
/// the device has loaded before is not compiled again.
///
/// `name` is what messages call the module: its kernel file.
///
/// # Errors
/// [`Error::Module`] with the remedy where the device is older than every target, the driver is too
/// old for the PTX, or the text is not PTX.
pub fn load_module(device: &Device, name: &str, ptx: &[&str]) -> Result<Arc<CudaModule>, Error> {
    let fail = |(reason, remedy): Refusal| Error::Module {
        module: name.into(),
        reason,
        remedy,
    };
    let text = newest_that_fits(device, ptx).map_err(fail)?;
    let key = hash(text);
    if let Some(module) = device.modules().get(&key) {
        return Ok(module.clone());
    }
    let module = device
        .context
        .load_module(Ptx::from_src(text))
        .map_err(|error| fail(refusal(device, error)))?;
    device.modules().insert(key, module.clone());
    Ok(module)
}

/// Why a module cannot be had, and what mends it.
type Refusal = (String, &'static str);

fn newest_that_fits<'p>(device: &Device, ptx: &[&'p str]) -> Result<&'p str, Refusal> {
    let Properties {
        name,
        compute_capability: (major, minor),
        ..
    } = &device.properties;
    let fits = |text: &&&str| target(text) <= (major * 10 + minor) as u32;
    let Some(&text) = ptx.iter().filter(fits).max_by_key(|text| target(text)) else {
        let need = ptx.iter().map(|text| target(text)).min().unwrap_or(0);
        let (need_major, need_minor) = (need / 10, need % 10);
        let reason = format!(
            "it is compiled for compute capability {need_major}.{need_minor}, and {name} has \
             {major}.{minor}"
        );
        return Err((
            reason,
            "leave this kernel out with --kernel, or use `--device sim`",
        ));
    };
    // cudarc hands the text on as a C string.
    match text.contains('\0') {
        true => Err((
            "the text contains a NUL byte".into(),
            "run `cargo xtask ptx`",
        )),
        false => Ok(text),
    }
}

fn refusal(device: &Device, error: DriverError) -> Refusal {
    match error.0 {
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => (
            "the driver is older than the PTX".into(),
            "update NVIDIA's driver to version 525 or newer",
        ),
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU => (
            format!("it has no code for {}", device.properties.name),
            "use `--device sim`",
        ),
        _ => (
            device
                .explain("the driver refused the PTX", error)
                .to_string(),
            "run `cargo xtask ptx` to compile the kernel anew",
        ),
    }
}

/// Adds the cause and the remedy to an error of the driver while a rung was prepared.
pub fn explain(device: &Device, rung: &Rung, error: Error) -> Error {
    let code = match &error {
        Error::Driver { error, .. } => error.0.0,
        _ => return error,
    };
    let refused = matches!(
        code,
        CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION
            | CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU
            | CUresult::CUDA_ERROR_INVALID_PTX
            | CUresult::CUDA_ERROR_NOT_FOUND
    );
    if !refused {
        return error;
    }
    let (reason, remedy) = match code {
        CUresult::CUDA_ERROR_NOT_FOUND => (
            "its PTX has no kernel of that name".into(),
            "run `cargo xtask ptx` to compile the kernel anew",
        ),
        _ => refusal(device, DriverError(code)),
    };
    Error::Module {
        module: rung.name.into(),
        reason,
        remedy,
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The entry point `name` of a module.
///
/// # Errors
/// [`Error::Module`] where it has none of that name.
pub fn load_function(module: &Arc<CudaModule>, name: &str) -> Result<CudaFunction, Error> {
    let fail = |reason| Error::Module {
        module: name.into(),
        reason,
        remedy: "`--list` shows what there is",
    };
    if name.contains('\0') {
        return Err(fail("a kernel's name holds no NUL".into()));
    }
    let missing = |error| fail(format!("no such kernel: {}", crate::error::Cuda(error)));
    module.load_function(name).map_err(missing)
}

/// A launch of so many blocks of so many threads, in one dimension and without dynamic shared memory.
pub const fn grid(blocks: u64, threads: u32) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// The least compute capability, times ten, that one of the PTX texts is for.
pub fn lowest_target(ptx: &[&str]) -> i32 {
    ptx.iter()
        .map(|text| target(text) as i32)
        .min()
        .unwrap_or(0)
}

/// Whether one of the PTX texts has an entry point of this name.
pub fn has_entry(ptx: &[&str], name: &str) -> bool {
    ptx.iter().any(|text| {
        text.match_indices(".entry ").any(|(at, entry)| {
            let rest = text[at + entry.len()..].trim_start();
            rest.strip_prefix(name)
                .is_some_and(|after| !after.starts_with(is_identifier))
        })
    })
}

/// The compute capability that a text is compiled for, times ten; 0 where it says nothing.
fn target(ptx: &str) -> u32 {
    let after = ptx.split(".target sm_").nth(1).unwrap_or("");
    let digits = after
        .split(|c: char| !c.is_ascii_digit())
        .next()
        .unwrap_or("");
    digits.parse().unwrap_or(0)
}

fn is_identifier(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '$'
}

/// Lets a kernel have as much dynamic shared memory as its launch gives it.
///
/// # Errors
/// [`Error::Driver`] where a block cannot have so much.
pub fn allow_shared(kernel: &CudaFunction, config: &LaunchConfig) -> Result<(), Error> {
    let most = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    let bytes = config.shared_mem_bytes;
    kernel
        .set_attribute(most, bytes as i32)
        .map_err(|error| Error::driver(format!("asking for {bytes} bytes of shared memory"), error))
}

/// The number of stages of `stage` bytes for which a block has shared memory, beside `other` bytes that
/// the kernel declares itself. The kernel needs `least` stages.
///
/// # Errors
/// [`Error::Module`] where the device has no room for `least` stages.
pub fn stages_that_fit(
    device: &Device,
    rung: &Rung,
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
/// [`Error::Driver`] where the driver does not say.
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
    fn entries_are_found_by_their_whole_name() {
        let ptx = [".visible .entry sum_f32(\n\t.param .u64 sum_f32_param_0\n)"];
        assert!(has_entry(&ptx, "sum_f32"));
        assert!(!has_entry(&ptx, "sum_f3"));
        assert!(!has_entry(&ptx, "sum_f32_param_0"));
    }
}
