//! One block per segment where segments are long and many, otherwise the merge path.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, PtxText, buffer, kernel::grid, ptx};

use super::merge_path;
use crate::{
    Rung,
    problem::{Reduced, SegmentedReduce, reductions_only},
};

/// The rung `reduce_by_length`.
pub static RUNG: Rung = Rung::new(
    "reduce_by_length",
    "one block per segment where segments are long and many, otherwise the merge path",
    ptx!("kernels/reduce_merge_path.ptx"),
)
.refuses(reductions_only);

/// The kernel for long segments.
static REDUCE_LONG: PtxText = ptx!("kernels/reduce_long.ptx");

/// The average length of segments, in bytes, from which on one block of 256 threads per segment pays.
const LONG: u64 = 8 << 10;
/// The average length, in bytes, from which on a block of 1,024 threads pays.
const VERY_LONG: u64 = 64 << 10;

/// One launch. A segment longer than a chunk has several blocks, one per chunk that it crosses.
pub fn prepare<T: Element>(p: &SegmentedReduce<T>, rung: &Rung) -> Prepared<SegmentedReduce<T>> {
    let (size, segments) = (size_of::<T>() as u64, u64::from(p.segments));
    let multiprocessors = p.device.properties.multiprocessors;
    let are_at_least = |bytes| size * p.n >= bytes * segments;
    if segments < multiprocessors.into() || !are_at_least(LONG) {
        return merge_path::reduce(p, rung);
    }
    let threads = if are_at_least(VERY_LONG) { 1024 } else { 256 };
    let module = p.device.context.load_module(Ptx::from_src(REDUCE_LONG))?;
    let kernel = module.load_function(&p.entry())?; // such as sum_f32

    // Chunks that keep the device busy if one segment has all elements: of at least 256 KiB, and of a
    // multiple of 16 elements. Offsets have 32 bits, and so have chunks.
    let blocks = u64::from(multiprocessors * (1024 / threads));
    let chunk = p.n.div_ceil(blocks).max((256 << 10) / size).next_multiple_of(16) as u32;
    let chunks = p.n.div_ceil(chunk.into()).max(1) as u32;
    let config = grid((chunks + p.segments).into(), threads);
    // A thread's elements of a chunk, then the joining of lanes, warps and chunks.
    let depth = u64::from(chunk / threads) + 64;
    let mut aggregates = buffer::scratch::<T>(&p.device, 2 * u64::from(chunks))?;
    let mut arrived = p.device.stream.alloc_zeros::<u32>(chunks as usize)?;
    let promise = Reduced { depth, reads_offsets: true };

    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut SegmentedReduce<T>| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&p.offsets).arg(&p.segments);
        launch.arg(&chunk).arg(&chunks).arg(&mut aggregates).arg(&mut arrived);
        // SAFETY: reduce_long.cu is `(const T* in, T* out, const u32* offsets, u32 segments, u32 chunk, u32 chunks,
        // T* aggregates, u32* arrived)`. It reads offsets[0 ..= segments] and in[0 .. n], and writes one result per
        // segment. It has two aggregates and one count of arrivals per chunk; the counts are 0 before and after
        // every launch. There is one block per chunk and one per segment.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
