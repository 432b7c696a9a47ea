//! Each thread combines two elements while it loads them.

use cudarc::driver::LaunchConfig;
use cudarc::nvrtc::Ptx;
use harness::{Element, Prepared, Rung, ptx};

use crate::problem::{Reduction, vectors_only};

/// The rung `first_add`.
pub static RUNG: Rung = Rung::new(
    "first_add",
    "each thread combines two elements while it loads them",
    ptx!("kernels/first_add.ptx"),
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
        shared_mem_bytes: threads * size_of::<T::Acc>() as u32,
    };
    let blocks = p.passes(|n, _| n.div_ceil(2 * u64::from(threads)));
    // In every pass: the elements of a thread, then the levels of the block's tree.
    let depth = blocks.len() as u64 * u64::from(2 + threads.ilog2());
    // SAFETY: first_add.cu is `(const T* in, Acc* out, size_t n)`. It reads in[0 .. n] and writes one result
    // per block.
    unsafe { p.in_passes([first, again], blocks, config, depth) }
}
