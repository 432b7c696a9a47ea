//! Rows and columns of a matrix: who folds a row, and which when.
//!
//! The kernels are for `f32`, `(const f32* in, f32* out, size_t rows, size_t cols)`, row-major.

use cudarc::driver::{CudaView, CudaViewMut, LaunchConfig, PushKernelArg};
use harness::{Device, Error, Shape};

use crate::{Ready, Rung, Setup, rung};

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
    let config = LaunchConfig {
        grid_dim: (grid as u32, 1, 1),
        block_dim: (block, 1, 1),
        shared_mem_bytes: 0,
    };
    let kernel = s.function(s.case.dtype)?;
    let (stream, function) = (s.stream(), kernel.clone());
    let launch = move |input: &CudaView<'_, u8>, out: &mut CudaViewMut<'_, u8>| {
        if grid == 0 {
            return Ok(()); // no rows: nothing to write, and a grid of no blocks is an error
        }
        let mut builder = stream.launch_builder(&function);
        // SAFETY: reads in[0 .. rows * cols] and writes a value for each row or column, which `out`
        // has room for; grid and block are those of the kernel's contract.
        unsafe {
            builder
                .arg(input)
                .arg(out)
                .arg(&rows)
                .arg(&cols)
                .launch(config)?
        };
        Ok(())
    };
    Ok(Ready {
        kernel,
        config,
        depth,
        underflow: 0.0,
        launch: Box::new(launch),
    })
}

/// A block folds 32 columns. Where that leaves the device idle, the rows are split among several
/// blocks, and the same kernel folds their partials, a matrix of a row a split.
fn columns_block(s: &Setup<'_>) -> Result<Ready, Error> {
    let (rows, cols) = sides(s.case.shape);
    let splits = splits(s.device, rows, cols);
    let config = |splits: u64| LaunchConfig {
        grid_dim: (cols.div_ceil(32).max(1) as u32, splits as u32, 1),
        block_dim: (32, 32, 1),
        shared_mem_bytes: 0,
    };
    let (first, second) = (config(splits), config(1));
    let kernel = s.function(s.case.dtype)?;
    let mut partials = s.scratch(splits * cols)?;
    let (stream, function) = (s.stream(), kernel.clone());
    let launch = move |input: &CudaView<'_, u8>, out: &mut CudaViewMut<'_, u8>| {
        if splits == 1 {
            let mut builder = stream.launch_builder(&function);
            // SAFETY: reads in[0 .. rows * cols] and writes out[0 .. cols].
            unsafe {
                builder
                    .arg(input)
                    .arg(out)
                    .arg(&rows)
                    .arg(&cols)
                    .launch(second)?
            };
            return Ok(());
        }
        let mut builder = stream.launch_builder(&function);
        builder.arg(input).arg(&mut partials).arg(&rows).arg(&cols);
        // SAFETY: reads in[0 .. rows * cols] and writes partials[0 .. splits * cols].
        unsafe { builder.launch(first)? };
        let mut builder = stream.launch_builder(&function);
        builder.arg(&partials).arg(out).arg(&splits).arg(&cols);
        // SAFETY: reads partials[0 .. splits * cols], now a matrix of `splits` rows, and writes
        // out[0 .. cols].
        unsafe { builder.launch(second)? };
        Ok(())
    };
    let mut depth = rows.div_ceil(32 * splits) + 5;
    if splits > 1 {
        depth += splits.div_ceil(32) + 5;
    }
    Ok(Ready {
        kernel,
        config: first,
        depth,
        underflow: 0.0,
        launch: Box::new(launch),
    })
}

/// Enough blocks to fill the device, as long as each still has 64 rows.
fn splits(device: &Device, rows: u64, cols: u64) -> u64 {
    let blocks = cols.div_ceil(32).max(1);
    let wanted = u64::from(device.resident_blocks(1024)).div_ceil(blocks);
    wanted.clamp(1, (rows / 64).clamp(1, 65_535))
}

/// Rows and columns; a vector is one row.
pub fn sides(shape: Shape) -> (u64, u64) {
    match shape {
        Shape::Matrix { rows, cols } => (rows, cols),
        Shape::Vector { n } => (1, n),
    }
}
