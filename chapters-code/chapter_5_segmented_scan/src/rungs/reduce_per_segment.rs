//! Every segment has a thread, a warp, some lanes or a block, which reduces it. The launches differ in the threads of a
//! segment.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, Refusal, SINGLE_THREAD_MAX, kernel::grid, ptx};

use crate::{
    Case, Rung,
    problem::{Reduced, SegmentedReduce, longer_than, reductions_only},
};

/// The rung `reduce_thread_per_segment`.
pub static THREAD: Rung = Rung::new(
    "reduce_thread_per_segment",
    "every segment has a thread, which reduces it in order",
    ptx!("kernels/reduce_thread_per_segment.ptx"),
)
.refuses(|rung, case| reductions_only(rung, case).or_else(|| longer_than(SINGLE_THREAD_MAX, case)));

/// One thread per segment. At worst one segment has all elements.
pub fn thread<T: Element>(p: &SegmentedReduce<T>, rung: &Rung) -> Prepared<SegmentedReduce<T>> {
    let threads = p.case.block.unwrap_or(256);
    reduce(grid(p.segments.div_ceil(threads).into(), threads), p.n, p, rung)
}

/// The rung `reduce_warp_per_segment`.
pub static WARP: Rung = Rung::new(
    "reduce_warp_per_segment",
    "every segment has a warp",
    ptx!("kernels/reduce_warp_per_segment.ptx"),
)
.refuses(too_long_for_a_block);

/// One warp per segment.
pub fn warp<T: Element>(p: &SegmentedReduce<T>, rung: &Rung) -> Prepared<SegmentedReduce<T>> {
    // A lane's elements, then the lanes; at worst one segment has all elements.
    let depth = p.n.div_ceil(32) + 5;
    reduce(grid(p.segments.div_ceil(256 / 32).into(), 256), depth, p, rung)
}

/// The rung `reduce_lanes_per_segment`.
pub static LANES: Rung = Rung::new(
    "reduce_lanes_per_segment",
    "every segment has as many lanes as the mean length needs, with 16-byte loads",
    ptx!("kernels/reduce_lanes_per_segment.ptx"),
)
.refuses(too_long_for_a_block);

/// Bytes of a segment that are worth a lane: four loads of 16 bytes.
const BYTES_PER_LANE: u64 = 64;

/// One group of lanes per segment.
pub fn lanes<T: Element>(p: &SegmentedReduce<T>, rung: &Rung) -> Prepared<SegmentedReduce<T>> {
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
    reduce(config, depth, p, rung)
}

/// The rung `reduce_block_per_segment`.
pub static BLOCK: Rung = Rung::new(
    "reduce_block_per_segment",
    "every segment has a block",
    ptx!("kernels/reduce_block_per_segment.ptx"),
)
.refuses(too_long_for_a_block);

/// One block per segment.
pub fn block<T: Element>(p: &SegmentedReduce<T>, rung: &Rung) -> Prepared<SegmentedReduce<T>> {
    // A thread's elements, its warp and its block; at worst one segment has all elements.
    let depth = 3 * p.n.div_ceil(256) + 5 + 5;
    reduce(grid(p.segments.into(), 256), depth, p, rung)
}

/// Leaves out segments that a warp or a block takes too long for, and refuses other tasks.
fn too_long_for_a_block(rung: &Rung, case: &Case) -> Option<Refusal> {
    reductions_only(rung, case).or_else(|| longer_than(16 * SINGLE_THREAD_MAX, case))
}

/// One launch, in which an element passes through `depth` operations.
fn reduce<T: Element>(
    config: LaunchConfig,
    depth: u64,
    p: &SegmentedReduce<T>,
    rung: &Rung,
) -> Prepared<SegmentedReduce<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as sum_f32
    let promise = Reduced { depth, reads_offsets: true };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut SegmentedReduce<T>| {
        if config.grid_dim.0 == 0 {
            return Ok(()); // Without segments there are no results, and a grid without blocks is an error.
        }
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&p.offsets).arg(&p.segments);
        // SAFETY: reduce_thread_per_segment.cu, reduce_warp_per_segment.cu, reduce_lanes_per_segment.cu and
        // reduce_block_per_segment.cu are `(const T* in, T* out, const u32* offsets, u32 segments)`. They read
        // offsets[0 ..= segments] and in[0 .. n], and write one result per segment. The blocks of `lanes` are 256
        // threads in rows of a power of two up to 32.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
