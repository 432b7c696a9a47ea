//! Warp specialization: some warps count tiles of the mask ahead of the data.

use cudarc::driver::{LaunchConfig, PushKernelArg, sys::CUfunction_attribute};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, kernel, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Compaction, Order, by_mask_only},
};

/// The rung `warp_specialized`.
pub static RUNG: Rung = Rung::new(
    "warp_specialized",
    "warp specialization: some warps count tiles of the mask ahead of the data",
    ptx!("kernels/warp_specialized.compute_90.ptx"),
)
.refuses(by_mask_only);

/// Elements of a tile.
const TILE: u64 = 8192;
/// Static shared memory of the kernel, in bytes, at most.
const STATIC: u32 = 20 * 1024;

/// One cooperative launch, with at most one block per multiprocessor.
pub fn prepare<T: Element>(p: &Compaction<T>, rung: &Rung) -> Prepared<Compaction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as mask_b32
    let stage = TILE as u32 * size_of::<T>() as u32; // bytes
    let stages = kernel::stages_that_fit(&p.device, rung, STATIC, 1, stage)?.min(16);
    let tiles = p.n.div_ceil(TILE);
    // One warp reads the counts of a round, of at most 160 blocks.
    let blocks = tiles.clamp(1, p.device.properties.multiprocessors.min(160).into());
    let config = LaunchConfig { shared_mem_bytes: stages * stage, ..grid(blocks, 384) };
    let attribute = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    kernel.set_attribute(attribute, config.shared_mem_bytes as i32)?;
    // Zeroed once. They belong to this grid and these tiles: a block counts its launches.
    let mut status = p.device.stream.alloc_zeros::<u64>(tiles.max(1) as usize)?;
    let mut launches = p.device.stream.alloc_zeros::<u32>(blocks as usize)?;

    Ok(Launch::new(kernel.clone(), config, Order::Selected, move |p: &mut Compaction<T>| {
        if p.n == 0 {
            return p.device.stream.memset_zeros(&mut p.count.view_mut());
        }
        let (mut out, mut count) = (p.out.view_mut(), p.count.view_mut());
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&p.n).arg(&p.capacity);
        launch.arg(&mut count).arg(&p.mask).arg(&p.pivot);
        launch.arg(&mut status).arg(&mut launches).arg(&stages);
        // SAFETY: warp_specialized.cu is `(const T* in, T* out, size_t n, size_t capacity, u64* selected, const void*
        // mask, u64 pivot, u64* status, u32* launches, u32 stages)`. It reads in[0 .. n] and the mask, and writes
        // *selected, at most out[0 .. capacity], one status word per tile and one count per block. Status and launches
        // were zero before the first launch, and every launch on them has this grid. A cooperative launch runs
        // all its blocks at once. The dynamic shared memory holds the stages.
        unsafe { launch.launch_cooperative(config) }.map(drop)
    }))
}
