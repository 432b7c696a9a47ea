//! Every block counts the keys of one range of the bins, for histograms larger than shared memory.

use cudarc::driver::{LaunchConfig, PushKernelArg, sys::CUfunction_attribute_enum::*};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung, bins,
    geometry::{self, SharedMemory, TileBlocks},
    problem::{Counting, refuses},
    reference::Key,
};

/// The rung `ranges`.
pub static RUNG: Rung =
    Rung::new("ranges", "each block counts a range of the bins", ptx!("kernels/ranges.ptx"))
        .refuses(|rung, case| refuses(rung, case, bins::MOST));

/// One launch, with the fewest ranges that fit a block that has a multiprocessor to itself, and at least two.
pub fn prepare<K: Key>(p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as histogram_u32
    let counters = p.bins.counters();
    let room = SharedMemory::of(&p.device)?.counters(1);
    let ranges = counters.div_ceil(room.max(1)).max(2);
    let width = counters.div_ceil(ranges);
    // The blocks of one range share the tiles of the input.
    let resident = TileBlocks::ALONE.on(&p.device, width)?;
    let tiles = geometry::tiles(p.case.input_bytes());
    let per_range = tiles.clamp(1, u64::from((resident / ranges).max(1)));
    let blocks = per_range * u64::from(ranges);
    let config =
        LaunchConfig { shared_mem_bytes: 4 * width, ..grid(blocks, TileBlocks::ALONE.threads) };
    let bytes = config.shared_mem_bytes as i32; // may be more than 48 KiB
    kernel.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
    let mut state = p.device.stream.alloc_zeros::<u64>(2)?;

    Ok(Launch::new(kernel.clone(), config, (), move |p: &mut Counting<K>| {
        let mut counts = p.counts.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.keys).arg(&mut counts).arg(&p.n).arg(&p.bins);
        launch.arg(&ranges).arg(&mut state);
        // SAFETY: ranges.cu is `(const T* in, u32* out, size_t n, Bins bins, u32 ranges, State* state)`. It reads
        // in[0 .. n] and writes out[0 .. bins.count + 3]. Shared memory holds a range, the grid is a multiple
        // of the ranges and the same in every launch, and the state is zero before the first one.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
