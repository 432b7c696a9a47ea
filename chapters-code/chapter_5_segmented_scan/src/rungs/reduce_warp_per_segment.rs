//! Every segment has a warp, which reduces it.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, SINGLE_THREAD_MAX, ptx};

use crate::{
    Rung,
    problem::{Reduced, SegmentedReduce, unsuited_or_longer},
};

/// The rung `reduce_warp_per_segment`.
pub static RUNG: Rung = Rung::new(
    "reduce_warp_per_segment",
    "every segment has a warp",
    ptx!("kernels/reduce_warp_per_segment.ptx"),
)
.refuses(unsuited_or_longer::<{ 16 * SINGLE_THREAD_MAX }>);

/// One launch, with one warp per segment.
pub fn prepare<T: Element>(p: &SegmentedReduce<T>, rung: &Rung) -> Prepared<SegmentedReduce<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as sum_f32
    let config = LaunchConfig {
        grid_dim: (p.segments.div_ceil(256 / 32), 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    // A lane's elements, then the lanes; at worst one segment has all elements.
    let depth = p.n.div_ceil(32) + 5;
    let promise = Reduced { depth, reads_offsets: true };

    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut SegmentedReduce<T>| {
        if config.grid_dim.0 == 0 {
            return Ok(()); // Without segments there are no results, and a grid without blocks is an error.
        }
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&p.offsets).arg(&p.segments);
        // SAFETY: reduce_warp_per_segment.cu is `(const T* in, T* out, const u32* offsets, u32 segments)`. It reads
        // offsets[0 ..= segments] and in[0 .. n], and writes one result per segment.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
