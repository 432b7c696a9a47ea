//! Scans in levels: blocks are scanned, then the aggregates of the blocks, until one block is left. Then the offsets of the
//! blocks are added, from the last level to the first. The launches differ in the block.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Kind, Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{ADD_BLOCK_OFFSETS, PrefixScan, one_thread_per_element, tile_depth, vectors_only},
};

/// The rung `hillis_steele`. In step k, every thread combines its value with the value 2^k before it.
pub static HILLIS_STEELE: Rung = Rung::new(
    "hillis_steele",
    "log2 B steps, in which every thread works",
    ptx!("kernels/hillis_steele.ptx"),
)
.refuses(vectors_only);

/// Two buffers in shared memory, so that no step overwrites what it reads.
pub fn hillis_steele<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    with_buffers(2, p, rung)
}

/// The same with this number of buffers, of an element per thread.
pub fn with_buffers<T: Element>(
    buffers: u32,
    p: &PrefixScan<T>,
    rung: &Rung,
) -> Prepared<PrefixScan<T>> {
    let threads = p.threads(256);
    let shared_mem_bytes = buffers * threads * size_of::<T>() as u32;
    // The steps of a block. On all levels but the last, the addition of the block's offset.
    let steps = u64::from(threads.next_power_of_two().ilog2());
    let depth = |levels| levels * steps + levels - 1;
    in_levels(threads.into(), LaunchConfig { shared_mem_bytes, ..grid(1, threads) }, depth, p, rung)
}

/// The rung `blelloch`. There is one addition per inner node of the tree.
pub static BLELLOCH: Rung = Rung::new(
    "blelloch",
    "up a tree and down again: fewer operations, but bank conflicts",
    ptx!("kernels/blelloch.ptx"),
)
.refuses(vectors_only);

/// One word of shared memory per element.
pub fn blelloch<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    with_words(|tile| tile, p, rung)
}

/// The rung `blelloch_padded`. The padding removes the bank conflicts.
pub static BLELLOCH_PADDED: Rung = Rung::new(
    "blelloch_padded",
    "the same with a padding word after every 32 words",
    ptx!("kernels/blelloch_padded.ptx"),
)
.refuses(vectors_only);

/// One word of shared memory per element, and one after every 32.
pub fn blelloch_padded<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    with_words(|tile| tile + tile.div_ceil(32), p, rung)
}

/// Blelloch's tree with two elements per thread, in `words(tile)` elements of shared memory.
fn with_words<T: Element>(
    words: fn(u32) -> u32,
    p: &PrefixScan<T>,
    rung: &Rung,
) -> Prepared<PrefixScan<T>> {
    let threads = p.threads(256);
    let tile = 2 * threads; // elements per block
    let shared_mem_bytes = words(tile) * size_of::<T>() as u32;
    // On every level: up the tree, down again, one addition to the element. On all but the last, that of
    // the block's offset.
    let depth = |levels| levels * (2 * u64::from(tile.ilog2()) + 1) + levels - 1;
    in_levels(tile.into(), LaunchConfig { shared_mem_bytes, ..grid(1, threads) }, depth, p, rung)
}

/// The rung `shuffle`. A block needs one barrier.
pub static SHUFFLE: Rung =
    Rung::new("shuffle", "warps scan in registers", ptx!("kernels/shuffle.ptx"))
        .refuses(vectors_only);

/// One element per thread.
pub fn shuffle<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let threads = p.threads(256);
    // On every level: a warp's scan, that of the warps, two additions. On all but the last, that of the
    // block's offset.
    let depth = |levels| levels * (5 + 5 + 2) + levels - 1;
    in_levels(threads.into(), grid(1, threads), depth, p, rung)
}

/// The rung `vectorized`.
pub static VECTORIZED: Rung = Rung::new(
    "vectorized",
    "16-byte loads: a thread scans its own elements first",
    ptx!("kernels/vectorized.ptx"),
)
.refuses(vectors_only);

/// Tiles of 16 KiB.
pub fn vectorized<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let tile = 16_384 / size_of::<T>() as u64; // elements per block
    // On every level: a tile, the addition of the block's offset included.
    in_levels(tile, grid(1, 256), |levels| levels * tile_depth::<T>(4), p, rung)
}

/// A launch of the rung's kernel on every level, and of `add_block_offsets.cu` on all but the last. A `block` scans
/// `tile` values; `depth` gives the rounded additions that an element passes through on that number of levels.
fn in_levels<T: Element>(
    tile: u64,
    block: LaunchConfig,
    depth: impl Fn(u64) -> u64,
    p: &PrefixScan<T>,
    rung: &Rung,
) -> Prepared<PrefixScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let first = module.load_function(&p.entry(p.kind))?; // such as inclusive_sum_f32
    let again = module.load_function(&p.entry(Kind::Exclusive))?;
    let module = p.device.context.load_module(Ptx::from_src(ADD_BLOCK_OFFSETS))?;
    let add_block_offsets = module.load_function(&p.operator())?; // such as sum_f32
    // Level l scans n[l] values in n[l + 1] blocks: first the elements, then the aggregates of the blocks.
    let n = p.levels(tile);
    let levels = n.len() - 1;
    let (mut aggregates, mut offsets) = (p.per_block(&n)?, p.per_block(&n)?);
    let config = move |blocks: u64| LaunchConfig { grid_dim: (blocks as u32, 1, 1), ..block };
    let (kernel, depth) = (first.clone(), depth(levels as u64));

    Ok(Launch::new(kernel, config(n[1]), depth, move |p: &mut PrefixScan<T>| {
        let mut out = vec![p.out.view_mut()];
        out.extend(offsets.iter_mut().map(|offsets| offsets.as_view_mut()));
        for l in 0..levels {
            let (before, after) = aggregates.split_at_mut(l);
            let kernel = if l == 0 { &first } else { &again };
            let mut launch = p.device.stream.launch_builder(kernel);
            launch.arg(before.last().unwrap_or(&p.input)).arg(&mut out[l]);
            launch.arg(&n[l]).arg(&mut after[0]);
            // SAFETY: hillis_steele.cu, blelloch.cu, blelloch_padded.cu, shuffle.cu and vectorized.cu are `(const T*
            // in, T* out, size_t n, T* sums)`. They read in[0 .. n], and write out[0 .. n] and one aggregate per block.
            // The dynamic shared memory of the first three holds a block's elements, those of hillis_steele.cu twice.
            unsafe { launch.launch(config(n[l + 1]))? };
        }
        for l in (0..levels - 1).rev() {
            let (out, offsets) = out.split_at_mut(l + 1);
            let offsets = offsets[0].as_view();
            let mut launch = p.device.stream.launch_builder(&add_block_offsets);
            launch.arg(&mut out[l]).arg(&n[l]).arg(&offsets).arg(&tile);
            // SAFETY: add_block_offsets.cu is `(T* out, size_t n, const T* before, size_t items_per_block)`. It
            // updates out[0 .. n] and reads before[i / items_per_block] for each i. One thread per element.
            unsafe { launch.launch(one_thread_per_element(n[l]))? };
        }
        Ok(())
    }))
}
