//! Rows and columns of a matrix: who folds a row, and which when.
//!
//! The kernels are for `f32`, `(const f32* in, f32* out, size_t rows, size_t cols)`, row-major.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Error, Shape, kernel, rung};

use crate::{
    Ready, Rung, Setup,
    setup::{function, scratch},
};

/// Rungs that fold the rows, or the columns, of a matrix.
pub const MATRIX: &[Rung] = &[
    rung!(
        "rows_thread",
        |s| one_launch(s, rows_thread),
        "rows of a matrix: a thread a row"
    ),
    rung!(
        "rows_warp",
        |s| one_launch(s, rows_warp),
        "rows of a matrix: a warp a row"
    ),
    rung!(
        "rows_block",
        |s| one_launch(s, rows_block),
        "rows of a matrix: a block a row"
    ),
    rung!(
        "columns_thread",
        |s| one_launch(s, columns_thread),
        "columns of a matrix: a thread a column"
    ),
    rung!(
        "columns_block",
        columns_block,
        "columns of a matrix: a block for 32, in splits of the rows"
    ),
];

/// Whether a rung folds columns; the others fold rows.
pub fn folds_columns(rung: &str) -> bool {
    rung.starts_with("columns")
}

/// Grid, block and depth for a matrix of `rows` and `cols`.
type Plan = fn(u64, u64) -> (u64, u32, u64);

const B: u64 = 256;

fn rows_thread(rows: u64, cols: u64) -> (u64, u32, u64) {
    (rows.div_ceil(B).max(1), B as u32, cols)
}

fn rows_warp(rows: u64, cols: u64) -> (u64, u32, u64) {
    (
        rows.div_ceil(B / 32).max(1),
        B as u32,
        cols.div_ceil(32) + 5,
    )
}

fn rows_block(rows: u64, cols: u64) -> (u64, u32, u64) {
    (rows, B as u32, cols.div_ceil(B) + 10)
}

fn columns_thread(rows: u64, cols: u64) -> (u64, u32, u64) {
    (cols.div_ceil(B).max(1), B as u32, rows)
}

fn one_launch(s: &Setup<'_>, plan: Plan) -> Result<Ready, Error> {
    let (rows, cols) = sides(s.case.shape);
    let (grid, block, depth) = plan(rows, cols);
    let config = kernel::grid(grid, block);
    let kernel = function(s, s.case.dtype)?;
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        if grid == 0 {
            return Ok(()); // no rows: nothing to write, and a grid of no blocks is an error
        }
        let mut launch = stream.launch_builder(&function);
        launch.arg(input).arg(out).arg(&rows).arg(&cols);
        // SAFETY: reads in[0 .. rows * cols] and writes a value for each row or column, which `out`
        // has room for; grid and block are those of the kernel's contract.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

/// A block folds 32 columns. Where that leaves the device idle, the rows are split among several
/// blocks, and the same kernel folds their partials, a matrix of a row a split.
fn columns_block(s: &Setup<'_>) -> Result<Ready, Error> {
    let (rows, cols) = sides(s.case.shape);
    let splits = splits(s.device.resident_blocks(1024), rows, cols);
    let config_of = |splits: u64| LaunchConfig {
        grid_dim: (cols.div_ceil(32).max(1) as u32, splits as u32, 1),
        block_dim: (32, 32, 1),
        shared_mem_bytes: 0,
    };
    let (config, last_config) = (config_of(splits), config_of(1));
    let mut depth = rows.div_ceil(32 * splits) + 5;
    if splits > 1 {
        depth += splits.div_ceil(32) + 5;
    }
    let mut partials = scratch(s, splits * cols)?;
    let kernel = function(s, s.case.dtype)?;
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, depth, move |input, out| {
        let mut first = stream.launch_builder(&function);
        if splits == 1 {
            first.arg(input).arg(out).arg(&rows).arg(&cols);
            // SAFETY: reads in[0 .. rows * cols] and writes out[0 .. cols].
            unsafe { first.launch(config)? };
            return Ok(());
        }
        first.arg(input).arg(&mut partials).arg(&rows).arg(&cols);
        // SAFETY: reads in[0 .. rows * cols] and writes partials[0 .. splits * cols].
        unsafe { first.launch(config)? };
        let mut second = stream.launch_builder(&function);
        second.arg(&partials).arg(out).arg(&splits).arg(&cols);
        // SAFETY: reads partials[0 .. splits * cols], now a matrix of `splits` rows, and writes
        // out[0 .. cols].
        unsafe { second.launch(last_config)? };
        Ok(())
    }))
}

/// As many splits as the device holds blocks for at once, as long as each still has 64 rows. A block
/// more would wait for another to end, and double the time.
fn splits(resident: u32, rows: u64, cols: u64) -> u64 {
    let blocks = cols.div_ceil(32).max(1);
    (u64::from(resident) / blocks).clamp(1, (rows / 64).clamp(1, 65_535))
}

/// Rows and columns; a vector is one row.
pub fn sides(shape: Shape) -> (u64, u64) {
    match shape {
        Shape::Matrix { rows, cols } => (rows, cols),
        Shape::Vector { n } => (1, n),
    }
}

#[cfg(test)]
mod tests {
    use super::splits;

    /// An H200 holds 264 blocks of 1,024 threads.
    #[test]
    fn splits_fill_the_device_and_do_not_overflow_it() {
        assert_eq!(splits(264, 1 << 16, 1 << 10), 8); // 9 would be 288 blocks
        assert_eq!(splits(264, 1 << 20, 64), 132);
        assert_eq!(splits(264, 64, 1 << 20), 1);
        assert_eq!(splits(264, 100, 32), 1); // too few rows to share
        assert_eq!(splits(264, 0, 0), 1);
    }
}
