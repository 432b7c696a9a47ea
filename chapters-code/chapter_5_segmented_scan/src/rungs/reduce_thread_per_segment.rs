//! Every segment has a thread, which reduces it in order.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, SINGLE_THREAD_MAX, ptx};

use crate::{
    Rung,
    problem::{Reduced, SegmentedReduce, unsuited_or_longer},
};

/// The rung `reduce_thread_per_segment`.
pub static RUNG: Rung = Rung::new(
    "reduce_thread_per_segment",
    "every segment has a thread, which reduces it in order",
    ptx!("kernels/reduce_thread_per_segment.ptx"),
)
.refuses(unsuited_or_longer::<SINGLE_THREAD_MAX>);

/// One launch, with one thread per segment.
pub fn prepare<T: Element>(p: &SegmentedReduce<T>, rung: &Rung) -> Prepared<SegmentedReduce<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as sum_f32
    let threads = p.case.block.unwrap_or(256);
    let config = LaunchConfig {
        grid_dim: (p.segments.div_ceil(threads), 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    };
    // At worst one segment has all elements.
    let depth = p.n;
    let promise = Reduced { depth, reads_offsets: true };

    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut SegmentedReduce<T>| {
        if config.grid_dim.0 == 0 {
            return Ok(()); // Without segments there are no results, and a grid without blocks is an error.
        }
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&p.offsets).arg(&p.segments);
        // SAFETY: reduce_thread_per_segment.cu is `(const T* in, T* out, const u32* offsets, u32 segments)`. It reads
        // offsets[0 ..= segments] and in[0 .. n], and writes one result per segment.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
