//! Rows may begin anywhere: every store writes whole sectors.

use cudarc::driver::{
    LaunchConfig,
    sys::CUfunction_attribute::{
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
        CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
    },
};
use cudarc::nvrtc::Ptx;
use harness::{Element, Prepared, ptx};

use crate::{
    Rung,
    problem::{Layout, Matrices, matrices_only},
};

/// The rung `sectors`.
pub static RUNG: Rung = Rung::new(
    "sectors",
    "rows that begin anywhere: every store writes whole sectors",
    ptx!("kernels/sectors.compute_80.ptx"),
)
.refuses(matrices_only);

/// The kernel of `column_major_tiles` where every row is aligned to 16 bytes. Otherwise one block of 256
/// threads per tile of the output's rows, each row from the start of a sector.
pub fn prepare<T: Element>(p: &Matrices<T>, rung: &Rung) -> Prepared<Matrices<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let bytes = size_of::<T>() as u64;
    let Layout { ld_in, ld_out, .. } = p.layout;
    let is_packed = (ld_in * bytes).is_multiple_of(16) && (ld_out * bytes).is_multiple_of(16);

    let (rows, cols) = match bytes {
        _ if is_packed => (256 / bytes, 256 / bytes),
        4 => (80, 128),
        16 => (16, 32),
        _ => (256 / bytes, 64),
    };
    let sector = 32 / bytes; // elements of a sector
    let (entry, tiles, shared) = match is_packed {
        true => ("transpose", p.layout.tiles(rows, cols), 256 * cols),
        false => {
            // Tiles begin up to a sector before their first row, so they must reach beyond the last row.
            let reached = Layout { rows: p.layout.rows + sector - 1, ..p.layout };
            let shared = (rows + sector) * (cols + 1) * bytes;
            ("ragged", reached.tiles(rows, cols), shared)
        }
    };
    let kernel = module.load_function(&p.entry(entry))?; // such as ragged_4
    let config = move |matrices: u32| LaunchConfig {
        grid_dim: (tiles, matrices, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: shared as u32,
    };
    kernel.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared as i32)?;
    if !is_packed && bytes == 4 {
        // Neighbouring warps share sectors of the rows that they load, so L1 gets all memory that two
        // blocks of a multiprocessor leave. The system takes 1,024 bytes per block.
        let all = p.device.properties.shared_bytes_a_block + 1024;
        let percent = (100 * 2 * (shared as u32 + 1024)).div_ceil(all).min(100);
        kernel.set_attribute(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, percent as i32)?;
    }

    // SAFETY: both kernels of sectors.cu are as `in_batches` says. Only aligned rows are given to `transpose`.
    unsafe { p.in_batches(kernel, config) }
}
