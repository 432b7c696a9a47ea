//! A block transposes a tile of 32 x 32 elements. The launches differ in the rows of threads of a block.

use cudarc::driver::LaunchConfig;
use cudarc::nvrtc::Ptx;
use harness::{Element, Prepared, ptx};

use crate::{
    Rung,
    problem::{Matrices, matrices_only},
};

/// The rung `by_rows`.
pub static BY_ROWS: Rung =
    Rung::new("by_rows", "a warp reads a row and writes a column", ptx!("kernels/by_rows.ptx"))
        .refuses(matrices_only);

/// The rung `by_columns`.
pub static BY_COLUMNS: Rung = Rung::new(
    "by_columns",
    "a warp reads a column and writes a row",
    ptx!("kernels/by_columns.ptx"),
)
.refuses(matrices_only);

/// The rung `tile`.
pub static TILE: Rung = Rung::new(
    "tile",
    "reads and writes rows; transposes a tile in shared memory",
    ptx!("kernels/tile.ptx"),
)
.refuses(matrices_only);

/// The rung `padded`.
pub static PADDED: Rung = Rung::new(
    "padded",
    "a tile whose rows are one longer: a column lies in 32 banks",
    ptx!("kernels/padded.ptx"),
)
.refuses(matrices_only);

/// The rung `swizzled`.
pub static SWIZZLED: Rung = Rung::new(
    "swizzled",
    "no padding: column c of row r is stored at c XOR r",
    ptx!("kernels/swizzled.ptx"),
)
.refuses(matrices_only);

/// The rung `coarsened`.
pub static COARSENED: Rung =
    Rung::new("coarsened", "four elements per thread", ptx!("kernels/coarsened.ptx"))
        .refuses(matrices_only);

/// The rung `four_loads`.
pub static FOUR_LOADS: Rung = Rung::new(
    "four_loads",
    "a thread's four loads before its first store to the tile",
    ptx!("kernels/four_loads.ptx"),
)
.refuses(matrices_only);

/// The rung `diagonal`.
pub static DIAGONAL: Rung = Rung::new(
    "diagonal",
    "tiles in diagonal order, which GPUs of 2008 needed",
    ptx!("kernels/diagonal.ptx"),
)
.refuses(matrices_only);

/// One block of 32 x 32 threads per tile of 32 x 32 elements; a thread moves one element.
pub fn one_per_thread<T: Element>(p: &Matrices<T>, rung: &Rung) -> Prepared<Matrices<T>> {
    with_rows_of_threads(32, p, rung)
}

/// One block of 32 x 8 threads per tile of 32 x 32 elements; a thread moves four elements.
pub fn four_per_thread<T: Element>(p: &Matrices<T>, rung: &Rung) -> Prepared<Matrices<T>> {
    with_rows_of_threads(8, p, rung)
}

/// One block of `rows` rows of 32 threads per tile.
fn with_rows_of_threads<T: Element>(
    rows: u32,
    p: &Matrices<T>,
    rung: &Rung,
) -> Prepared<Matrices<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry("transpose"))?; // such as transpose_4
    let tiles = p.layout.tiles(32, 32);
    let config = move |matrices: u32| LaunchConfig {
        grid_dim: (tiles, matrices, 1),
        block_dim: (32, rows, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: by_rows.cu, by_columns.cu, tile.cu, padded.cu, swizzled.cu, coarsened.cu, four_loads.cu and diagonal.cu
    // are as `in_batches` says.
    unsafe { p.in_batches(kernel, config) }
}
