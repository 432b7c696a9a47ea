//! Rows and columns of a matrix. The launches differ in the threads of a row or column. Where several blocks share one,
//! the kernel runs again on their partial results.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, Rung, buffer, kernel::grid, ptx};

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
    in_one_launch(config, Axis::Rows { depth: p.cols }, p, rung)
}

/// The rung `rows_warp`.
pub static ROWS_WARP: Rung =
    Rung::new("rows_warp", "rows of a matrix: one warp per row", ptx!("kernels/rows_warp.ptx"))
        .refuses(matrices_only);

/// One launch: the lanes of a warp take the elements of one row in turns.
pub fn rows_warp(p: &MatrixReduction, rung: &Rung) -> Prepared<MatrixReduction> {
    let config = grid(p.rows.div_ceil(8).max(1), 256);
    in_one_launch(config, Axis::Rows { depth: p.cols.div_ceil(32) + 5 }, p, rung)
}

/// The rung `rows_block`.
pub static ROWS_BLOCK: Rung =
    Rung::new("rows_block", "rows of a matrix: one block per row", ptx!("kernels/rows_block.ptx"))
        .refuses(matrices_only);

/// One launch: the threads of a block take the elements of one row in turns.
pub fn rows_block(p: &MatrixReduction, rung: &Rung) -> Prepared<MatrixReduction> {
    let promise = Axis::Rows { depth: p.cols.div_ceil(256) + 10 };
    in_one_launch(grid(p.rows, 256), promise, p, rung)
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
    in_parts(spans, [first, second], Axis::Rows { depth }, p, rung)
}

/// The rung `columns_thread`.
pub static COLUMNS_THREAD: Rung = Rung::new(
    "columns_thread",
    "columns of a matrix: one thread per column",
    ptx!("kernels/columns_thread.ptx"),
)
.refuses(matrices_only);

/// One launch: each thread walks down one column.
pub fn columns_thread(p: &MatrixReduction, rung: &Rung) -> Prepared<MatrixReduction> {
    let config = grid(p.cols.div_ceil(256).max(1), 256);
    in_one_launch(config, Axis::Columns { depth: p.rows }, p, rung)
}

/// The rung `columns_block`. The rows are split where one block per 32 columns leaves the device idle.
pub static COLUMNS_BLOCK: Rung = Rung::new(
    "columns_block",
    "columns of a matrix: one block per 32 columns, with the rows split among blocks",
    ptx!("kernels/columns_block.ptx"),
)
.refuses(matrices_only);

/// Blocks of 32 x 32 threads for 32 columns.
pub fn columns_block(p: &MatrixReduction, rung: &Rung) -> Prepared<MatrixReduction> {
    // A thread's rows, then the tree of a block's 32 rows of threads.
    in_blocks_of(32, 32, |rows| rows.div_ceil(32) + 5, p, rung)
}

/// The rung `columns_coarsened`. The rows are split where one block per 128 columns leaves the device idle.
pub static COLUMNS_COARSENED: Rung = Rung::new(
    "columns_coarsened",
    "columns of a matrix: four columns per thread, 16 bytes per load, four loads in flight",
    ptx!("kernels/columns_coarsened.ptx"),
)
.refuses(matrices_only);

/// Blocks of 32 x 8 threads for 128 columns.
pub fn columns_coarsened(p: &MatrixReduction, rung: &Rung) -> Prepared<MatrixReduction> {
    // A thread's rows, then the warps of its block.
    in_blocks_of(128, 8, |rows| rows.div_ceil(8) + 8, p, rung)
}

