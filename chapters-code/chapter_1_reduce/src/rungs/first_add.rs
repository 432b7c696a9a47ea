//! Each thread combines two elements while it loads them, and then a tree halves the block's array. The launches differ
//! in the dynamic shared memory.

use cudarc::driver::LaunchConfig;
use cudarc::nvrtc::Ptx;
use harness::{Element, Prepared, Rung, kernel::grid, ptx};

use crate::problem::{Reduction, vectors_only};

/// The rung `first_add`.
pub static FIRST_ADD: Rung = Rung::new(
    "first_add",
    "each thread combines two elements while it loads them",
    ptx!("kernels/first_add.ptx"),
)
.refuses(vectors_only);

/// The rung `unrolled_warp`.
pub static UNROLLED_WARP: Rung = Rung::new(
    "unrolled_warp",
    "the last warp's steps unrolled, without barriers",
    ptx!("kernels/unrolled_warp.ptx"),
)
.refuses(vectors_only);

/// A value of shared memory per thread, for any number of threads.
pub fn prepare<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    let threads = p.threads(256);
    in_blocks_of(threads, threads * size_of::<T::Acc>() as u32, p, rung)
}

/// The rung `unrolled`.
pub static UNROLLED: Rung = Rung::new(
    "unrolled",
    "every step unrolled: the block size is a constant",
    ptx!("kernels/unrolled.ptx"),
)
.refuses(vectors_only);

/// 256 threads, and shared memory for as many values, as the kernel says.
pub fn unrolled<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    in_blocks_of(256, 0, p, rung)
}

/// Runs the kernel on the input, then again on the results of the blocks, until one result is left.
fn in_blocks_of<T: Element>(
    threads: u32,
    shared_mem_bytes: u32,
    p: &Reduction<T>,
    rung: &Rung,
) -> Prepared<Reduction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    // For elements of f16 these are sum_f16, and sum_f32 for the results of the blocks.
    let first = module.load_function(&p.entry(T::DTYPE))?;
    let again = module.load_function(&p.entry(T::Acc::DTYPE))?;
    let config = move |blocks| LaunchConfig { shared_mem_bytes, ..grid(blocks, threads) };
    let blocks = p.passes(|n, _| n.div_ceil(2 * u64::from(threads)));
    // In every pass: the elements of a thread, then the levels of the block's tree.
    let depth = blocks.len() as u64 * u64::from(2 + threads.ilog2());
    // SAFETY: first_add.cu, unrolled_warp.cu and unrolled.cu are `(const T* in, Acc* out, size_t n)`. They read
    // in[0 .. n] and write one result per block.
    unsafe { p.in_passes([first, again], blocks, config, depth) }
}
