//! A second kernel of one block combines the results of block_reduce: the end of a kernel is a barrier for the whole grid.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, PtxText, Rung, buffer, kernel::grid, ptx};

use crate::problem::{Depth, Reduction, vectors_only};

/// The rung `finish_second_kernel`.
pub static RUNG: Rung = Rung::new(
    "finish_second_kernel",
    "block_reduce, then a kernel of one block",
    ptx!("kernels/block_reduce.ptx"),
)
.refuses(vectors_only);

static SECOND: PtxText = ptx!("kernels/finish_second_kernel.ptx");

/// Two launches, one after the other on the same stream.
pub fn prepare<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(T::DTYPE))?;
    let module = p.device.context.load_module(Ptx::from_src(SECOND))?;
    let second = module.load_function(&p.entry(T::Acc::DTYPE))?;

    let threads = p.threads(256);
    let resident = u64::from(p.device.resident_blocks(threads));
    let blocks = p.n.div_ceil(threads.into()).clamp(1, resident);
    let (config, one_block) = (grid(blocks, threads), grid(1, 1024));
    // A thread's elements and the block's tree, then the same over the partial results.
    let depth = p.n.div_ceil(blocks * u64::from(threads)) + 10 + blocks.div_ceil(1024) + 10;
    let mut partials = buffer::scratch::<T::Acc>(&p.device, blocks)?;

    Ok(Launch::new(kernel.clone(), config, Depth::of(depth), move |p: &mut Reduction<T>| {
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut partials).arg(&p.n);
        // SAFETY: block_reduce.cu is `(const T* in, Acc* out, size_t n)`. It reads in[0 .. n] and writes
        // one partial per block.
        unsafe { launch.launch(config)? };

        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&second);
        launch.arg(&partials).arg(&mut out).arg(&blocks);
        // SAFETY: finish_second_kernel.cu is `(const Acc* partials, Acc* out, size_t count)`. It reads
        // partials[0 .. count], which the launch before has written, and writes out[0].
        unsafe { launch.launch(one_block) }.map(drop)
    }))
}
