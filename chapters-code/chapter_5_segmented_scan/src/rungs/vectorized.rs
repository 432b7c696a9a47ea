//! Each load takes 16 bytes, and flags are bits.

use chapter_3_scan::problem::tile_depth;
use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, ptx};

use crate::problem::{SegmentedScan, unsuited};
use crate::{
    Rung,
    pairs::{ADD_BLOCK_OFFSETS, Pairs},
};

/// The rung `vectorized`.
pub static RUNG: Rung =
    Rung::new("vectorized", "16 bytes per load, and flags as bits", ptx!("kernels/vectorized.ptx"))
        .refuses(unsuited);

/// Scans the blocks, then the pairs that they leave, and adds what is open before each block.
pub fn prepare<T: Element>(p: &SegmentedScan<T>, rung: &Rung) -> Prepared<SegmentedScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as inclusive_sum_f32
    let tile = 16_384 / size_of::<T>() as u64; // elements per block
    let blocks = p.n.div_ceil(tile).max(1);
    let config = LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut pairs = Pairs::new(p, blocks, tile, ADD_BLOCK_OFFSETS)?;
    // A tile with four rows per warp, and the offset of the block.
    let depth = tile_depth::<T>(4) + pairs.depth();

    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut SegmentedScan<T>| {
        let mut out = p.out.view_mut();
        let first = &mut pairs.levels[0];
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&p.bits).arg(&mut out).arg(&p.n);
        launch.arg(&mut first.values).arg(&mut first.heads).arg(&mut first.reached);
        // SAFETY: vectorized.cu is `(const T* in, const u32* bits, T* out, size_t n, T* values, u8* heads, u32*
        // reached)`. It reads in[0 .. n] and their flags, writes out[0 .. n], and the other three per block.
        unsafe { launch.launch(config)? };
        pairs.scan_and_add(p)
    }))
}
