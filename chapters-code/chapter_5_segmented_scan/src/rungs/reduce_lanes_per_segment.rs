//! Every segment has as many lanes of a warp as the mean length needs.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, SINGLE_THREAD_MAX, ptx};

use crate::{
    Rung,
    problem::{Reduced, SegmentedReduce, unsuited_or_longer},
};

/// The rung `reduce_lanes_per_segment`.
pub static RUNG: Rung = Rung::new(
    "reduce_lanes_per_segment",
    "every segment has as many lanes as the mean length needs, with 16-byte loads",
    ptx!("kernels/reduce_lanes_per_segment.ptx"),
)
.refuses(unsuited_or_longer::<{ 16 * SINGLE_THREAD_MAX }>);

/// Bytes of a segment that are worth a lane: four loads of 16 bytes.
const BYTES_PER_LANE: u64 = 64;

/// One launch, with one group of lanes per segment.
pub fn prepare<T: Element>(p: &SegmentedReduce<T>, rung: &Rung) -> Prepared<SegmentedReduce<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as sum_f32
    let mean = size_of::<T>() as u64 * p.n / u64::from(p.segments).max(1); // bytes
    let lanes = 1 << (mean / BYTES_PER_LANE).clamp(1, 32).ilog2();
    let rows = 256 / lanes;
    let config = LaunchConfig {
        grid_dim: (p.segments.div_ceil(rows), 1, 1),
        block_dim: (lanes, rows, 1),
        shared_mem_bytes: 0,
    };
    // At worst one segment has all elements: a lane's packs, then a pack, both ends, and the lanes.
    let depth = p.n.div_ceil(u64::from(lanes)) + 4 + 2 + 5;
    let promise = Reduced { depth, reads_offsets: true };

    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut SegmentedReduce<T>| {
        if config.grid_dim.0 == 0 {
            return Ok(()); // Without segments there are no results, and a grid without blocks is an error.
        }
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&p.offsets).arg(&p.segments);
        // SAFETY: reduce_lanes_per_segment.cu is `(const T* in, T* out, const u32* offsets, u32 segments)`. It reads
        // offsets[0 ..= segments] and in[0 .. n], and writes one result per segment. Blocks are 256 threads in rows
        // of a power of two up to 32.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
