//! One warp of a block copies tiles into two stages of shared memory. The other warps take them from there.

use cudarc::driver::{LaunchConfig, PushKernelArg, sys::CUfunction_attribute};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{PrefixScan, tile_depth, vectors_only},
};

/// The rung `producer_consumer`.
pub static RUNG: Rung = Rung::new(
    "producer_consumer",
    "one warp copies tiles into a ring of two stages, the others take them from there",
    ptx!("kernels/producer_consumer.compute_90.ptx"),
)
.refuses(vectors_only);

/// Bytes of a tile, and of a stage.
const STAGE: u32 = 24_576;

/// One cooperative launch, with at most two blocks per multiprocessor.
pub fn prepare<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(p.kind))?; // such as inclusive_sum_f32
    let tiles = p.n.div_ceil(u64::from(STAGE) / size_of::<T>() as u64);
    // One thread of a block per block of the grid.
    let most = (2 * p.device.properties.multiprocessors).min(512);
    let blocks = tiles.clamp(1, most.into());
    let config = LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (512 + 32, 1, 1), // consumers, and the warp that copies
        shared_mem_bytes: 2 * STAGE,
    };
    let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    kernel.set_attribute(attribute, config.shared_mem_bytes as i32)?;
    // A tile; then in every round the aggregates of all blocks, 32 at a time.
    let depth = tile_depth::<T>(3) + tiles.div_ceil(blocks) * blocks.div_ceil(32) + 16;
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
        launch.arg(&mut status).arg(&mut launches);
        // SAFETY: producer_consumer.cu is `(const T* in, T* out, size_t n, u64* status, u32* launches)`. It reads
        // in[0 .. n], writes out[0 .. n], the status of every tile and one count per block. Status and launches were
        // zero before the first launch, and every launch on them has this grid. A cooperative launch runs
        // all its blocks at once. The dynamic shared memory holds two stages.
        unsafe { launch.launch_cooperative(config) }.map(drop)
    }))
}
