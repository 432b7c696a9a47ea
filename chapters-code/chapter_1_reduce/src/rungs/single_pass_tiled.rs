//! Four independent loads of 16 bytes are in flight per thread, in a single pass over the input.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, Rung, buffer, ptx};

use crate::problem::{Depth, Reduction, vectors_only};

/// The rung `single_pass_tiled`.
pub static RUNG: Rung = Rung::new(
    "single_pass_tiled",
    "four independent 16-byte loads in flight, and a single pass",
    ptx!("kernels/single_pass_tiled.ptx"),
)
.refuses(vectors_only);

/// One launch. The block that arrives last combines the results of all blocks.
pub fn prepare<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(T::DTYPE))?;
    let threads = 512;
    // A tile is four packs of 16 bytes per thread. At most as many blocks as the device holds at once.
    let pack = 16 / size_of::<T>() as u64;
    let tiles = p.n.div_ceil(pack).div_ceil(4 * u64::from(threads));
    let blocks = tiles.clamp(1, p.device.resident_blocks(threads).into());
    // A thread's packs, the tree within a pack, the elements before the first and after the last pack,
    // the block's tree; then a thread's partial results, and the tree again.
    let packs = 4 * tiles.div_ceil(blocks) + u64::from(pack.ilog2()) + 2;
    let depth = packs + 10 + blocks.div_ceil(threads.into()) + 10;
    let config = LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut partials = buffer::scratch::<T::Acc>(&p.device, blocks)?;
    let mut arrived = p.device.stream.clone_htod(&[0u32])?;

    Ok(Launch::new(kernel.clone(), config, Depth::of(depth), move |p: &mut Reduction<T>| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        launch.arg(&mut partials).arg(&mut arrived);
        // SAFETY: single_pass_tiled.cu is `(const T* in, Acc* out, size_t n, Acc* partials, unsigned*
        // counter)`. It reads in[0 .. n], writes one partial per block, and out[0]. The counter is 0
        // before the first launch, and every launch leaves it at 0.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
