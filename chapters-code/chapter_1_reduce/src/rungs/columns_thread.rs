//! Columns of a matrix, one thread per column.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, Rung, ptx};

use crate::problem::{Axis, MatrixReduction, matrices_only};

/// The rung `columns_thread`.
pub static RUNG: Rung = Rung::new(
    "columns_thread",
    "columns of a matrix: one thread per column",
    ptx!("kernels/columns_thread.ptx"),
)
.refuses(matrices_only);

/// One launch: each thread walks down one column.
pub fn prepare(p: &MatrixReduction, rung: &Rung) -> Prepared<MatrixReduction> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as sum_f32
    let config = LaunchConfig {
        grid_dim: (p.cols.div_ceil(256).max(1) as u32, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    let promise = Axis::Columns { depth: p.rows };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut MatrixReduction| {
        let mut out = p.column_results.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.rows).arg(&p.cols);
        // SAFETY: columns_thread.cu is `(const f32* in, f32* out, size_t rows, size_t cols)`. It reads
        // in[0 .. rows * cols] and writes one result per column.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
