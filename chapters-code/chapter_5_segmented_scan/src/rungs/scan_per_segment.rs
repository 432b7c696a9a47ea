//! Every segment has a thread or a block, which scans it. The launches differ in the threads of a segment.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, SINGLE_THREAD_MAX, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{SegmentedScan, longer_than, scans_only},
};

/// The rung `thread_per_segment`.
pub static THREAD: Rung = Rung::new(
    "thread_per_segment",
    "every segment has a thread, which scans it in order",
    ptx!("kernels/thread_per_segment.ptx"),
)
.refuses(|rung, case| scans_only(rung, case).or_else(|| longer_than(SINGLE_THREAD_MAX, case)));

/// One thread per segment. At worst one segment has all elements.
pub fn thread<T: Element>(p: &SegmentedScan<T>, rung: &Rung) -> Prepared<SegmentedScan<T>> {
    let threads = p.case.block.unwrap_or(256);
    scan(grid(p.segments.div_ceil(threads).into(), threads), p.n, p, rung)
}

/// The rung `block_per_segment`. A block scans its segment in rounds.
pub static BLOCK: Rung = Rung::new(
    "block_per_segment",
    "every segment has a block",
    ptx!("kernels/block_per_segment.ptx"),
)
.refuses(|rung, case| scans_only(rung, case).or_else(|| longer_than(16 * SINGLE_THREAD_MAX, case)));

/// One block per segment.
pub fn block<T: Element>(p: &SegmentedScan<T>, rung: &Rung) -> Prepared<SegmentedScan<T>> {
    // In every round a block goes on from what it carries; at worst one segment has all elements.
    let depth = 3 * p.n.div_ceil(256) + 5 + 5;
    scan(grid(p.segments.into(), 256), depth, p, rung)
}

/// One launch, in which an element passes through `depth` operations.
fn scan<T: Element>(
    config: LaunchConfig,
    depth: u64,
    p: &SegmentedScan<T>,
    rung: &Rung,
) -> Prepared<SegmentedScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as inclusive_sum_f32
    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut SegmentedScan<T>| {
        if config.grid_dim.0 == 0 {
            return Ok(()); // Without segments there are no results, and a grid without blocks is an error.
        }
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&p.offsets).arg(&p.segments);
        // SAFETY: thread_per_segment.cu and block_per_segment.cu are `(const T* in, T* out, const u32* offsets, u32
        // segments)`. They read offsets[0 ..= segments] and in[0 .. n], and write one result per element.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
