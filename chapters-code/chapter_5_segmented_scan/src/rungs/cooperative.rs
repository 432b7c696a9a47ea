//! One cooperative launch of a single pass. The launches differ in the tile, in the blocks and in the stages of shared
//! memory.

use chapter_3_scan::problem::tile_depth;
use cudarc::driver::{LaunchConfig, PushKernelArg, sys::CUfunction_attribute_enum::*};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, kernel, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{SegmentedScan, scans_only},
};

/// The rung `warp_specialized`. One warp copies tiles to a ring of stages, others reduce and scan them there.
pub static WARP_SPECIALIZED: Rung = Rung::new(
    "warp_specialized",
    "warp specialization: tiles wait in shared memory, and are read once",
    ptx!("kernels/warp_specialized.compute_90.ptx"),
)
.refuses(scans_only);

/// Bytes of a tile, and of a stage, which holds its flags too.
const TILE: u64 = 24_576;
const STAGE: u32 = 25_344;
/// Warps that reduce tiles in turn. The number of stages is a multiple of it.
const REDUCERS: u32 = 3;
/// Static shared memory of the kernel, in bytes, at most.
const STATIC: u32 = 2048;

/// At most one block per multiprocessor, with as many stages as fit.
pub fn warp_specialized<T: Element>(
    p: &SegmentedScan<T>,
    rung: &Rung,
) -> Prepared<SegmentedScan<T>> {
    let fit = kernel::stages_that_fit(&p.device, rung, STATIC, REDUCERS, STAGE)?;
    let stages = fit.min(9) / REDUCERS * REDUCERS;
    let tiles = p.n.div_ceil(TILE / size_of::<T>() as u64);
    // One warp reads the aggregates of a round, of at most 160 blocks.
    let blocks = tiles.clamp(1, p.device.properties.multiprocessors.min(160).into());
    let config = LaunchConfig { shared_mem_bytes: stages * STAGE, ..grid(blocks, 13 * 32) };
    // A tile; one operation per round for what is open; before that, at most 48 for the aggregate of a tile
    // (six rows, a warp, eight parts) and that of its round (five groups of 32).
    let depth = tile_depth::<T>(6) + tiles.div_ceil(blocks) + 48;
    cooperative(tiles, config, Some(stages), depth, p, rung)
}

/// The rung `small_tiles`, for few elements. Nothing is zeroed before a launch.
pub static SMALL_TILES: Rung = Rung::new(
    "small_tiles",
    "small tiles, all at once: a look-back in one launch, without a memset",
    ptx!("kernels/small_tiles.ptx"),
)
.refuses(scans_only);

/// One block per tile of 8 KiB, as far as the device holds them.
pub fn small_tiles<T: Element>(p: &SegmentedScan<T>, rung: &Rung) -> Prepared<SegmentedScan<T>> {
    let tiles = p.n.div_ceil(8192 / size_of::<T>() as u64);
    // The kernel takes no more registers than four blocks per multiprocessor have.
    let blocks = tiles.clamp(1, p.device.resident_blocks(512).into());
    // A tile; then 32 tiles before it at a time, 5 operations in a warp and one to join them.
    let depth = tile_depth::<T>(1) + tiles.div_ceil(32) + 16;
    cooperative(tiles, grid(blocks, 512), None, depth, p, rung)
}

/// One cooperative launch. A kernel that takes the number of its stages gets it.
fn cooperative<T: Element>(
    tiles: u64,
    config: LaunchConfig,
    stages: Option<u32>,
    depth: u64,
    p: &SegmentedScan<T>,
    rung: &Rung,
) -> Prepared<SegmentedScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as inclusive_sum_f32
    if config.shared_mem_bytes > 0 {
        let bytes = config.shared_mem_bytes as i32; // more than 48 KiB
        kernel.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
    }
    // Zeroed once. They belong to this grid and these tiles: a block counts its launches.
    let words = (size_of::<T>() as u64).div_ceil(4); // 32 bits of a value, and a tag, in each
    let mut status = p.device.stream.alloc_zeros::<u64>((tiles * words).max(1) as usize)?;
    let mut launches = p.device.stream.alloc_zeros::<u32>(config.grid_dim.0 as usize)?;

    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut SegmentedScan<T>| {
        if tiles == 0 {
            return Ok(());
        }
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&p.bits).arg(&mut out).arg(&p.n);
        launch.arg(&mut status).arg(&mut launches);
        if let Some(stages) = &stages {
            launch.arg(stages);
        }
        // SAFETY: small_tiles.cu is `(const T* in, const u32* bits, T* out, size_t n, u64* status, u32* launches)`, and
        // warp_specialized.cu has one more argument, `u32 stages`. They read in[0 .. n] and ceil(n / 32) words of
        // flags, in a multiple of 16 bytes, and write out[0 .. n], the status of every tile and one count per block.
        // Status and launches were zero before the first launch, and every launch on them has this grid. A cooperative
        // launch runs all its blocks at once. The dynamic shared memory holds the stages.
        unsafe { launch.launch_cooperative(config) }.map(drop)
    }))
}
