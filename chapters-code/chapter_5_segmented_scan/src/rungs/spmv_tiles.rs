//! One tile of entries per block, and a second kernel for rows of several tiles.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, PtxText, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Product, products_only},
};

/// The rung `spmv_tiles`.
pub static RUNG: Rung = Rung::new(
    "spmv_tiles",
    "one tile of 4,096 entries per block, and a second kernel for rows of several tiles",
    ptx!("kernels/spmv_tiles.ptx"),
)
.refuses(products_only);

/// Entries of a tile.
const TILE: u64 = 4096;

/// Two launches: the tiles, and the carries that they leave to each other.
pub fn prepare(p: &Product, rung: &Rung) -> Prepared<Product> {
    with_carries_by(rung.ptx, p, rung)
}

/// The same, where the kernel of `add_ptx` adds the carries.
pub fn with_carries_by(add_ptx: PtxText, p: &Product, rung: &Rung) -> Prepared<Product> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let multiply = module.load_function(&p.entry())?; // such as multiply_f32
    let module = p.device.context.load_module(Ptx::from_src(add_ptx))?;
    let add = module.load_function("add_carries")?;
    // Where tiles are full, one more, for the rows that end with the last entry.
    let tiles = (p.n / TILE + 1) as u32;
    let config = grid(tiles.into(), 512);
    let warp_per_tile = grid(tiles.div_ceil(8).into(), 256);
    // The product, a warp's scan, the warps of a tile; the carries of a lane, its warp, and the row.
    let depth = 1 + 16 + 16 + u64::from(tiles).div_ceil(32) + 5 + 1;
    // What every tile leaves open, and the first row that ends in it.
    let mut open = buffer::scratch::<f32>(&p.device, tiles.into())?;
    let mut first = buffer::scratch::<u32>(&p.device, tiles.into())?;

    // ANCHOR: launch
    Ok(Launch::new(multiply.clone(), config, depth, move |p: &mut Product| {
        let mut y = p.y.view_mut();
        let mut launch = p.device.stream.launch_builder(&multiply);
        launch.arg(&p.values).arg(&p.columns).arg(&p.offsets).arg(&p.x);
        launch.arg(&mut y).arg(&p.rows).arg(&p.n);
        launch.arg(&mut open).arg(&mut first);
        // SAFETY: `multiply_f32` is `(const f32* values, const u32* columns, const u32* offsets, const f32* x, f32* y,
        // u32 rows, size_t n, f32* open, u32* first)`. It reads n values and columns, offsets[0 ..= rows] and x at
        // the columns, and writes y[0 .. rows], and open and first for each of n / 4096 + 1 blocks.
        unsafe { launch.launch(config)? };

        let mut launch = p.device.stream.launch_builder(&add);
        launch.arg(&p.offsets).arg(&mut y).arg(&tiles);
        launch.arg(&open).arg(&first);
        // SAFETY: `add_carries` is `(const u32* offsets, f32* y, u32 tiles, const f32* open, const u32* first)`. It
        // reads what the first launch wrote for each tile, and reads and writes y at rows that end in a tile.
        unsafe { launch.launch(warp_per_tile) }.map(drop)
    }))
    // ANCHOR_END: launch
}
