//! Each warp shuffles first, so that a block needs one barrier.

use cudarc::driver::LaunchConfig;
use cudarc::nvrtc::Ptx;
use harness::{Element, Prepared, Rung, ptx};

use crate::problem::{Reduction, vectors_only};

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
    // SAFETY: block_reduce.cu is `(const T* in, Acc* out, size_t n)`. It reads in[0 .. n] and writes one result
    // per block.
    unsafe { p.in_passes([first, again], blocks, config, depth) }
}
