//! A thread loads 16 bytes at a time and scans its own elements before its warp does.

use cudarc::driver::LaunchConfig;
use harness::{Element, Prepared, ptx};

use crate::{
    Rung,
    problem::{PrefixScan, tile_depth, vectors_only},
};

/// The rung `vectorized`.
pub static RUNG: Rung = Rung::new(
    "vectorized",
    "16-byte loads: a thread scans its own elements first",
    ptx!("kernels/vectorized.ptx"),
)
.refuses(vectors_only);

/// Scans blocks, then the aggregates of the blocks, until one block is left. Then adds the offsets of blocks.
pub fn prepare<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let threads = 256;
    let tile = 16_384 / size_of::<T>() as u64; // elements per block
    let config = move |blocks: u64| LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    };
    // On every level: a tile, the addition of the block's offset included.
    let depth = move |levels: u64| levels * tile_depth::<T>(4);
    // SAFETY: vectorized.cu is as `in_levels` says.
    unsafe { p.in_levels(rung, tile, config, depth) }
}
