//! Columns of a matrix. The launches differ in the threads of a column.

use cudarc::driver::LaunchConfig;
use harness::{Prepared, Rung, kernel::grid, ptx};

use crate::problem::{Axis, MatrixReduction, matrices_only};

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
    // SAFETY: columns_thread.cu is as `in_one_launch` says.
    unsafe { p.in_one_launch(rung, config, Axis::Columns { depth: p.rows }) }
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
    // SAFETY: columns_block.cu and columns_coarsened.cu are as `in_parts` says.
    unsafe { p.in_parts(rung, splits, [config(splits), config(1)], promise) }
}

/// As many splits as the device holds blocks for at once, as long as each still has 64 rows. With one
/// block more, that block would wait for another to end, and double the time.
pub fn splits(resident: u32, rows: u64, blocks: u64) -> u64 {
    (u64::from(resident) / blocks).clamp(1, (rows / 64).clamp(1, 65_535))
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
