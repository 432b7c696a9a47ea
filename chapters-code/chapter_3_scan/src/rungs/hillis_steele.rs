//! In step k, every thread combines its value with the value 2^k before it.

use cudarc::driver::LaunchConfig;
use harness::{Element, Prepared, ptx};

use crate::{
    Rung,
    problem::{PrefixScan, vectors_only},
};

/// The rung `hillis_steele`.
pub static RUNG: Rung = Rung::new(
    "hillis_steele",
    "log2 B steps, in which every thread works",
    ptx!("kernels/hillis_steele.ptx"),
)
.refuses(vectors_only);

/// Two buffers in shared memory, so that no step overwrites what it reads.
pub fn prepare<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    with_buffers(2, p, rung)
}

/// Scans blocks, then the aggregates of the blocks, until one block is left. Then adds the offsets of blocks.
pub fn with_buffers<T: Element>(
    buffers: u32,
    p: &PrefixScan<T>,
    rung: &Rung,
) -> Prepared<PrefixScan<T>> {
    let threads = p.threads(256);
    let tile = u64::from(threads); // elements per block
    let config = move |blocks: u64| LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: buffers * threads * size_of::<T>() as u32,
    };
    // On every level: the steps of a block. On all but the last, the addition of the block's offset.
    let steps = u64::from(threads.next_power_of_two().ilog2());
    let depth = move |levels| levels * steps + levels - 1;
    // SAFETY: hillis_steele.cu is as `in_levels` says.
    unsafe { p.in_levels(rung, tile, config, depth) }
}
