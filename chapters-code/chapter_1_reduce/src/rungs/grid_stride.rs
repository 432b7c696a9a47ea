//! As many blocks as the device holds. Each thread first combines many elements; then a block combines its threads,
//! each kernel in another way. The launches differ in the threads of a block and in the dynamic shared memory.

use cudarc::driver::LaunchConfig;
use cudarc::nvrtc::Ptx;
use harness::{Element, Prepared, Rung, kernel::grid, ptx};

use crate::problem::{Reduction, vectors_only};

/// The rung `grid_stride`.
pub static GRID_STRIDE: Rung = Rung::new(
    "grid_stride",
    "as many blocks as the device holds; each thread first combines many elements",
    ptx!("kernels/grid_stride.ptx"),
)
.refuses(vectors_only);

/// 256 threads, for which the kernel is compiled.
pub fn grid_stride<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    in_blocks_of(256, 0, p, rung)
}

/// The rung `shuffle`.
pub static SHUFFLE: Rung = Rung::new(
    "shuffle",
    "the last warp's steps by shuffles, without shared memory",
    ptx!("kernels/shuffle.ptx"),
)
.refuses(vectors_only);

/// A value of shared memory per thread, for the steps before those of the last warp.
pub fn shuffle<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    let threads = p.threads(256);
    in_blocks_of(threads, threads * size_of::<T::Acc>() as u32, p, rung)
}

/// The rung `block_reduce`.
pub static BLOCK_REDUCE: Rung = Rung::new(
    "block_reduce",
    "shuffles first: one barrier per block",
    ptx!("kernels/block_reduce.ptx"),
)
.refuses(vectors_only);

/// The rung `redux`, for 32-bit integers.
pub static REDUX: Rung = Rung::new(
    "redux",
    "block_reduce, with one instruction for a warp's shuffles",
    ptx!("kernels/redux.compute_80.ptx"),
)
.refuses(vectors_only);

/// Any number of threads, without dynamic shared memory.
pub fn block_reduce<T: Element>(p: &Reduction<T>, rung: &Rung) -> Prepared<Reduction<T>> {
    in_blocks_of(p.threads(256), 0, p, rung)
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
    // At most as many blocks as the device holds at once; their threads stride over the elements.
    let resident = u64::from(p.device.resident_blocks(threads));
    let blocks = p.passes(|n, _| n.div_ceil(threads.into()).min(resident));
    // In every pass: the elements of a thread, then at most ten levels of the block's tree.
    let depth = p.depth(&blocks, |n, _, blocks| n.div_ceil(blocks * u64::from(threads)) + 10);
    // SAFETY: grid_stride.cu, shuffle.cu, block_reduce.cu and redux.cu are `(const T* in, Acc* out, size_t n)`. They
    // read in[0 .. n] and write one result per block.
    unsafe { p.in_passes([first, again], blocks, config, depth) }
}
