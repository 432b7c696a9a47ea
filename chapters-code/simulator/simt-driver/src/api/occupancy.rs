//! Occupancy.

use std::ffi::{c_int, c_uint};

use simt::DEVICE;

use super::launch::cluster_of;
use crate::entry::api;
use crate::error::{CUresult, Result};
use crate::module::{self, Function};
use crate::occupancy::{active_clusters, dynamic_shared};
use crate::profile;
use crate::types::{CUfunction, CUlaunchConfig, CUoccupancyB2DSize, In, Out};

api! {
    /// Blocks that a multiprocessor holds.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: Out<c_int>,
        function: CUfunction,
        threads: c_int,
        dynamic: usize,
    ) {
        blocks.set(resident(function, threads, dynamic)?)
    }

    /// The same: caching has no influence on compute capability 9.0.
    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<c_int>,
        function: CUfunction,
        threads: c_int,
        dynamic: usize,
        _flags: c_uint,
    ) {
        blocks.set(resident(function, threads, dynamic)?)
    }

    /// The block size with the most resident threads, and the grid that fills the device.
    fn cuOccupancyMaxPotentialBlockSize(
        grid: Out<c_int>,
        threads: Out<c_int>,
        function: CUfunction,
        dynamic_of: CUoccupancyB2DSize,
        dynamic: usize,
        limit: c_int,
    ) {
        best_block((&grid, &threads), &*module::function(function)?, dynamic_of, dynamic, limit)
    }

    /// The same answer as `cuOccupancyMaxPotentialBlockSize`. The flags change nothing here.
    fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        grid: Out<c_int>,
        threads: Out<c_int>,
        function: CUfunction,
        dynamic_of: CUoccupancyB2DSize,
        dynamic: usize,
        limit: c_int,
        _flags: c_uint,
    ) {
        best_block((&grid, &threads), &*module::function(function)?, dynamic_of, dynamic, limit)
    }

    /// Dynamic shared memory that each block can have if `blocks` blocks are resident.
    fn cuOccupancyAvailableDynamicSMemPerBlock(
        bytes: Out<usize>,
        function: CUfunction,
        blocks: c_int,
        threads: c_int,
    ) {
        let function = module::function(function)?;
        let most = function.blocks_per_multiprocessor(positive(threads)?, 0);
        let blocks = positive(blocks)?;
        if blocks > most {
            let cause = format!("{blocks} blocks do not fit on a multiprocessor: {most} do");
            return Err(CUresult::INVALID_VALUE.because(cause));
        }
        let left = dynamic_shared(blocks, function.kernel.ir().static_shared_bytes);
        bytes.set(left.min(function.dynamic_shared()) as usize)
    }

    /// Clusters that the device holds.
    fn cuOccupancyMaxActiveClusters(
        clusters: Out<c_int>,
        function: CUfunction,
        config: In<CUlaunchConfig>,
    ) {
        let config = config.get()?;
        let function = &*module::function(function)?;
        let shape = function.checked_cluster(cluster_of(&config)?)?.unwrap_or([1; 3]);
        let threads = config.block.iter().product();
        let each = function.blocks_per_multiprocessor(threads, config.shared_mem_bytes as usize);
        clusters.set(active_clusters(shape.iter().product(), each) as c_int)
    }

    /// The largest cluster of which the device holds one.
    fn cuOccupancyMaxPotentialClusterSize(
        size: Out<c_int>,
        function: CUfunction,
        config: In<CUlaunchConfig>,
    ) {
        let config = config.get()?;
        let function = &*module::function(function)?;
        let threads = config.block.iter().product();
        if function.blocks_per_multiprocessor(threads, config.shared_mem_bytes as usize) == 0 {
            let cause = "no block of the function fits the device";
            return Err(CUresult::INVALID_VALUE.because(cause));
        }
        let most = function.kernel.ir().clusters.most.unwrap_or(DEVICE.max_cluster);
        let declared = function.cluster().map(|shape| shape.iter().product());
        size.set(declared.unwrap_or(most.min(DEVICE.max_cluster)) as c_int)
    }
}

fn positive(value: c_int) -> Result<u32> {
    let value = u32::try_from(value).ok().filter(|&n| n > 0);
    value.ok_or_else(|| CUresult::INVALID_VALUE.because("a number of blocks or threads below 1"))
}

fn resident(function: CUfunction, threads: c_int, dynamic: usize) -> Result<c_int> {
    let threads = positive(threads)?;
    Ok(module::function(function)?.blocks_per_multiprocessor(threads, dynamic) as c_int)
}

/// Sets the smallest grid that fills the device, and its block size: of all whole numbers of warps the one with the most
/// resident threads, and of equals the largest.
fn best_block(
    (grid, best_threads): (&Out<c_int>, &Out<c_int>),
    function: &Function,
    dynamic_of: CUoccupancyB2DSize,
    dynamic: usize,
    limit: c_int,
) -> Result {
    let most = match u32::try_from(limit) {
        Ok(limit) if limit > 0 => limit.min(function.max_threads()),
        _ => function.max_threads(),
    };
    let shared = |threads: u32| match dynamic_of {
        // SAFETY: the C caller gave a function of this type.
        Some(bytes) => unsafe { bytes(threads as c_int) },
        None => dynamic,
    };
    let sizes = (1..=most.div_ceil(profile::WARP)).map(|warps| (warps * profile::WARP).min(most));
    let each = sizes.map(|n| (n, function.blocks_per_multiprocessor(n, shared(n))));
    let best = each.max_by_key(|&(threads, blocks)| threads * blocks);
    let Some((threads, blocks)) = best.filter(|&(_, blocks)| blocks > 0) else {
        return Err(CUresult::INVALID_VALUE.because("no block of the function fits the device"));
    };
    grid.set((blocks * DEVICE.multiprocessors) as c_int)?;
    best_threads.set(threads as c_int)
}
