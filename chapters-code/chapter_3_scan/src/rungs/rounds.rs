//! All blocks are resident and walk over the tiles in rounds. In a round, blocks read the aggregates of all blocks. The
//! launches differ in the tile, in the blocks and in the stages of shared memory.

use cudarc::driver::{LaunchConfig, PushKernelArg, sys::CUfunction_attribute_enum::*};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, kernel, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{PrefixScan, tile_depth, vectors_only},
};

/// The rung `all_gather`.
pub static ALL_GATHER: Rung = Rung::new(
    "all_gather",
    "in rounds: every block reads the aggregates of all blocks",
    ptx!("kernels/all_gather.ptx"),
)
.refuses(vectors_only);

/// At most two blocks per multiprocessor, and tiles of 32 KiB.
pub fn all_gather<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let tiles = p.n.div_ceil(32_768 / size_of::<T>() as u64);
    let blocks = two_per_multiprocessor(p, tiles);
    // A tile; then in every round the aggregates of all blocks, 32 at a time.
    let depth = tile_depth::<T>(4) + tiles.div_ceil(blocks) * blocks.div_ceil(32) + 16;
    in_rounds(tiles, grid(blocks, 512), None, depth, p, rung)
}

/// The rung `producer_consumer`. The stages are in shared memory.
pub static PRODUCER_CONSUMER: Rung = Rung::new(
    "producer_consumer",
    "one warp copies tiles into a ring of two stages, the others take them from there",
    ptx!("kernels/producer_consumer.compute_90.ptx"),
)
.refuses(vectors_only);

/// Bytes of a tile, and of the stage that holds it.
const STAGE: u32 = 24_576;

/// At most two blocks per multiprocessor, each with two stages.
pub fn producer_consumer<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let tiles = p.n.div_ceil(u64::from(STAGE) / size_of::<T>() as u64);
    let blocks = two_per_multiprocessor(p, tiles);
    let config = LaunchConfig {
        shared_mem_bytes: 2 * STAGE,
        ..grid(blocks, 512 + 32) // consumers, and the warp that copies
    };
    // A tile; then in every round the aggregates of all blocks, 32 at a time.
    let depth = tile_depth::<T>(3) + tiles.div_ceil(blocks) * blocks.div_ceil(32) + 16;
    in_rounds(tiles, config, None, depth, p, rung)
}

/// As many blocks as tiles, at most two per multiprocessor: one thread of a block per block of the grid.
fn two_per_multiprocessor<T: Element>(p: &PrefixScan<T>, tiles: u64) -> u64 {
    tiles.clamp(1, (2 * p.device.properties.multiprocessors).min(512).into())
}

/// The rung `warp_specialized`. One warp copies tiles to a ring of stages, others reduce and scan them there.
pub static WARP_SPECIALIZED: Rung = Rung::new(
    "warp_specialized",
    "warp specialization: tiles wait in shared memory, and are read once",
    ptx!("kernels/warp_specialized.compute_90.ptx"),
)
.refuses(vectors_only);

/// Warps that reduce tiles in turn. The number of stages is a multiple of it, see `reduce` in the kernel.
const REDUCERS: u32 = 4;
/// Static shared memory of the kernel, in bytes, at most.
const STATIC: u32 = 2048;

/// At most one block per multiprocessor, with as many stages as fit.
pub fn warp_specialized<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let fit = kernel::stages_that_fit(&p.device, rung, STATIC, REDUCERS, STAGE)?;
    let stages = fit.min(8) / REDUCERS * REDUCERS;
    let tiles = p.n.div_ceil(u64::from(STAGE) / size_of::<T>() as u64);
    // One warp reads the aggregates of a round, of at most 160 blocks.
    let blocks = tiles.clamp(1, p.device.properties.multiprocessors.min(160).into());
    let config = LaunchConfig {
        shared_mem_bytes: stages * STAGE,
        ..grid(blocks, 32 * (REDUCERS + 10)) // a warp that copies, one that gathers, eight that scan
    };
    // Sums commute, so the kernel adds them in the order that is shortest. The aggregate of a tile: a lane's
    // elements in six rows, the lanes, the eight parts of the tile. The sum of a round: a lane's blocks, the
    // lanes. Then one addition per round, and in the tile: the part, the row, the elements of a pack.
    let pack = 16 / size_of::<T>() as u64;
    let (aggregate, round) = (6 * pack + 5 + 8, blocks.div_ceil(32) + 5);
    let depth = aggregate + round + tiles.div_ceil(blocks) + 2 + pack;
    in_rounds(tiles, config, Some(stages), depth, p, rung)
}

/// One cooperative launch. A kernel that takes the number of its stages gets it.
fn in_rounds<T: Element>(
    tiles: u64,
    config: LaunchConfig,
    stages: Option<u32>,
    depth: u64,
    p: &PrefixScan<T>,
    rung: &Rung,
) -> Prepared<PrefixScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(p.kind))?; // such as inclusive_sum_f32
    if config.shared_mem_bytes > 0 {
        let bytes = config.shared_mem_bytes as i32; // may be more than 48 KiB
        kernel.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
    }
    // Zeroed once. They belong to this grid and these tiles: a block counts its launches.
    let words = (size_of::<T>() as u64).div_ceil(4); // 32 bits of a value, and a tag, in each
    let mut status = p.device.stream.alloc_zeros::<u64>((tiles * words).max(1) as usize)?;
    let mut launches = p.device.stream.alloc_zeros::<u32>(config.grid_dim.0 as usize)?;

    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut PrefixScan<T>| {
        if tiles == 0 {
            return Ok(());
        }
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.input).arg(&mut out).arg(&p.n);
        launch.arg(&mut status).arg(&mut launches);
        if let Some(stages) = &stages {
            launch.arg(stages);
        }
        // SAFETY: all_gather.cu and producer_consumer.cu are `(const T* in, T* out, size_t n, u64* status, u32*
        // launches)`, and warp_specialized.cu has one more argument, `u32 stages`. They read in[0 .. n], write out[0 ..
        // n], the status of every tile and one count per block. Status and launches were zero before the first launch,
        // and every launch on them has this grid. A cooperative launch runs all its blocks at once. The dynamic shared
        // memory holds the stages.
        unsafe { launch.launch_cooperative(config) }.map(drop)
    }))
}
