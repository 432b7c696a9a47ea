//! `reduce_merge_path`, whose elements are products.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, buffer, kernel::grid, ptx};

use super::reduce_merge_path::{RESIDENT, blocks, depth};
use crate::{
    Rung,
    problem::{Product, unsuited},
};

/// The rung `spmv_merge_path`.
pub static RUNG: Rung = Rung::new(
    "spmv_merge_path",
    "reduce_merge_path, whose elements are products",
    ptx!("kernels/spmv_merge_path.ptx"),
)
.refuses(unsuited);

/// One launch, over a path of all entries and all ends of rows.
pub fn prepare(p: &Product, rung: &Rung) -> Prepared<Product> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as multiply_f32
    let most = u64::from(RESIDENT * p.device.properties.multiprocessors);
    let config = grid(blocks(p.n + u64::from(p.rows), most), 256);
    let depth = depth(p.n, blocks(p.n, most)) + 1; // each product is rounded once more
    // What every block leaves open, and the first row that ends in it.
    let mut open = buffer::scratch::<f32>(&p.device, most)?;
    let mut first = buffer::scratch::<u32>(&p.device, most)?;
    let mut counter = p.device.stream.alloc_zeros::<u32>(1)?;

    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut Product| {
        if p.rows == 0 {
            return Ok(());
        }
        let mut y = p.y.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&p.columns).arg(&p.offsets).arg(&p.x);
        launch.arg(&mut y).arg(&p.rows).arg(&p.n);
        launch.arg(&mut open).arg(&mut first).arg(&mut counter);
        // SAFETY: spmv_merge_path.cu is `(const f32* values, const u32* columns, const u32* offsets, const f32* x,
        // f32* y, u32 rows, size_t n, f32* open, u32* first, unsigned* counter)`. It reads n values and columns,
        // offsets[0 ..= rows] and x at the columns, and writes y[0 .. rows], and open and first for each block.
        // The counter is 0 before and after every launch.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
