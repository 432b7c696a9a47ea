//! Columns of a matrix, one block per 32 columns. The rows are split where that leaves the device idle.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, Rung, buffer, ptx};

use crate::problem::{Axis, MatrixReduction, matrices_only};

/// The rung `columns_block`.
pub static RUNG: Rung = Rung::new(
    "columns_block",
    "columns of a matrix: one block per 32 columns, with the rows split among blocks",
    ptx!("kernels/columns_block.ptx"),
)
.refuses(matrices_only);

/// One launch, or a second one where several blocks share the rows of a column.
pub fn prepare(p: &MatrixReduction, rung: &Rung) -> Prepared<MatrixReduction> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as sum_f32
    let splits = splits(p.device.resident_blocks(1024), p.rows, p.cols);
    let config = |splits: u64| LaunchConfig {
        grid_dim: (p.cols.div_ceil(32).max(1) as u32, splits as u32, 1),
        block_dim: (32, 32, 1),
        shared_mem_bytes: 0,
    };
    let (first_config, second_config) = (config(splits), config(1));
    let mut depth = p.rows.div_ceil(32 * splits) + 5;
    if splits > 1 {
        depth += splits.div_ceil(32) + 5;
    }
    // A row of partial results per split.
    let mut partials = buffer::scratch::<f32>(&p.device, splits * p.cols)?;

    let promise = Axis::Columns { depth };
    Ok(Launch::new(kernel.clone(), first_config, promise, move |p: &mut MatrixReduction| {
        let mut out = p.column_results.view_mut();
        let mut first = p.device.stream.launch_builder(&kernel);
        first.arg(&p.input);
        if splits == 1 {
            first.arg(&mut out).arg(&p.rows).arg(&p.cols);
            // SAFETY: columns_block.cu is `(const f32* in, f32* out, size_t rows, size_t cols)`. It reads
            // in[0 .. rows * cols] and writes out[0 .. cols].
            return unsafe { first.launch(first_config) }.map(drop);
        }
        first.arg(&mut partials).arg(&p.rows).arg(&p.cols);
        // SAFETY: as above, but it writes partials[0 .. splits * cols].
        unsafe { first.launch(first_config)? };

        let mut second = p.device.stream.launch_builder(&kernel);
        second.arg(&partials).arg(&mut out).arg(&splits).arg(&p.cols);
        // SAFETY: reads partials[0 .. splits * cols] as a matrix of `splits` rows, and writes
        // out[0 .. cols].
        unsafe { second.launch(second_config) }.map(drop)
    }))
}

/// As many splits as the device holds blocks for at once, as long as each still has 64 rows. With one
/// block more, that block would wait for another to end, and double the time.
pub fn splits(resident: u32, rows: u64, cols: u64) -> u64 {
    let blocks = cols.div_ceil(32).max(1);
    (u64::from(resident) / blocks).clamp(1, (rows / 64).clamp(1, 65_535))
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
