//! Every row of the matrix has a thread.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, SINGLE_THREAD_MAX, ptx};

use crate::{
    Rung,
    problem::{Product, unsuited_or_longer},
};

/// The rung `spmv_thread_per_row`.
pub static RUNG: Rung = Rung::new(
    "spmv_thread_per_row",
    "every row of the matrix has a thread",
    ptx!("kernels/spmv_thread_per_row.ptx"),
)
.refuses(unsuited_or_longer::<SINGLE_THREAD_MAX>);

/// One launch, with one thread per row.
pub fn prepare(p: &Product, rung: &Rung) -> Prepared<Product> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as multiply_f32
    let threads = p.case.block.unwrap_or(256);
    let config = LaunchConfig {
        grid_dim: (p.rows.div_ceil(threads), 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    };
    // At worst one row has all entries. Each product is rounded once more.
    let depth = p.n + 1;
    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut Product| {
        if config.grid_dim.0 == 0 {
            return Ok(()); // Without rows there are no results, and a grid without blocks is an error.
        }
        let mut y = p.y.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&p.columns).arg(&p.offsets).arg(&p.x);
        launch.arg(&mut y).arg(&p.rows);
        // SAFETY: spmv_thread_per_row.cu is `(const f32* values, const u32* columns, const u32* offsets, const f32* x,
        // f32* y, u32 rows)`. It reads offsets[0 ..= rows], all entries, and x at their columns, and writes
        // y[0 .. rows].
        unsafe { launch.launch(config) }.map(drop)
    }))
}
