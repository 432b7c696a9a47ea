//! The tile has no padding: column c of row r is stored at c XOR r.

use cudarc::driver::LaunchConfig;
use cudarc::nvrtc::Ptx;
use harness::{Element, Prepared, ptx};

use crate::{
    Rung,
    problem::{Matrices, matrices_only},
};

/// The rung `swizzled`.
pub static RUNG: Rung = Rung::new(
    "swizzled",
    "no padding: column c of row r is stored at c XOR r",
    ptx!("kernels/swizzled.ptx"),
)
.refuses(matrices_only);

/// One block of 32 x 32 threads per tile of 32 x 32 elements; a thread moves one element.
pub fn prepare<T: Element>(p: &Matrices<T>, rung: &Rung) -> Prepared<Matrices<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry("transpose"))?; // such as transpose_4
    let tiles = p.layout.tiles(32, 32);
    let config = move |matrices: u32| LaunchConfig {
        grid_dim: (tiles, matrices, 1),
        block_dim: (32, 32, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: swizzled.cu is as `in_batches` says.
    unsafe { p.in_batches(kernel, config) }
}
