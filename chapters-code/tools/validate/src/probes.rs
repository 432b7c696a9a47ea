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

/// How many patterns a kernel is tried with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patterns {
    Few,
    All,
    /// All, and those that show which lanes are served together.
    Groups,
}
use Patterns::{All, Few, Groups};

/// The kernels for shared memory, with the bytes that each lane accesses.
const SHARED: [(&str, u32, Patterns); 31] = [
    ("load_u8", 1, Few),
    ("load_u16", 2, Few),
    ("load_u32", 4, Groups),
    ("load_v2", 8, Groups),
    ("load_v4", 16, Groups),
    ("store_u8", 1, Few),
    ("store_u16", 2, Few),
    ("store_u32", 4, All),
    ("store_v2", 8, Groups),
    ("store_v4", 16, Groups),
    ("atom_add_u32", 4, All),
    ("red_add_u32", 4, Few),
    ("atom_count", 4, Few),
    ("red_count", 4, All),
    ("atom_min_s32", 4, Few),
    ("red_min_s32", 4, Few),
    ("atom_or_b32", 4, Few),
    ("red_or_b32", 4, Few),
    ("atom_inc_u32", 4, Few),
    ("red_inc_u32", 4, Few),
    ("atom_exch_b32", 4, Few),
    ("atom_exch_b64", 8, Groups),
    ("atom_cas_b32", 4, All),
    ("atom_cas_b64", 8, Few),
    ("atom_add_f32", 4, Few),
    ("red_add_f32", 4, All),
    ("atom_add_u64", 8, Few),
    ("red_add_u64", 8, Groups),
    ("red_add_f64", 8, Few),
    ("atom_add_f16x2", 4, Few),
    ("red_add_f16x2", 4, Few),
];

/// The same for global memory.
const GLOBAL: [(&str, u32, Patterns); 32] = [
    ("load_u8", 1, Few),
    ("load_u16", 2, Few),
    ("load_u32", 4, All),
    ("load_v2", 8, All),
    ("load_v4", 16, All),
    ("load_nc", 4, Few),
    ("load_volatile", 4, Few),
    ("store_u8", 1, Few),
    ("store_u16", 2, Few),
    ("store_u32", 4, All),
    ("store_v2", 8, All),
    ("store_v4", 16, All),
    ("atom_add_u32", 4, All),
    ("red_add_u32", 4, All),
    ("atom_count", 4, Few),
    ("red_count", 4, Few),
    ("atom_min_s32", 4, Few),
    ("red_min_s32", 4, Few),
    ("atom_or_b32", 4, Few),
    ("red_or_b32", 4, Few),
    ("atom_exch_b32", 4, Few),
    ("atom_cas_b32", 4, Few),
    ("atom_cas_b64", 8, Few),
    ("atom_add_f32", 4, Few),
    ("red_add_f32", 4, All),
    ("atom_add_u64", 8, All),
    ("red_add_u64", 8, All),
    ("atom_max_u64", 8, Few),
    ("red_max_u64", 8, Few),
    ("red_add_f64", 8, Few),
    ("atom_add_f16x2", 4, Few),
    ("red_add_f16x2", 4, Few),
];

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
    let kernels: &[_] = match memory {
        Memory::Shared => &SHARED,
        Memory::Global => &GLOBAL,
    };
    let with = |&(kernel, bytes, which): &(&'static str, u32, Patterns)| {
        let patterns = match which {
            All => patterns::all(),
            Few => patterns::few(),
            Groups => [patterns::all(), patterns::mixed()].concat(),
        };
        patterns.into_iter().map(move |pattern| Probe {
            memory,
            kernel,
            bytes,
            pattern: pattern.name,
            offsets: pattern.units.map(|unit| Some(unit? * bytes)),
        })
    };
    kernels.iter().flat_map(with).collect()
}

/// Launches all probes of one memory, and hands each to `done`.
pub(crate) fn all(
    device: &Device,
    memory: Memory,
    done: &mut dyn FnMut(Launch) -> Result<()>,
) -> Result<()> {
    let ptx = match memory {
        Memory::Shared => SHARED_PTX,
        Memory::Global => GLOBAL_PTX,
    };
    let module = device.context.load_module(Ptx::from_src(ptx))?;
    for probe in list(memory) {
        device.take_report()?;
        launch(device, &module, &probe).context(probe.kernel)?;
        device.finish(probe.kernel)?;
        named(device.take_report()?, &probe.pattern).into_iter().try_for_each(&mut *done)?;
    }
    Ok(())
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
