//! Probes of shared memory: one instruction of each width at many patterns of addresses.

use anyhow::{Context, Result};
use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::simulator::Report;
use harness::{Device, kernel};

/// How often a probe executes its instruction.
pub const REPEATS: u64 = 16;
const PTX: &str = include_str!("../kernels/shared_probe.ptx");
const SHARED_BYTES: u32 = 32 * 1024;

/// The kernels, with the bytes that each lane accesses.
pub const KERNELS: [(&str, u32); 9] = [
    ("load4", 4),
    ("load8", 8),
    ("load16", 16),
    ("store4", 4),
    ("store8", 8),
    ("store16", 16),
    ("atom4", 4),
    ("red4", 4),
    ("count4", 4),
];

/// One probe.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The kernel.
    pub kernel: &'static str,
    /// The pattern's name.
    pub pattern: String,
    /// The bytes' offset in shared memory, of each lane.
    pub offsets: [u32; 32],
}

/// All probes, in the order in which they are launched.
pub fn list() -> Vec<Probe> {
    let with = |(kernel, bytes): (&'static str, u32)| {
        patterns().into_iter().map(move |(pattern, units)| Probe {
            kernel,
            pattern,
            offsets: units.map(|unit| unit * bytes),
        })
    };
    KERNELS.into_iter().flat_map(with).collect()
}

/// Patterns in units of the access's width: strides, broadcasts of several shapes, and seeded
/// random ones over small and large ranges.
fn patterns() -> Vec<(String, [u32; 32])> {
    let mut all: Vec<(String, [u32; 32])> = Vec::new();
    let mut add = |name: String, f: &dyn Fn(u32) -> u32| {
        all.push((name, std::array::from_fn(|lane| f(lane as u32))));
    };
    for stride in [0, 1, 2, 3, 4, 8, 16, 31, 32, 33] {
        add(format!("stride_{stride}"), &|l| l * stride);
    }
    for group in [2, 4, 8, 16] {
        add(format!("same_in_groups_of_{group}"), &|l| l / group);
        add(format!("same_in_groups_of_{group}_far"), &|l| {
            l / group * 32
        });
        add(format!("repeats_after_{group}"), &|l| l % group);
        add(format!("repeats_after_{group}_far"), &|l| l % group * 32);
    }
    add("pairs_swapped".into(), &|l| l ^ 1);
    add("halves_swapped".into(), &|l| l ^ 16);
    add("reversed".into(), &|l| 31 - l);
    add("even_lanes_one_word".into(), &|l| {
        if l % 2 == 0 { 0 } else { l }
    });
    add("half_conflicts".into(), &|l| {
        if l < 16 { l } else { l * 32 }
    });
    add("quarter_conflicts".into(), &|l| {
        if l < 8 { l * 32 } else { l }
    });
    for (range, count) in [(4, 3), (16, 3), (64, 4), (512, 6), (2048, 6)] {
        for seed in 0..count {
            let mut state = 1 + u64::from(range) * 1000 + seed;
            let values: [u32; 32] = std::array::from_fn(|_| {
                // Marsaglia's xorshift64 (2003).
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                (state >> 33) as u32 % range
            });
            add(format!("random_{range}_{seed}"), &|l| values[l as usize]);
        }
    }
    all
}

/// Launches all probes, and hands each to `done` with what the simulator saw.
///
/// # Errors
/// Where a probe cannot be launched, and what `done` returns.
pub fn all(device: &Device, done: &mut dyn FnMut(&Probe, Report) -> Result<()>) -> Result<()> {
    let module = kernel::load_module(device, "shared_probe", &[PTX])?;
    let mut out = device.stream.alloc_zeros::<u32>(32)?;
    let config = LaunchConfig {
        grid_dim: (1, 1, 1),
        block_dim: (32, 1, 1),
        shared_mem_bytes: SHARED_BYTES,
    };
    for probe in list() {
        let function = kernel::load_function(&module, probe.kernel)?;
        let offsets = device.stream.clone_htod(&probe.offsets)?;
        device.take_report();
        let mut launch = device.stream.launch_builder(&function);
        launch.arg(&offsets).arg(&mut out);
        // SAFETY: (const u32* offsets, u32* out): 32 of each, and every offset plus the access's
        // width lies within the dynamic shared memory, as `tests::offsets_fit` shows.
        unsafe { launch.launch(config) }.context(probe.kernel)?;
        device.finish(probe.kernel)?;
        done(&probe, device.take_report())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_fit() {
        for probe in list() {
            let bytes = KERNELS
                .iter()
                .find(|(k, _)| *k == probe.kernel)
                .map_or(0, |k| k.1);
            for offset in probe.offsets {
                assert!(offset + bytes <= SHARED_BYTES, "{probe:?}");
                assert_eq!(offset % bytes, 0, "{probe:?}");
            }
        }
    }
}
