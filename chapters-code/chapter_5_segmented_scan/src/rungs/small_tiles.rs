//! For few elements: small tiles, all at once, and nothing is zeroed before a launch.

use chapter_3_scan::problem::tile_depth;
use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{SegmentedScan, unsuited},
};

/// The rung `small_tiles`.
pub static RUNG: Rung = Rung::new(
    "small_tiles",
    "small tiles, all at once: a look-back in one launch, without a memset",
    ptx!("kernels/small_tiles.ptx"),
)
.refuses(unsuited);

/// One cooperative launch, with one block per tile of 8 KiB, as far as the device holds them.
pub fn prepare<T: Element>(p: &SegmentedScan<T>, rung: &Rung) -> Prepared<SegmentedScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as inclusive_sum_f32
    let tiles = p.n.div_ceil(8192 / size_of::<T>() as u64);
    // The kernel takes no more registers than four blocks per multiprocessor have.
    let most = p.device.resident_blocks(512);
    let blocks = tiles.clamp(1, most.into());
    let config = grid(blocks, 512);
    // A tile; then 32 tiles before it at a time, 5 operations in a warp and one to join them.
    let depth = tile_depth::<T>(1) + tiles.div_ceil(32) + 16;
    // Zeroed once. They belong to this grid and these tiles: a block counts its launches.
    let words = (size_of::<T>() as u64).div_ceil(4); // 32 bits of a value, and a tag, in each
    let mut status = p.device.stream.alloc_zeros::<u64>((tiles * words).max(1) as usize)?;
    let mut launches = p.device.stream.alloc_zeros::<u32>(blocks as usize)?;

    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut SegmentedScan<T>| {
        if tiles == 0 {
            return Ok(());
        }
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&p.bits).arg(&mut out).arg(&p.n);
        launch.arg(&mut status).arg(&mut launches);
        // SAFETY: small_tiles.cu is `(const T* in, const u32* bits, T* out, size_t n, u64* status, u32* launches)`. It
        // reads in[0 .. n] and ceil(n / 32) words of flags, writes out[0 .. n], the status of every tile and one count
        // per block. Status and launches were zero before the first launch, and every launch on them has this grid.
        // A cooperative launch runs all its blocks at once.
        unsafe { launch.launch_cooperative(config) }.map(drop)
    }))
}
