//! A square matrix becomes its own transpose, in place.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{Batch, Destination, Layout, Matrices, squares_only},
};

/// The rung `in_place`.
pub static RUNG: Rung = Rung::new(
    "in_place",
    "a square matrix in place: a block swaps a tile and its mirror image",
    ptx!("kernels/in_place.ptx"),
)
.refuses(squares_only);

/// One block of 32 x 8 threads per tile of 32 x 32 elements. Blocks below the diagonal do nothing.
pub fn prepare<T: Element>(p: &Matrices<T>, rung: &Rung) -> Prepared<Matrices<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry("in_place"))?; // such as in_place_4
    let tiles = p.layout.tiles(32, 32);
    let config = move |matrices: u32| LaunchConfig {
        grid_dim: (tiles, matrices, 1),
        block_dim: (32, 8, 1),
        shared_mem_bytes: 0,
    };
    Ok(Launch::new(kernel.clone(), config(1), Destination::InPlace, move |p: &mut Matrices<T>| {
        let Layout { rows: n, ld_in: ld, .. } = p.layout;
        for Batch { input, count, .. } in p.layout.launches() {
            let mut square = p.square.view_mut();
            let mut square = square.slice_mut(input..);
            let mut launch = p.device.stream.launch_builder(&kernel);
            launch.arg(&mut square).arg(&n).arg(&ld);
            // SAFETY: in_place.cu is `(T* matrix, size_t n, size_t ld)`. Its blocks in y read and write `count`
            // matrices of n rows, ld elements apart, which the slice holds.
            unsafe { launch.launch(config(count))? };
        }
        Ok(())
    }))
}
