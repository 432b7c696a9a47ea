//! Probes of shared and of global memory: one instruction of each kind at many patterns of addresses.

use std::sync::Arc;

use anyhow::{Context, Result};
use cudarc::driver::{CudaModule, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::Device;

use crate::launches::{Launch, named};

pub mod patterns;

const SHARED_PTX: &str = include_str!("../kernels/shared_probe.ptx");
const GLOBAL_PTX: &str = include_str!("../kernels/global_probe.ptx");
/// The kernels, a line each: which memory, the name, the bytes that each lane accesses, and which patterns.
const KERNELS: &str = include_str!("../kernels/probes.txt");
/// The offset of a lane that takes no part.
const ABSENT: u32 = u32::MAX;
/// Bytes of the widest access at the last unit of a pattern.
const MEMORY_BYTES: u32 = patterns::UNITS * 16;

/// Which memory a probe accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Shared memory.
    Shared,
    /// Global memory.
    Global,
}

/// One probe.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Which memory it accesses.
    pub memory: Memory,
    /// The kernel.
    pub kernel: &'static str,
    /// Bytes that each lane accesses.
    pub bytes: u32,
    /// The pattern's name.
    pub pattern: String,
    /// The bytes' offset, of each lane that takes part.
    pub offsets: [Option<u32>; 32],
}

/// All probes of one memory, in the order in which they are launched.
pub fn list(memory: Memory) -> Vec<Probe> {
    let name = match memory {
        Memory::Shared => "shared ",
        Memory::Global => "global ",
    };
    KERNELS
        .lines()
        .filter_map(|line| line.strip_prefix(name))
        .flat_map(|line| of_kernel(memory, line))
        .collect()
}

/// The probes of the kernel that a line of [`KERNELS`] names.
fn of_kernel(memory: Memory, line: &'static str) -> impl Iterator<Item = Probe> {
    let [kernel, bytes, patterns] = line.split(' ').collect::<Vec<_>>()[..] else {
        panic!("`{line}` is no kernel, bytes and patterns");
    };
    let bytes = bytes.parse().expect("a number of bytes");
    let patterns = match patterns {
        "few" => patterns::few(),
        "all" => patterns::all(),
        // All, and those that show which lanes are served together.
        "groups" => [patterns::all(), patterns::mixed()].concat(),
        other => panic!("there are no patterns `{other}`"),
    };
    patterns.into_iter().map(move |pattern| Probe {
        memory,
        kernel,
        bytes,
        pattern: pattern.name,
        offsets: pattern.units.map(|unit| Some(unit? * bytes)),
    })
}

/// Launches all probes of one memory.
pub(crate) fn all(device: &Device, memory: Memory) -> Result<Vec<Launch>> {
    let ptx = match memory {
        Memory::Shared => SHARED_PTX,
        Memory::Global => GLOBAL_PTX,
    };
    let module = device.context.load_module(Ptx::from_src(ptx))?;
    let mut launches = Vec::new();
    for probe in list(memory) {
        device.take_report()?;
        launch(device, &module, &probe).context(probe.kernel)?;
        device.finish(probe.kernel)?;
        launches.extend(named(device.take_report()?, &probe.pattern));
    }
    Ok(launches)
}

fn launch(device: &Device, module: &Arc<CudaModule>, probe: &Probe) -> Result<()> {
    let function = module.load_function(probe.kernel)?;
    let stream = &device.stream;
    let offsets = stream.clone_htod(&probe.offsets.map(|offset| offset.unwrap_or(ABSENT)))?;
    let mut out = stream.alloc_zeros::<u32>(32)?;
    let mut memory = stream.alloc_zeros::<u8>(MEMORY_BYTES as usize)?;
    let mut launch = stream.launch_builder(&function);
    launch.arg(&offsets).arg(&mut out).arg(&0u32);
    let shared_mem_bytes = match probe.memory {
        Memory::Shared => MEMORY_BYTES,
        Memory::Global => {
            launch.arg(&mut memory);
            0
        }
    };
    let config = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes };
    // SAFETY: (const u32* offsets, u32* out, u32 step), and (u8* memory) for global memory: 32
    // offsets and results, and every offset plus the access's width lies within `memory` or the
    // dynamic shared memory, as `tests::offsets_fit` shows.
    unsafe { launch.launch(config) }?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_fit() {
        for probe in [Memory::Shared, Memory::Global].into_iter().flat_map(list) {
            for offset in probe.offsets.into_iter().flatten() {
                assert!(offset + probe.bytes <= MEMORY_BYTES, "{probe:?}");
                assert_eq!(offset % probe.bytes, 0, "{probe:?}");
            }
        }
    }
}
