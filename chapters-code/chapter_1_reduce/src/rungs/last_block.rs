//! One launch: the block that arrives last combines the partial results of all blocks. The launches differ in the
//! elements of a block.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, Rung, buffer, kernel::grid, ptx};

use crate::problem::{Depth, Reduction, vectors_only};

/// The rung `finish_last_block`.
pub static FINISH_LAST_BLOCK: Rung = Rung::new(
    "finish_last_block",
    "block_reduce; the block that arrives last combines the partial results",
    ptx!("kernels/finish_last_block.ptx"),
)
.refuses(vectors_only);

/// At most as many blocks as the device holds at once, whose threads stride over the elements.
pub fn finish_last_block<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    let threads = p.threads(256);
    let resident = u64::from(p.device.resident_blocks(threads));
    let blocks = p.n.div_ceil(threads.into()).clamp(1, resident);
    // A thread's elements and the block's tree, then the same over the partial results.
    let elements = p.n.div_ceil(blocks * u64::from(threads));
    let depth = elements + 10 + blocks.div_ceil(threads.into()) + 10;
    in_one_launch(grid(blocks, threads), depth, p, rung)
}

/// The rung `single_pass_tiled`.
pub static SINGLE_PASS_TILED: Rung = Rung::new(
    "single_pass_tiled",
    "four independent 16-byte loads in flight, and a single pass",
    ptx!("kernels/single_pass_tiled.ptx"),
)
.refuses(vectors_only);

/// At most as many blocks as the device holds at once. A tile is four packs of 16 bytes per thread.
pub fn single_pass_tiled<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    let threads = 512;
    let pack = 16 / size_of::<T>() as u64;
    let tiles = p.n.div_ceil(pack).div_ceil(4 * u64::from(threads));
    let blocks = tiles.clamp(1, p.device.resident_blocks(threads).into());
    // A thread's packs, the tree within a pack, the elements before the first and after the last pack,
    // the block's tree; then a thread's partial results, and the tree again.
    let packs = 4 * tiles.div_ceil(blocks) + u64::from(pack.ilog2()) + 2;
    let depth = packs + 10 + blocks.div_ceil(threads.into()) + 10;
    in_one_launch(grid(blocks, threads), depth, p, rung)
}

/// One launch with this configuration, in which an element passes through `depth` additions.
pub(crate) fn in_one_launch<T: Element>(
    config: LaunchConfig,
    depth: u64,
    p: &Reduction<T>,
    rung: &Rung,
) -> Prepared<Reduction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(T::DTYPE))?;
    let mut partials = buffer::scratch::<T::Acc>(&p.device, config.grid_dim.0.into())?;
    let mut arrived = p.device.stream.clone_htod(&[0u32])?;
    Ok(Launch::new(kernel.clone(), config, Depth::of(depth), move |p: &mut Reduction<T>| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        launch.arg(&mut partials).arg(&mut arrived);
        // SAFETY: finish_last_block.cu, single_pass_tiled.cu and the broken last_block_without_fence.cu are `(const T*
        // in, Acc* out, size_t n, Acc* partials, unsigned* counter)`. They read in[0 .. n], write one partial per
        // block, and out[0]. The counter is 0 before the first launch, and every launch leaves it at 0.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