/// One launch, or a second one where several blocks share the rows of a column. A block has 32 x `warps` threads for
/// `cols` columns, and an element passes through `depth(rows)` additions where it has `rows` rows.
fn in_blocks_of(
    cols: u64,
    warps: u32,
    depth: fn(u64) -> u64,
    p: &MatrixReduction,
    rung: &Rung,
) -> Prepared<MatrixReduction> {
    let blocks = p.cols.div_ceil(cols).max(1);
    let splits = splits(p.device.resident_blocks(32 * warps), p.rows, blocks);
    let config = |splits: u64| LaunchConfig {
        grid_dim: (blocks as u32, splits as u32, 1),
        block_dim: (32, warps, 1),
        shared_mem_bytes: 0,
    };
    let again = if splits > 1 { depth(splits) } else { 0 };
    let promise = Axis::Columns { depth: depth(p.rows.div_ceil(splits)) + again };
    in_parts(splits, [config(splits), config(1)], promise, p, rung)
}

/// As many splits as the device holds blocks for at once, as long as each still has 64 rows. With one
/// block more, that block would wait for another to end, and double the time.
pub fn splits(resident: u32, rows: u64, blocks: u64) -> u64 {
    (u64::from(resident) / blocks).clamp(1, (rows / 64).clamp(1, 65_535))
}

/// One launch, with as many blocks as reduce all rows or columns.
fn in_one_launch(
    config: LaunchConfig,
    promise: Axis,
    p: &MatrixReduction,
    rung: &Rung,
) -> Prepared<MatrixReduction> {
    in_parts(1, [config, config], promise, p, rung)
}

/// A launch in which `parts` blocks share a row or a column. If these are several, a second launch reduces their
/// results.
fn in_parts(
    parts: u64,
    [first, second]: [LaunchConfig; 2],
    promise: Axis,
    p: &MatrixReduction,
    rung: &Rung,
) -> Prepared<MatrixReduction> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as sum_f32
    let is_rows = matches!(promise, Axis::Rows { .. });
    let results = if is_rows { p.rows } else { p.cols };
    let room = if parts > 1 { parts * results } else { 0 };
    let mut partials = buffer::scratch::<f32>(&p.device, room)?;
    Ok(Launch::new(kernel.clone(), first, promise, move |p: &mut MatrixReduction| {
        if first.grid_dim.0 == 0 {
            return Ok(()); // A matrix without rows has no results, and a grid without blocks is an error.
        }
        let (mut out, rows, cols) = match is_rows {
            true => (p.row_results.view_mut(), p.rows, parts),
            false => (p.column_results.view_mut(), parts, p.cols),
        };
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input);
        if parts == 1 {
            launch.arg(&mut out).arg(&p.rows).arg(&p.cols);
            // SAFETY: rows_thread.cu, rows_warp.cu, rows_block.cu, rows_coarsened.cu, columns_thread.cu,
            // columns_block.cu and columns_coarsened.cu are `(const f32* in, f32* out, size_t rows, size_t cols)`. They
            // read in[0 .. rows * cols], and write one result per row or per column, which their names and the promise
            // say.
            return unsafe { launch.launch(first) }.map(drop);
        }
        launch.arg(&mut partials).arg(&p.rows).arg(&p.cols);
        // SAFETY: as above, but the grid of rows_coarsened.cu, columns_block.cu and columns_coarsened.cu has `parts`
        // blocks in y, and each writes a result per row or column: side by side for a row, as rows of results for the
        // columns.
        unsafe { launch.launch(first)? };

        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&partials).arg(&mut out).arg(&rows).arg(&cols);
        // SAFETY: as above; the kernel reads the results of the first launch as a matrix.
        unsafe { launch.launch(second) }.map(drop)
    }))
}

#[cfg(test)]
mod tests {
    use super::splits;

    /// An H200 holds 264 blocks of 1,024 threads.
    #[test]
    fn splits_fill_the_device_and_do_not_overflow_it() {
        assert_eq!(splits(264, 1 << 16, (1 << 10) / 32), 8); // 9 would be 288 blocks
        assert_eq!(splits(264, 1 << 20, 64 / 32), 132);
        assert_eq!(splits(264, 64, (1 << 20) / 32), 1);
        assert_eq!(splits(264, 100, 1), 1); // too few rows to share
        assert_eq!(splits(264, 0, 1), 1);
    }
}
