//! A block goes up a tree of partial results and down again, with one addition per inner node.

use cudarc::driver::LaunchConfig;
use harness::{Element, Prepared, ptx};

use crate::{
    Rung,
    problem::{PrefixScan, vectors_only},
};

/// The rung `blelloch`.
pub static RUNG: Rung = Rung::new(
    "blelloch",
    "up a tree and down again: fewer operations, but bank conflicts",
    ptx!("kernels/blelloch.ptx"),
)
.refuses(vectors_only);

/// Scans blocks, then the aggregates of the blocks, until one block is left. Then adds the offsets of blocks.
pub fn prepare<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let threads = p.threads(256);
    let tile = 2 * u64::from(threads); // elements per block
    let config = move |blocks: u64| LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: tile as u32 * size_of::<T>() as u32,
    };
    // On every level: up the tree, down again, one addition to the element. On all but the last, that of
    // the block's offset.
    let depth = move |levels: u64| levels * (2 * u64::from(tile.ilog2()) + 1) + levels - 1;
    // SAFETY: blelloch.cu is as `in_levels` says.
    unsafe { p.in_levels(rung, tile, config, depth) }
}
