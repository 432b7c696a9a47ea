//! Each warp shuffles first, so that a block needs one barrier.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, Rung, ptx};

use crate::problem::{Depth, Reduction, vectors_only};

/// The rung `block_reduce`.
pub static RUNG: Rung = Rung::new(
    "block_reduce",
    "shuffles first: one barrier per block",
    ptx!("kernels/block_reduce.ptx"),
)
.refuses(vectors_only);

/// Runs the kernel on the input, then again on the results of the blocks, until one result is left.
pub fn prepare<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    // For elements of f16 these are sum_f16, and sum_f32 for the results of the blocks.
    let first = module.load_function(&p.entry(T::DTYPE))?;
    let again = module.load_function(&p.entry(T::Acc::DTYPE))?;
    let threads = p.threads(256);
    let config = move |blocks: u64| LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    };
    // At most as many blocks as the device holds at once; their threads stride over the elements.
    let resident = u64::from(p.device.resident_blocks(threads));
    let blocks = p.passes(|n, _| n.div_ceil(threads.into()).min(resident));
    // In every pass: the elements of a thread, then at most ten levels of the block's tree.
    let depth = p.depth(&blocks, |n, _, blocks| n.div_ceil(blocks * u64::from(threads)) + 10);
    let mut partials = p.partials(&blocks)?;
    let (kernel, first_config) = (first.clone(), config(blocks[0]));

    Ok(Launch::new(kernel, first_config, Depth::of(depth), move |p: &mut Reduction<T>| {
        // One output per pass. The last is that of the problem.
        let mut out: Vec<_> = partials.iter_mut().map(|buffer| buffer.as_view_mut()).collect();
        out.push(p.out.view_mut());

        let mut launch = p.device.stream.launch_builder(&first);
        launch.arg(&p.input).arg(&mut out[0]).arg(&p.n);
        // SAFETY: block_reduce.cu is `(const T* in, Acc* out, size_t n)`. It reads in[0 .. n] and writes one result
        // per block, for which the buffer has room.
        unsafe { launch.launch(config(blocks[0]))? };
        for pass in 1..blocks.len() {
            let (before, after) = out.split_at_mut(pass);
            let mut launch = p.device.stream.launch_builder(&again);
            let input = before[pass - 1].as_view();
            launch.arg(&input).arg(&mut after[0]).arg(&blocks[pass - 1]);
            // SAFETY: as above; the pass before has written as many results as it had blocks.
            unsafe { launch.launch(config(blocks[pass]))? };
        }
        Ok(())
    }))
}
