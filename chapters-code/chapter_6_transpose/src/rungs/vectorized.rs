//! The kernel loads and stores 16 bytes at a time, on both sides.

use cudarc::driver::{
    LaunchConfig, PushKernelArg,
    sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{Batch, Destination, Layout, Matrices, matrices_only},
};

/// The rung `vectorized`.
pub static RUNG: Rung = Rung::new(
    "vectorized",
    "loads and stores of 16 bytes on both sides",
    ptx!("kernels/vectorized.ptx"),
)
.refuses(matrices_only);

/// One block of 256 threads per tile whose rows have 16 packs of 16 bytes, 256 bytes in all.
pub fn prepare<T: Element>(p: &Matrices<T>, rung: &Rung) -> Prepared<Matrices<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry("transpose"))?; // such as transpose_4
    let side = 256 / size_of::<T>() as u32;
    let tiles = p.layout.tiles(side.into(), side.into());
    let config = move |matrices: u32| LaunchConfig {
        grid_dim: (tiles, matrices, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 256 * side, // 64 KiB for elements of one byte
    };
    kernel.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 256 * side as i32)?;
    Ok(Launch::new(kernel.clone(), config(1), Destination::Output, move |p: &mut Matrices<T>| {
        let Layout { rows, cols, ld_in, ld_out, .. } = p.layout;
        for Batch { input, output, count } in p.layout.launches() {
            let input = p.input.slice(input..);
            let mut out = p.out.view_mut();
            let mut out = out.slice_mut(output..);
            let mut launch = p.device.stream.launch_builder(&kernel);
            launch.arg(&input).arg(&mut out);
            launch.arg(&rows).arg(&cols).arg(&ld_in).arg(&ld_out);
            // SAFETY: vectorized.cu is `(const T* in, T* out, size_t rows, size_t cols, size_t ld_in,
            // size_t ld_out)`. Its blocks in y read `count` matrices of `rows` rows and write as many of
            // `cols` rows, which the slices hold.
            unsafe { launch.launch(config(count))? };
        }
        Ok(())
    }))
}
