//! Each load takes 16 bytes.

use cudarc::nvrtc::Ptx;
use harness::{Element, Prepared, Rung, kernel::grid, ptx};

use crate::problem::{Reduction, vectors_only};

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
    let config = move |blocks| grid(blocks, threads);
    // At most as many blocks as the device holds at once; their threads stride over packs of 16 bytes.
    let resident = u64::from(p.device.resident_blocks(threads));
    let tiles = move |n: u64, size: u64| n.div_ceil(16 / size).div_ceil(threads.into());
    let blocks = p.passes(|n, size| tiles(n, size).min(resident));
    // In every pass: a thread's packs, the tree within a pack, the elements before the first and after
    // the last pack, and at most ten levels of the block's tree.
    let depth = p.depth(&blocks, |n, size, blocks| {
        tiles(n, size).div_ceil(blocks) + u64::from((16 / size).ilog2()) + 2 + 10
    });
    // SAFETY: vectorized.cu is `(const T* in, Acc* out, size_t n)`. It reads in[0 .. n] and writes one result
    // per block.
    unsafe { p.in_passes([first, again], blocks, config, depth) }
}
