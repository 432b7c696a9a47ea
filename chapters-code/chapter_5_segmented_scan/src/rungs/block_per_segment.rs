//! Every segment has a block, which scans it in rounds.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, SINGLE_THREAD_MAX, ptx};

use crate::{
    Rung,
    problem::{SegmentedScan, unsuited_or_longer},
};

/// The rung `block_per_segment`.
pub static RUNG: Rung = Rung::new(
    "block_per_segment",
    "every segment has a block",
    ptx!("kernels/block_per_segment.ptx"),
)
.refuses(unsuited_or_longer::<{ 16 * SINGLE_THREAD_MAX }>);

/// One launch, with one block per segment.
pub fn prepare<T: Element>(p: &SegmentedScan<T>, rung: &Rung) -> Prepared<SegmentedScan<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as inclusive_sum_f32
    let config =
        LaunchConfig { grid_dim: (p.segments, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    // In every round a block goes on from what it carries; at worst one segment has all elements.
    let depth = 3 * p.n.div_ceil(256) + 5 + 5;
    Ok(Launch::new(kernel.clone(), config, depth, move |p: &mut SegmentedScan<T>| {
        if config.grid_dim.0 == 0 {
            return Ok(()); // Without segments there are no results, and a grid without blocks is an error.
        }
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&p.offsets).arg(&p.segments);
        // SAFETY: block_per_segment.cu is `(const T* in, T* out, const u32* offsets, u32 segments)`. It reads
        // offsets[0 ..= segments] and in[0 .. n], and writes one result per element.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
