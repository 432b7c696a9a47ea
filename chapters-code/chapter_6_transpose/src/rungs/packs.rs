//! Loads and stores of 16 bytes on both sides. The launches differ in nothing but the kernel.

use cudarc::driver::{
    LaunchConfig, sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
};
use cudarc::nvrtc::Ptx;
use harness::{Element, Prepared, ptx};

use crate::{
    Rung,
    problem::{Matrices, matrices_only},
};

/// The rung `vectorized`.
pub static VECTORIZED: Rung = Rung::new(
    "vectorized",
    "loads and stores of 16 bytes on both sides",
    ptx!("kernels/vectorized.ptx"),
)
.refuses(matrices_only);

/// The rung `column_major_tiles`.
pub static COLUMN_MAJOR_TILES: Rung = Rung::new(
    "column_major_tiles",
    "the same tiles in column-major order",
    ptx!("kernels/column_major_tiles.ptx"),
)
.refuses(matrices_only);

/// One block of 256 threads per tile whose rows have 16 packs of 16 bytes, 256 bytes in all.
pub fn prepare<T: Element>(p: &Matrices<T>, rung: &Rung) -> Prepared<Matrices<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry("transpose"))?; // such as transpose_4
    let side = 256 / size_of::<T>() as u32;
    let tiles = p.layout.tiles(side.into(), side.into());
    let config = move |matrices: u32| LaunchConfig {
        grid_dim: (tiles, matrices, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 256 * side, // 64 KiB for elements of one byte
    };
    kernel.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 256 * side as i32)?;
    // SAFETY: vectorized.cu and column_major_tiles.cu are as `in_batches` says.
    unsafe { p.in_batches(kernel, config) }
}
