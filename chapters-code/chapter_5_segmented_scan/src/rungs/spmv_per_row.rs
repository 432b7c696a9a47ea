//! Every row of the matrix has a thread, a warp or some lanes. The launches differ in the threads of a row.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, Refusal, SINGLE_THREAD_MAX, kernel::grid, ptx};

use crate::{
    Case, Rung,
    problem::{Product, longer_than, products_only},
};

/// The rung `spmv_thread_per_row`.
pub static THREAD: Rung = Rung::new(
    "spmv_thread_per_row",
    "every row of the matrix has a thread",
    ptx!("kernels/spmv_thread_per_row.ptx"),
)
.refuses(|rung, case| products_only(rung, case).or_else(|| longer_than(SINGLE_THREAD_MAX, case)));

/// One thread per row. At worst one row has all entries.
pub fn thread(p: &Product, rung: &Rung) -> Prepared<Product> {
    let threads = p.case.block.unwrap_or(256);
    multiply(grid(p.rows.div_ceil(threads).into(), threads), p.n, p, rung)
}

/// The rung `spmv_warp_per_row`.
pub static WARP: Rung =
    Rung::new("spmv_warp_per_row", "every row has a warp", ptx!("kernels/spmv_warp_per_row.ptx"))
        .refuses(too_long_for_a_block);

/// One warp per row.
pub fn warp(p: &Product, rung: &Rung) -> Prepared<Product> {
    // A lane's entries, then the lanes; at worst one row has all entries.
    let additions = p.n.div_ceil(32) + 5;
    multiply(grid(p.rows.div_ceil(256 / 32).into(), 256), additions, p, rung)
}

/// The rung `spmv_lanes_per_row`.
pub static LANES: Rung = Rung::new(
    "spmv_lanes_per_row",
    "every row has as many lanes as the mean row needs, with four entries in flight",
    ptx!("kernels/spmv_lanes_per_row.ptx"),
)
.refuses(too_long_for_a_block);

/// One group of lanes per row, four entries per lane.
pub fn lanes(p: &Product, rung: &Rung) -> Prepared<Product> {
    let mean = p.n.div_ceil(u64::from(p.rows).max(1));
    let lanes = mean.div_ceil(4).clamp(1, 32).next_power_of_two() as u32;
    let config = LaunchConfig {
        grid_dim: (p.rows.div_ceil(256 / lanes), 1, 1),
        block_dim: (lanes, 256 / lanes, 1),
        shared_mem_bytes: 0,
    };
    // A lane's entries, then the lanes; at worst one row has all entries.
    multiply(config, p.n.div_ceil(u64::from(lanes)) + 5, p, rung)
}

/// Leaves out rows that a warp or a block takes too long for, and refuses other tasks.
fn too_long_for_a_block(rung: &Rung, case: &Case) -> Option<Refusal> {
    products_only(rung, case).or_else(|| longer_than(16 * SINGLE_THREAD_MAX, case))
}

/// One launch, in which each product passes through `additions` additions.
fn multiply(config: LaunchConfig, additions: u64, p: &Product, rung: &Rung) -> Prepared<Product> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as multiply_f32
    let depth = additions + 1; // each product is rounded once more
    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut Product| {
        if config.grid_dim.0 == 0 {
            return Ok(()); // Without rows there are no results, and a grid without blocks is an error.
        }
        let mut y = p.y.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&p.columns).arg(&p.offsets).arg(&p.x);
        launch.arg(&mut y).arg(&p.rows);
        // SAFETY: spmv_thread_per_row.cu, spmv_warp_per_row.cu and spmv_lanes_per_row.cu are `(const f32* values, const
        // u32* columns, const u32* offsets, const f32* x, f32* y, u32 rows)`. They read offsets[0 ..= rows], all
        // entries, and x at their columns, and write y[0 .. rows]. The blocks of `lanes` are 256 threads in rows of a
        // power of two up to 32.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
