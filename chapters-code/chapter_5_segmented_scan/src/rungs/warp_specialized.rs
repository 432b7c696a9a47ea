//! Warp specialization: one warp copies tiles to a ring of stages, others reduce and scan them there.

use chapter_3_scan::problem::tile_depth;
use cudarc::driver::{LaunchConfig, PushKernelArg, sys::CUfunction_attribute_enum::*};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, kernel, ptx};

use crate::{
    Rung,
    problem::{SegmentedScan, unsuited},
};

/// The rung `warp_specialized`.
pub static RUNG: Rung = Rung::new(
    "warp_specialized",
    "warp specialization: tiles wait in shared memory, and are read once",
    ptx!("kernels/warp_specialized.compute_90.ptx"),
)
.refuses(unsuited);

/// Bytes of a tile, and of a stage, which holds its flags too.
const TILE: u64 = 24_576;
const STAGE: u32 = 25_344;
/// Warps that reduce tiles in turn. The number of stages is a multiple of it.
const REDUCERS: u32 = 3;
/// Static shared memory of the kernel, in bytes, at most.
const STATIC: u32 = 2048;

/// One cooperative launch, with at most one block per multiprocessor.
pub fn prepare<T: Element>(p: &SegmentedScan<T>, rung: &Rung) -> Prepared<SegmentedScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as inclusive_sum_f32
    let fit = kernel::stages_that_fit(&p.device, rung, STATIC, REDUCERS, STAGE)?;
    let stages = fit.min(9) / REDUCERS * REDUCERS;
    let tiles = p.n.div_ceil(TILE / size_of::<T>() as u64);
    // One warp reads the aggregates of a round, of at most 160 blocks.
    let blocks = tiles.clamp(1, p.device.properties.multiprocessors.min(160).into());
    let config = LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (13 * 32, 1, 1),
        shared_mem_bytes: stages * STAGE,
    };
    let bytes = config.shared_mem_bytes as i32; // more than 48 KiB
    kernel.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
    // A tile; one operation per round for what is open; before that, at most 48 for the aggregate of a tile
    // (six rows, a warp, eight parts) and that of its round (five groups of 32).
    let depth = tile_depth::<T>(6) + tiles.div_ceil(blocks) + 48;
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
        launch.arg(&mut status).arg(&mut launches).arg(&stages);
        // SAFETY: warp_specialized.cu is `(const T* in, const u32* bits, T* out, size_t n, u64* status, u32* launches,
        // u32 stages)`. It reads in[0 .. n] and their flags, in a multiple of 16 bytes, and writes out[0 .. n], the
        // status of every tile and one count per block. Status and launches were zero before the first launch, and
        // every launch on them has this grid. A cooperative launch runs all its blocks at once. The dynamic shared
        // memory holds the stages.
        unsafe { launch.launch_cooperative(config) }.map(drop)
    }))
}
