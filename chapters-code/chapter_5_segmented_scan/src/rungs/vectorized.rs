//! Each load takes 16 bytes, and flags are bits.

use chapter_3_scan::problem::tile_depth;
use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, Rung, rung};

use crate::pairs::{ADD_BLOCK_OFFSETS, Pairs, add_block_offsets, one_thread_per_element};
use crate::problem::scan::{SegmentedScan, scans_only};

rung!("vectorized", "16 bytes per load, and flags as bits", refuses(scans_only));

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
    let add_block_offsets = add_block_offsets(p, ADD_BLOCK_OFFSETS)?;
    let mut pairs = Pairs::new(p, blocks, add_block_offsets.clone())?;
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
        if blocks == 1 {
            return Ok(());
        }

        pairs.scan(&p.device.stream)?;
        let first = &pairs.levels[0];
        let mut launch = p.device.stream.launch_builder(&add_block_offsets);
        launch.arg(&mut out).arg(&p.n).arg(&first.scanned).arg(&first.reached).arg(&tile);
        // SAFETY: add_block_offsets.cu is `(T* out, size_t n, const T* scanned, const u32* reached, size_t items_per_block)`.
        // It updates out[0 .. n], and reads scanned and reached for each block of `share` elements.
        unsafe { launch.launch(one_thread_per_element(p.n)) }.map(drop)
    }))
}
