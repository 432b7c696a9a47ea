//! All blocks are resident and walk over the tiles in rounds. In a round, every block reads all aggregates.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{PrefixScan, tile_depth, vectors_only},
};

/// The rung `all_gather`.
pub static RUNG: Rung = Rung::new(
    "all_gather",
    "in rounds: every block reads the aggregates of all blocks",
    ptx!("kernels/all_gather.ptx"),
)
.refuses(vectors_only);

/// One cooperative launch, with at most two blocks per multiprocessor.
pub fn prepare<T: Element>(p: &PrefixScan<T>, rung: &Rung) -> Prepared<PrefixScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry(p.kind))?; // such as inclusive_sum_f32
    let tiles = p.n.div_ceil(32_768 / size_of::<T>() as u64); // of 32 KiB
    // One thread of a block per block of the grid.
    let most = (2 * p.device.properties.multiprocessors).min(512);
    let blocks = tiles.clamp(1, most.into());
    let config = LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (512, 1, 1),
        shared_mem_bytes: 0,
    };
    // A tile; then in every round the aggregates of all blocks, 32 at a time.
    let depth = tile_depth::<T>(4) + tiles.div_ceil(blocks) * blocks.div_ceil(32) + 16;
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
        // SAFETY: all_gather.cu is `(const T* in, T* out, size_t n, u64* status, u32* launches)`. It reads
        // in[0 .. n], writes out[0 .. n], the status of every tile and one count per block. Status and launches were
        // zero before the first launch, and every launch on them has this grid. A cooperative launch runs
        // all its blocks at once.
        unsafe { launch.launch_cooperative(config) }.map(drop)
    }))
}
