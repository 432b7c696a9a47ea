//! Rows of a matrix. The launches differ in the threads of a row.

use cudarc::driver::LaunchConfig;
use harness::{Prepared, Rung, kernel::grid, ptx};

use crate::problem::{Axis, MatrixReduction, matrices_only};

/// The rung `rows_thread`.
pub static ROWS_THREAD: Rung = Rung::new(
    "rows_thread",
    "rows of a matrix: one thread per row",
    ptx!("kernels/rows_thread.ptx"),
)
.refuses(matrices_only);

/// One launch: each thread walks along one row.
pub fn rows_thread(p: &MatrixReduction, rung: &Rung) -> Prepared<MatrixReduction> {
    let config = grid(p.rows.div_ceil(256).max(1), 256);
    // SAFETY: rows_thread.cu is as `in_one_launch` says.
    unsafe { p.in_one_launch(rung, config, Axis::Rows { depth: p.cols }) }
}

/// The rung `rows_warp`.
pub static ROWS_WARP: Rung =
    Rung::new("rows_warp", "rows of a matrix: one warp per row", ptx!("kernels/rows_warp.ptx"))
        .refuses(matrices_only);

/// One launch: the lanes of a warp take the elements of one row in turns.
pub fn rows_warp(p: &MatrixReduction, rung: &Rung) -> Prepared<MatrixReduction> {
    let config = grid(p.rows.div_ceil(8).max(1), 256);
    // SAFETY: rows_warp.cu is as `in_one_launch` says.
    unsafe { p.in_one_launch(rung, config, Axis::Rows { depth: p.cols.div_ceil(32) + 5 }) }
}

/// The rung `rows_block`.
pub static ROWS_BLOCK: Rung =
    Rung::new("rows_block", "rows of a matrix: one block per row", ptx!("kernels/rows_block.ptx"))
        .refuses(matrices_only);

/// One launch: the threads of a block take the elements of one row in turns.
pub fn rows_block(p: &MatrixReduction, rung: &Rung) -> Prepared<MatrixReduction> {
    let promise = Axis::Rows { depth: p.cols.div_ceil(256) + 10 };
    // SAFETY: rows_block.cu is as `in_one_launch` says.
    unsafe { p.in_one_launch(rung, grid(p.rows, 256), promise) }
}

/// The rung `rows_coarsened`. A short row gets as many lanes as it keeps busy, a long one several blocks.
pub static ROWS_COARSENED: Rung = Rung::new(
    "rows_coarsened",
    "rows of a matrix: 16 bytes per load, four loads in flight, long rows split among blocks",
    ptx!("kernels/rows_coarsened.ptx"),
)
.refuses(matrices_only);

/// Elements per thread that are worth a block of their own.
const SPAN: u64 = 256 * 16;

/// One launch, or a second one where several blocks share a row.
pub fn rows_coarsened(p: &MatrixReduction, rung: &Rung) -> Prepared<MatrixReduction> {
    // Blocks of 256 threads: one row each where a warp per row would leave the device idle.
    let resident = u64::from(p.device.resident_blocks(256));
    let is_split = p.rows < 8 * resident && p.cols >= SPAN;
    let spans = if is_split { (resident / p.rows.max(1)).clamp(1, p.cols / SPAN) } else { 1 };
    let config = |threads: u64, rows_per_block: u64, spans: u64| LaunchConfig {
        grid_dim: (p.rows.div_ceil(rows_per_block).max(1) as u32, spans as u32, 1),
        block_dim: (threads as u32, rows_per_block as u32, 1),
        shared_mem_bytes: 0,
    };
    // Four packs of 4 elements for each of a row's lanes, all in flight at once. Head and tail of a row take 3 lanes.
    let narrow = |cols: u64| cols.div_ceil(16).next_power_of_two().clamp(4, 32);
    let first = match is_split {
        true => config(256, 1, spans),
        false => config(narrow(p.cols), 256 / narrow(p.cols), 1),
    };
    let second = config(narrow(spans), 256 / narrow(spans), 1);
    // A thread's packs, one at a time, head and tail; within a pack; and then the threads.
    let of = |n: u64, threads: u64| n.div_ceil(4 * threads) + 4 + 2 + 11;
    let mut depth = of(p.cols.div_ceil(spans), u64::from(first.block_dim.0));
    if spans > 1 {
        depth += of(spans, narrow(spans));
    }
    // SAFETY: rows_coarsened.cu is as `in_parts` says.
    unsafe { p.in_parts(rung, spans, [first, second], Axis::Rows { depth }) }
}
