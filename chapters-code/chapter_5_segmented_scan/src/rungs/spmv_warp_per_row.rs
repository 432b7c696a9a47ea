//! Every row of the matrix has a warp.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, SINGLE_THREAD_MAX, ptx};

use crate::{
    Rung,
    problem::{Product, unsuited_or_longer},
};

/// The rung `spmv_warp_per_row`.
pub static RUNG: Rung =
    Rung::new("spmv_warp_per_row", "every row has a warp", ptx!("kernels/spmv_warp_per_row.ptx"))
        .refuses(unsuited_or_longer::<{ 16 * SINGLE_THREAD_MAX }>);

/// One launch, with one warp per row.
pub fn prepare(p: &Product, rung: &Rung) -> Prepared<Product> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as multiply_f32
    let config = LaunchConfig {
        grid_dim: (p.rows.div_ceil(256 / 32), 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    // A lane's entries, then the lanes; at worst one row has all entries. Each product is rounded once more.
    let depth = p.n.div_ceil(32) + 5 + 1;
    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut Product| {
        if config.grid_dim.0 == 0 {
            return Ok(()); // Without rows there are no results, and a grid without blocks is an error.
        }
        let mut y = p.y.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&p.columns).arg(&p.offsets).arg(&p.x);
        launch.arg(&mut y).arg(&p.rows);
        // SAFETY: spmv_warp_per_row.cu is `(const f32* values, const u32* columns, const u32* offsets, const f32* x,
        // f32* y, u32 rows)`. It reads offsets[0 ..= rows], all entries, and x at their columns, and writes
        // y[0 .. rows].
        unsafe { launch.launch(config) }.map(drop)
    }))
}
