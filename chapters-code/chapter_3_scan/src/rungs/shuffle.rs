//! Each warp scans in registers, and a block needs one barrier.

use cudarc::driver::LaunchConfig;
use harness::{Element, Prepared, ptx};

use crate::{
    Rung,
    problem::{PrefixScan, vectors_only},
};

/// The rung `shuffle`.
pub static RUNG: Rung =
    Rung::new("shuffle", "warps scan in registers", ptx!("kernels/shuffle.ptx"))
        .refuses(vectors_only);

/// Scans blocks, then the aggregates of the blocks, until one block is left. Then adds the offsets of blocks.
pub fn prepare<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let threads = p.threads(256);
    let tile = u64::from(threads); // elements per block
    let config = move |blocks: u64| LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    };
    // On every level: a warp's scan, that of the warps, two additions. On all but the last, that of the
    // block's offset.
    let depth = move |levels: u64| levels * (5 + 5 + 2) + levels - 1;
    // SAFETY: shuffle.cu is as `in_levels` says.
    unsafe { p.in_levels(rung, tile, config, depth) }
}
