//! Warp specialization: one warp copies tiles to a ring of stages, others reduce and scan them there.

use cudarc::driver::{LaunchConfig, PushKernelArg, sys::CUfunction_attribute};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, kernel, ptx};

use crate::{
    Rung,
    problem::{PrefixScan, vectors_only},
};

/// The rung `warp_specialized`.
pub static RUNG: Rung = Rung::new(
    "warp_specialized",
    "warp specialization: tiles wait in shared memory, and are read once",
    ptx!("kernels/warp_specialized.compute_90.ptx"),
)
.refuses(vectors_only);

/// Bytes of a tile, and of the stage that holds it.
const STAGE: u32 = 24_576;
/// Warps that reduce tiles in turn. The number of stages is a multiple of it, see `reduce` in the kernel.
const REDUCERS: u32 = 4;
/// Static shared memory of the kernel, in bytes, at most.
const STATIC: u32 = 2048;

/// One cooperative launch, with at most one block per multiprocessor.
pub fn prepare<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(p.kind))?; // such as inclusive_sum_f32
    let fit = kernel::stages_that_fit(&p.device, rung, STATIC, REDUCERS, STAGE)?;
    let stages = fit.min(8) / REDUCERS * REDUCERS;
    let tiles = p.n.div_ceil(u64::from(STAGE) / size_of::<T>() as u64);
    // One warp reads the aggregates of a round, of at most 160 blocks.
    let blocks = tiles.clamp(1, p.device.properties.multiprocessors.min(160).into());
    let config = LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (32 * (REDUCERS + 10), 1, 1), // a warp that copies, one that gathers, eight that scan
        shared_mem_bytes: stages * STAGE,
    };
    let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    kernel.set_attribute(attribute, config.shared_mem_bytes as i32)?;
    // Sums commute, so the kernel adds them in the order that is shortest. The aggregate of a tile: a lane's
    // elements in six rows, the lanes, the eight parts of the tile. The sum of a round: a lane's blocks, the
    // lanes. Then one addition per round, and in the tile: the part, the row, the elements of a pack.
    let pack = 16 / size_of::<T>() as u64;
    let (aggregate, round) = (6 * pack + 5 + 8, blocks.div_ceil(32) + 5);
    let depth = aggregate + round + tiles.div_ceil(blocks) + 2 + pack;
    // Zeroed once. They belong to this grid and these tiles: a block counts its launches.
    let words = (size_of::<T>() as u64).div_ceil(4); // 32 bits of a value, and a tag, in each
    let mut status = p.device.stream.alloc_zeros::<u64>((tiles * words).max(1) as usize)?;
    let mut launches = p.device.stream.alloc_zeros::<u32>(blocks as usize)?;

    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut PrefixScan<T>| {
        if tiles == 0 {
            return Ok(());
        }
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        launch.arg(&mut status).arg(&mut launches).arg(&stages);
        // SAFETY: warp_specialized.cu is `(const T* in, T* out, size_t n, u64* status, u32* launches, u32 stages)`.
        // It reads in[0 .. n], writes out[0 .. n], the status of every tile and one count per block. Status and
        // launches were zero before the first launch, and every launch on them has this grid. A cooperative
        // launch runs all its blocks at once. The dynamic shared memory holds the stages.
        unsafe { launch.launch_cooperative(config) }.map(drop)
    }))
}
