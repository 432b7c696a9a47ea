//! The two blocks of a cluster share one histogram: each has half of the counters, and adds to both halves.

use cudarc::driver::{LaunchConfig, PushKernelArg, sys::CUfunction_attribute_enum::*};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung, bins,
    geometry::{self, TileBlocks},
    problem::{Counting, refuses},
    reference::Key,
};

/// The rung `clustered`.
pub static RUNG: Rung = Rung::new(
    "clustered",
    "two blocks of a cluster share one histogram",
    ptx!("kernels/clustered.compute_90.ptx"),
)
.refuses(|rung, case| refuses(rung, case, bins::MOST));

/// The number of blocks of a cluster, as in `clustered.cu`.
const CLUSTER: u32 = 2;

/// One launch. The kernel itself declares that its blocks come in clusters, so the launch names none.
pub fn prepare<K: Key>(p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as histogram_u32
    let counters = p.bins.counters().div_ceil(CLUSTER);
    let resident = TileBlocks::ALONE.on(&p.device, counters)? / CLUSTER * CLUSTER;
    let tiles = geometry::tiles(p.case.input_bytes()).next_multiple_of(u64::from(CLUSTER));
    let blocks = tiles.clamp(CLUSTER.into(), resident.into());
    let config =
        LaunchConfig { shared_mem_bytes: 4 * counters, ..grid(blocks, TileBlocks::ALONE.threads) };
    let bytes = config.shared_mem_bytes as i32; // may be more than 48 KiB
    kernel.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
    let mut state = p.device.stream.alloc_zeros::<u64>(2)?;

    Ok(Launch::new(kernel.clone(), config, (), move |p: &mut Counting<K>| {
        let mut counts = p.counts.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.keys).arg(&mut counts).arg(&p.n).arg(&p.bins).arg(&mut state);
        // SAFETY: clustered.cu is `(const T* in, u32* out, size_t n, Bins bins, State* state)`. It reads in[0 .. n] and
        // writes out[0 .. bins.count + 3]. Shared memory holds a block's part of the counters, the grid is a
        // multiple of the cluster and the same in every launch, and the state is zero before the first one.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
