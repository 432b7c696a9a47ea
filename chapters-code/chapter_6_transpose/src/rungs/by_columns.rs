//! A warp reads a column and writes a row.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{Batch, Destination, Layout, Matrices, matrices_only},
};

/// The rung `by_columns`.
pub static RUNG: Rung = Rung::new(
    "by_columns",
    "a warp reads a column and writes a row",
    ptx!("kernels/by_columns.ptx"),
)
.refuses(matrices_only);

/// One block of 32 x 32 threads per tile of 32 x 32 elements; a thread moves one element.
pub fn prepare<T: Element>(p: &Matrices<T>, rung: &Rung) -> Prepared<Matrices<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry("transpose"))?; // such as transpose_4
    let tiles = p.layout.tiles(32, 32);
    let config = move |matrices: u32| LaunchConfig {
        grid_dim: (tiles, matrices, 1),
        block_dim: (32, 32, 1),
        shared_mem_bytes: 0,
    };
    Ok(Launch::new(kernel.clone(), config(1), Destination::Output, move |p: &mut Matrices<T>| {
        let Layout { rows, cols, ld_in, ld_out, .. } = p.layout;
        for Batch { input, output, count } in p.layout.launches() {
            let input = p.input.slice(input..);
            let mut out = p.out.view_mut();
            let mut out = out.slice_mut(output..);
            let mut launch = p.device.stream.launch_builder(&kernel);
            launch.arg(&input).arg(&mut out);
            launch.arg(&rows).arg(&cols).arg(&ld_in).arg(&ld_out);
            // SAFETY: by_columns.cu is `(const T* in, T* out, size_t rows, size_t cols, size_t ld_in, size_t
            // ld_out)`. Its blocks in y read `count` matrices of `rows` rows and write as many of `cols`
            // rows, which the slices hold.
            unsafe { launch.launch(config(count))? };
        }
        Ok(())
    }))
}
