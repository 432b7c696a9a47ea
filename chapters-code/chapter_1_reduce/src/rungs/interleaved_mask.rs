//! The same tree, with a bit mask in place of the remainder.

use cudarc::driver::LaunchConfig;
use cudarc::nvrtc::Ptx;
use harness::{Element, Prepared, Rung, ptx};

use crate::problem::{Reduction, vectors_only};

/// The rung `interleaved_mask`.
pub static RUNG: Rung = Rung::new(
    "interleaved_mask",
    "the same with a mask in place of the remainder",
    ptx!("kernels/interleaved_mask.ptx"),
)
.refuses(vectors_only);

/// Runs the kernel on the input, then again on the results of the blocks, until one result is left.
pub fn prepare<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(T::DTYPE))?; // sum_f32
    let threads = p.threads(256);
    let config = move |blocks: u64| LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: threads * size_of::<f32>() as u32,
    };
    let blocks = p.passes(|n, _| n.div_ceil(u64::from(threads)));
    // In every pass: the elements of a thread, then the levels of the block's tree.
    let depth = blocks.len() as u64 * u64::from(1 + threads.ilog2());
    // SAFETY: interleaved_mask.cu is `(const float* in, float* out, size_t n)`. It reads in[0 .. n] and writes
    // one result per block.
    unsafe { p.in_passes([kernel.clone(), kernel], blocks, config, depth) }
}
