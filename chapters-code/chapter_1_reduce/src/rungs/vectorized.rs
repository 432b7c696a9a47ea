//! Each load takes 16 bytes.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, Rung, ptx};

use crate::problem::{Depth, Reduction, vectors_only};

/// The rung `vectorized`.
pub static RUNG: Rung =
    Rung::new("vectorized", "16 bytes per load", ptx!("kernels/vectorized.ptx"))
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
    // At most as many blocks as the device holds at once; their threads stride over packs of 16 bytes.
    let resident = u64::from(p.device.resident_blocks(threads));
    let tiles = move |n: u64, size: u64| n.div_ceil(16 / size).div_ceil(threads.into());
    let blocks = p.passes(|n, size| tiles(n, size).min(resident));
    // In every pass: a thread's packs, the tree within a pack, the elements before the first and after
    // the last pack, and at most ten levels of the block's tree.
    let depth = p.depth(&blocks, |n, size, blocks| {
        tiles(n, size).div_ceil(blocks) + u64::from((16 / size).ilog2()) + 2 + 10
    });
    let mut partials = p.partials(&blocks)?;
    let (kernel, first_config) = (first.clone(), config(blocks[0]));

    Ok(Launch::new(kernel, first_config, Depth::of(depth), move |p: &mut Reduction<T>| {
        // One output per pass. The last is that of the problem.
        let mut out: Vec<_> = partials.iter_mut().map(|buffer| buffer.as_view_mut()).collect();
        out.push(p.out.view_mut());

        let mut launch = p.device.stream.launch_builder(&first);
        launch.arg(&p.input).arg(&mut out[0]).arg(&p.n);
        // SAFETY: vectorized.cu is `(const T* in, Acc* out, size_t n)`. It reads in[0 .. n] and writes one result
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
