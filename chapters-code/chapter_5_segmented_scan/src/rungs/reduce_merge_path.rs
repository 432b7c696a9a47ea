//! Every warp has as many elements and ends of segments as any other (merge path).

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Reduced, SegmentedReduce, unsuited},
};

/// The rung `reduce_merge_path`.
pub static RUNG: Rung = Rung::new(
    "reduce_merge_path",
    "every warp has as many elements and ends of segments as any other",
    ptx!("kernels/reduce_merge_path.ptx"),
)
.refuses(unsuited);

/// One launch, over a path of all elements and all ends of segments.
pub fn prepare<T: Element>(p: &SegmentedReduce<T>, rung: &Rung) -> Prepared<SegmentedReduce<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as sum_f32
    let most = u64::from(RESIDENT * p.device.properties.multiprocessors);
    let config = grid(blocks(p.n + u64::from(p.segments), most), 256);
    let depth = depth(p.n, blocks(p.n, most));
    // What every block leaves open, and the first segment that ends in it.
    let mut open = buffer::scratch::<T>(&p.device, most)?;
    let mut first = buffer::scratch::<u32>(&p.device, most)?;
    let mut counter = p.device.stream.alloc_zeros::<u32>(1)?;
    let promise = Reduced { depth, reads_offsets: true };

    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut SegmentedReduce<T>| {
        if p.segments == 0 {
            return Ok(());
        }
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&p.n);
        launch.arg(&p.offsets).arg(&p.segments);
        launch.arg(&mut open).arg(&mut first).arg(&mut counter);
        // SAFETY: reduce_merge_path.cu is `(const T* in, T* out, size_t n, const u32* offsets, u32 segments, T* open,
        // u32* first, unsigned* counter)`. It reads in[0 .. n] and offsets[0 ..= segments], and writes
        // out[0 .. segments], and open and first for each block. The counter is 0 before and after every launch.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

/// Blocks that a multiprocessor holds at once.
pub const RESIDENT: u32 = 4;

/// The number of blocks for a path of `steps` steps, at most `most`. Each of the eight warps of a block takes at
/// least 512 steps.
pub fn blocks(steps: u64, most: u64) -> u64 {
    steps.div_ceil(8 * 512).clamp(1, most)
}

/// The largest number of rounded operations that an element passes through, if there are at most three segments
/// per element: those of a lane over its part of a warp, a tile's scan, and the joining of warps and of blocks.
pub fn depth(n: u64, blocks: u64) -> u64 {
    let lanes = 32 * 8 * blocks;
    (4 * n).div_ceil(lanes) + 64 + 8 * (1024 / 32)
}
