//! What can be asked of a function, and set: `CU_FUNC_ATTRIBUTE_…`.

use simt::DEVICE;

use crate::error::{CUresult, Result};
use crate::module::Function;
use crate::occupancy::{Block, SCHEDULERS};
use crate::profile;
use crate::state::lock;

/// What an assembler takes beyond the values that are live: addresses at hand, loads moved up,
/// pairs aligned. With this many, all recorded kernels but two have the occupancy that their registers give
/// them on an H200, at every size of block, and seven in ten are within 5 registers of those
/// (`tools/validate/tests/registers.rs`).
const REGISTERS_BESIDE: u32 = 6;
/// Registers of a thread, at most.
const MOST_REGISTERS: u32 = 255;
/// Registers are handed out in units of this many a thread.
const REGISTER_UNIT: u32 = 8;

impl Function {
    /// The name of the function.
    pub fn name(&self) -> &str {
        &self.kernel.ir().name
    }

    /// Threads of a block, at most.
    pub fn max_threads(&self) -> u32 {
        let declared = self.kernel.ir().max_threads.unwrap_or(DEVICE.max_block_threads);
        declared.min(DEVICE.max_block_threads)
    }

    /// Registers a thread: an estimate of what an assembler would give it, from the values that
    /// are live at once. As an assembler does, it keeps to what the declared block can have.
    pub fn registers(&self) -> u32 {
        *self.registers.get_or_init(|| {
            let ir = self.kernel.ir();
            let threads = ir.max_threads.map_or(1, |n| n.clamp(1, DEVICE.max_block_threads));
            let blocks = ir.min_blocks.unwrap_or(1);
            let warps = threads.div_ceil(profile::WARP) * blocks.clamp(1, DEVICE.resident_blocks);
            let a_warp = DEVICE.registers / SCHEDULERS / warps.div_ceil(SCHEDULERS);
            let share = a_warp / profile::WARP / REGISTER_UNIT * REGISTER_UNIT;
            (ir.live_registers() + REGISTERS_BESIDE).min(share.clamp(REGISTER_UNIT, MOST_REGISTERS))
        })
    }

    /// Bytes of dynamic shared memory, at most.
    pub fn dynamic_shared(&self) -> u32 {
        lock(&self.settings).dynamic_shared
    }

    /// Blocks of `threads` threads with `dynamic` bytes of dynamic shared memory that a
    /// multiprocessor holds; none if the function may not have that many threads.
    pub fn blocks_per_multiprocessor(&self, threads: u32, dynamic: usize) -> u32 {
        if threads > self.max_threads() || dynamic > self.dynamic_shared() as usize {
            return 0;
        }
        let shared = self.kernel.shared_bytes(u32::try_from(dynamic).unwrap_or(u32::MAX));
        Block { threads, registers: self.registers(), shared }.per_multiprocessor()
    }

    /// The value of a `CUfunction_attribute`.
    pub fn attribute(&self, number: u32) -> Result<i32> {
        let ir = self.kernel.ir();
        let settings = *lock(&self.settings);
        let (major, minor) = DEVICE.compute_capability;
        let value = match number {
            0 => self.max_threads(),
            1 => ir.static_shared_bytes,
            2 => self.constant_bytes,
            3 => ir.local_bytes,
            4 => self.registers(),
            5 => self.target,
            6 => major * 10 + minor,
            7 => 0,
            8 => settings.dynamic_shared,
            9 => return Ok(settings.carveout),
            10 => u32::from(ir.clusters.explicit),
            11..=13 => self.cluster().map_or(0, |shape| shape[number as usize - 11]),
            14 => u32::from(settings.large_clusters),
            15 => 0,
            _ => return Err(unknown(number)),
        };
        Ok(i32::try_from(value).unwrap_or(i32::MAX))
    }

    /// Sets a `CUfunction_attribute` that can be set.
    pub fn set_attribute(&self, number: u32, value: i32) -> Result {
        let mut settings = lock(&self.settings);
        match number {
            8 => settings.dynamic_shared = self.checked_dynamic_shared(value)?,
            9 if (-1..=100).contains(&value) => settings.carveout = value,
            11..=13 => {
                settings.cluster[number as usize - 11] = self.checked_extent(number, value)?
            }
            14 => settings.large_clusters = value != 0,
            // A preference for the scheduling of clusters, which has no effect.
            15 => {}
            9 => return Err(CUresult::INVALID_VALUE.because(format!("a carveout of {value}"))),
            _ => return Err(unknown(number)),
        }
        Ok(())
    }

    /// The blocks of a cluster, if the kernel declares it or the attributes set it.
    pub fn cluster(&self) -> Option<[u32; 3]> {
        let set = lock(&self.settings).cluster;
        let set = set.iter().any(|&n| n > 0).then(|| set.map(|n| n.max(1)));
        self.kernel.ir().clusters.required.or(set)
    }

    /// The blocks of a cluster, at most.
    pub fn most_in_cluster(&self) -> u32 {
        let most = match lock(&self.settings).large_clusters {
            true => DEVICE.max_cluster,
            false => DEVICE.portable_cluster,
        };
        self.kernel.ir().clusters.most.map_or(most, |declared| declared.min(most))
    }

    /// The blocks of a cluster of a launch that asks for these, if it asks.
    pub fn checked_cluster(&self, asked: Option<[u32; 3]>) -> Result<Option<[u32; 3]>> {
        let invalid = |cause: String| Err(CUresult::INVALID_CLUSTER_SIZE.because(cause));
        let own = self.cluster();
        let Some(shape) = asked.or(own) else { return Ok(None) };
        if own.is_some_and(|own| own != shape) {
            return invalid(format!(
                "clusters of {shape:?} blocks, where the function has {own:?}"
            ));
        }
        let blocks: u128 = shape.map(u128::from).iter().product();
        let most = self.most_in_cluster();
        if !(1..=most.into()).contains(&blocks) {
            return invalid(format!(
                "clusters of {shape:?} blocks: 1 to {most} in all, up to {} with \
                 CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED",
                DEVICE.max_cluster
            ));
        }
        Ok(Some(shape))
    }

    /// Checks an extent of a cluster, which must not differ from the declared one.
    fn checked_extent(&self, number: u32, value: i32) -> Result<u32> {
        let declared = self.kernel.ir().clusters.required.map(|shape| shape[number as usize - 11]);
        let extent = u32::try_from(value).ok();
        extent.filter(|extent| declared.is_none_or(|own| own == *extent)).ok_or_else(|| {
            CUresult::INVALID_VALUE.because(format!(
                "clusters of {value} blocks for `{}`, which declares {declared:?}",
                self.name()
            ))
        })
    }

    fn checked_dynamic_shared(&self, value: i32) -> Result<u32> {
        let fixed = self.kernel.ir().static_shared_bytes;
        let most = DEVICE.shared_block_opt_in.saturating_sub(fixed);
        u32::try_from(value).ok().filter(|&bytes| bytes <= most).ok_or_else(|| {
            CUresult::INVALID_VALUE.because(format!(
                "{value} bytes of dynamic shared memory for `{}`: at most {most} beside its \
                 {fixed} static ones",
                self.name()
            ))
        })
    }
}

fn unknown(number: u32) -> crate::error::Failure {
    CUresult::INVALID_VALUE.because(format!("no function attribute {number} to read or set"))
}
