//! Kernels that are shown because they are wrong, as published code really was.
//!
//! Each names the checks that detect its fault, and a test holds it to that. Most are launched as the rung
//! that they are a broken version of.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{
    Dtype, Element, Kind, Ladder, Launch, Op, Prepared, PtxText, Shape, buffer, kernel::grid, ptx,
};

use crate::{
    Case, Rung, ScanParameters,
    problem::{PrefixScan, one_thread_per_element, vectors_only},
    rungs::{levels, lookback},
};

/// The broken rungs, each with its launch.
pub fn broken<T: Element>() -> Ladder<PrefixScan<T>> {
    vec![
        (ONE_BUFFER, |p, rung| levels::with_buffers(1, p, rung)),
        (INDEPENDENT_BLOCKS, independent_blocks),
        (PREVIOUS_BLOCK_ONLY, previous_block_only),
        (SWAPPED_OPERANDS, levels::shuffle),
        (FLAG_WITHOUT_RELEASE, flag_without_release),
        (RING_WITHOUT_FENCE, ring_without_fence),
        (STATIC_TILE_INDEX, |p, rung| lookback::in_tiles_of(8192, p, rung)),
    ]
}

macro_rules! broken {
    ($($rung:tt)*) => {
        harness::broken!($($rung)*).refuses(vectors_only).adapts(sum_of_blocks)
    };
}

static ONE_BUFFER: Rung = broken!(
    "one_buffer",
    "hillis_steele",
    [Races, Result],
    "the steps of Hillis and Steele in one buffer"
);
/// A block's scan lacks the prefix of the block.
pub static INDEPENDENT_BLOCKS: Rung = broken!(
    "independent_blocks",
    "shuffle",
    levels::SHUFFLE.ptx,
    [Result],
    "every block is scanned, and no block gets its prefix"
);
/// A block's prefix lacks all blocks but one.
pub static PREVIOUS_BLOCK_ONLY: Rung = broken!(
    "previous_block_only",
    "shuffle",
    levels::SHUFFLE.ptx,
    [Result],
    "a block gets the aggregate of the block before it, and of no other"
);
/// Only an operator that does not commute shows the fault.
pub static SWAPPED_OPERANDS: Rung = broken!(
    "swapped_operands",
    "shuffle",
    [Result],
    "an element is combined with its prefix in the wrong order: no sum shows it"
)
.adapts(|case| Case { op: Op::Affine, dtype: Dtype::I64, ..sum_of_blocks(case) });
static FLAG_WITHOUT_RELEASE: Rung = broken!(
    "flag_without_release",
    "chained",
    [Races, Result],
    "a prefix and its flag in two words, written in no order"
);
static RING_WITHOUT_FENCE: Rung = broken!(
    "ring_without_fence",
    "producer_consumer",
    ptx!("kernels/broken/ring_without_fence.compute_90.ptx"),
    [Races, Result],
    "stages released without a fence: a bulk copy may overtake a read"
);
static STATIC_TILE_INDEX: Rung = broken!(
    "static_tile_index",
    "lookback",
    [Fault],
    "look-back with tiles numbered by blockIdx: it never ends on a GPU"
)
.endless()
// More tiles of 8 KiB than an H200 holds blocks of 512 threads.
.adapts(|case| Case { shape: Shape::Vector { n: 2_000_000 }, ..sum_of_blocks(case) });

/// An inclusive sum of `f32` in more than two blocks, the last of them not full.
fn sum_of_blocks(case: &Case) -> Case {
    Case {
        seed: case.seed,
        block: case.block,
        ..Case::vector(case.elements().max(4096) | 1, Dtype::F32, Op::Sum)
    }
    .with(ScanParameters::of_kind(Kind::Inclusive))
}

/// The blocks of `shuffle`, and nothing about what comes before a block.
fn independent_blocks<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(p.kind))?;
    let blocks = p.n.div_ceil(256).max(1);
    let config = grid(blocks, 256);
    let mut aggregates = buffer::scratch::<T>(&p.device, blocks)?;
    Ok(Launch::new(kernel.clone(), config, 5 + 5 + 2, move |p: &mut PrefixScan<T>| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out);
        launch.arg(&p.n).arg(&mut aggregates);
        // SAFETY: shuffle.cu is `(const T* in, T* out, size_t n, T* sums)`. It reads in[0 .. n], and writes
        // out[0 .. n] and one aggregate per block.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

/// The blocks of `shuffle`, and then the aggregate of one block before each element.
fn previous_block_only<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    const ADD: PtxText = ptx!("kernels/broken/previous_block_only.ptx");
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(p.kind))?;
    let module = p.device.context.load_module(Ptx::from_src(ADD))?;
    let add = module.load_function(&p.operator())?;
    let (blocks, tile) = (p.n.div_ceil(256).max(1), 256u64);
    let config = grid(blocks, 256);
    let mut aggregates = buffer::scratch::<T>(&p.device, blocks)?;
    Ok(Launch::new(kernel.clone(), config, 5 + 5 + 2 + 1, move |p: &mut PrefixScan<T>| {
        let stream = &p.device.stream;
        let mut out = p.out.view_mut();
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out);
        launch.arg(&p.n).arg(&mut aggregates);
        // SAFETY: as for independent_blocks.
        unsafe { launch.launch(config)? };
        let mut launch = stream.launch_builder(&add);
        launch.arg(&mut out).arg(&p.n).arg(&aggregates).arg(&tile);
        // SAFETY: previous_block_only.cu is `(T* out, size_t n, const T* aggregates, size_t items_per_block)`. It updates
        // out[0 .. n] and reads aggregates[i / items_per_block - 1] for each i that has one.
        unsafe { launch.launch(one_thread_per_element(p.n)) }.map(drop)
    }))
}

/// One block scans everything, through a ring of two stages.
fn ring_without_fence<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(Kind::Inclusive))?;
    let config = grid(1, 64);
    let depth = p.n.div_ceil(128) + 16; // tiles of 128 elements
    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut PrefixScan<T>| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        // SAFETY: ring_without_fence.cu is `(const T* in, T* out, size_t n)`. One block reads in[0 .. n] and
        // writes out[0 .. n].
        unsafe { launch.launch(config) }.map(drop)
    }))
}

/// Look-back over tiles of 512 elements, each of which waits for the prefix of the tile before.
fn flag_without_release<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(Kind::Inclusive))?;
    let tiles = p.n.div_ceil(512);
    let config = grid(tiles, 512);
    let mut prefixes = buffer::scratch::<T>(&p.device, tiles)?;
    let mut flags = buffer::scratch::<u32>(&p.device, tiles + 1)?;
    Ok(Launch::new(kernel.clone(), config, tiles + 12, move |p: &mut PrefixScan<T>| {
        p.device.stream.memset_zeros(&mut flags)?;
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        launch.arg(&mut prefixes).arg(&mut flags);
        // SAFETY: flag_without_release.cu is `(const T* in, T* out, size_t n, T* prefixes, unsigned* flags)`. It
        // reads in[0 .. n], writes out[0 .. n], one prefix and one flag per tile, and counts tiles in the last
        // flag. The flags are 0.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
