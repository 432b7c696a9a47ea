//! Rows of a matrix, one block per row.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, Rung, ptx};

use crate::problem::{Axis, MatrixReduction, matrices_only};

/// The rung `rows_block`.
pub static RUNG: Rung =
    Rung::new("rows_block", "rows of a matrix: one block per row", ptx!("kernels/rows_block.ptx"))
        .refuses(matrices_only);

/// One launch: the threads of a block take the elements of one row in turns.
pub fn prepare(p: &MatrixReduction, rung: &Rung) -> Prepared<MatrixReduction> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as sum_f32
    let config = LaunchConfig {
        grid_dim: (p.rows as u32, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    let promise = Axis::Rows { depth: p.cols.div_ceil(256) + 10 };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut MatrixReduction| {
        if config.grid_dim.0 == 0 {
            return Ok(()); // A matrix without rows has no results, and a grid without blocks is an error.
        }
        let mut out = p.row_results.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.rows).arg(&p.cols);
        // SAFETY: rows_block.cu is `(const f32* in, f32* out, size_t rows, size_t cols)`. It reads
        // in[0 .. rows * cols] and writes one result per row.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
