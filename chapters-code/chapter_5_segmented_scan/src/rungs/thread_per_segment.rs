//! Every segment has a thread, which scans it in order.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, SINGLE_THREAD_MAX, ptx};

use crate::{
    Rung,
    problem::{SegmentedScan, unsuited_or_longer},
};

/// The rung `thread_per_segment`.
pub static RUNG: Rung = Rung::new(
    "thread_per_segment",
    "every segment has a thread, which scans it in order",
    ptx!("kernels/thread_per_segment.ptx"),
)
.refuses(unsuited_or_longer::<SINGLE_THREAD_MAX>);

/// One launch, with one thread per segment.
pub fn prepare<T: Element>(p: &SegmentedScan<T>, rung: &Rung) -> Prepared<SegmentedScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as inclusive_sum_f32
    let threads = p.case.block.unwrap_or(256);
    let config = LaunchConfig {
        grid_dim: (p.segments.div_ceil(threads), 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    };
    // At worst one segment has all elements.
    let depth = p.n;
    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut SegmentedScan<T>| {
        if config.grid_dim.0 == 0 {
            return Ok(()); // Without segments there are no results, and a grid without blocks is an error.
        }
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&p.offsets).arg(&p.segments);
        // SAFETY: thread_per_segment.cu is `(const T* in, T* out, const u32* offsets, u32 segments)`. It reads
        // offsets[0 ..= segments] and in[0 .. n], and writes one result per element.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
