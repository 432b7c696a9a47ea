//! One launch of block_reduce: the block that arrives last combines the partial results.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, Rung, buffer, ptx};

use crate::problem::{Depth, Reduction, vectors_only};

/// The rung `finish_last_block`.
pub static RUNG: Rung = Rung::new(
    "finish_last_block",
    "block_reduce; the block that arrives last combines the partial results",
    ptx!("kernels/finish_last_block.ptx"),
)
.refuses(vectors_only);

/// One launch. The block that arrives last combines the results of all blocks.
pub fn prepare<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(T::DTYPE))?;
    let threads = p.threads(256);
    // At most as many blocks as the device holds at once.
    let resident = u64::from(p.device.resident_blocks(threads));
    let blocks = p.n.div_ceil(threads.into()).clamp(1, resident);
    // A thread's elements and the block's tree, then the same over the partial results.
    let elements = p.n.div_ceil(blocks * u64::from(threads));
    let depth = elements + 10 + blocks.div_ceil(threads.into()) + 10;
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
        // SAFETY: finish_last_block.cu is `(const T* in, Acc* out, size_t n, Acc* partials, unsigned*
        // counter)`. It reads in[0 .. n], writes one partial per block, and out[0]. The counter is 0
        // before the first launch, and every launch leaves it at 0.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
