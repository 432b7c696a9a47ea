//! The tree halves the array: neighbouring threads read neighbouring words.

use cudarc::driver::LaunchConfig;
use cudarc::nvrtc::Ptx;
use harness::{Element, Prepared, Rung, ptx};

use crate::problem::{Reduction, vectors_only};

/// The rung `sequential`.
pub static RUNG: Rung = Rung::new(
    "sequential",
    "the tree halves the array: neighbouring threads read neighbouring words",
    ptx!("kernels/sequential.ptx"),
)
.refuses(vectors_only);

/// Blocks of 256 threads.
pub fn prepare<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    in_blocks_of(p.threads(256), p, rung)
}

/// Runs the kernel on the input, then again on the results of the blocks, until one result is left. Broken rungs
/// call it with another number of threads.
pub fn in_blocks_of<T: Element>(
    threads: u32,
    p: &Reduction<T>,
    rung: &Rung,
) -> Prepared<Reduction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(T::DTYPE))?; // sum_f32
    let config = move |blocks: u64| LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: threads * size_of::<f32>() as u32,
    };
    let blocks = p.passes(|n, _| n.div_ceil(u64::from(threads)));
    // A pass adds once per level of the block's tree, and one more is allowed for.
    let depth = blocks.len() as u64 * u64::from(1 + threads.ilog2());
    // SAFETY: sequential.cu and those of `interleaved` are `(const float* in, float* out, size_t n)`. They read in[0 ..
    // n], write one result per block, and use `threads` values of shared memory.
    unsafe { p.in_passes([kernel.clone(), kernel], blocks, config, depth) }
}
