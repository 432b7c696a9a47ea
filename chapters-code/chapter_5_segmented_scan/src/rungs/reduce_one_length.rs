//! Segments that have one length: no offset is read.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, PtxText, Refusal, buffer, kernel::grid, ptx};

use super::reduce_by_length;
use crate::{
    Case, Rung, Segments,
    problem::{Reduced, SegmentedReduce, reductions_only},
};

/// The rung `reduce_one_length`.
pub static RUNG: Rung = Rung::new(
    "reduce_one_length",
    "segments of one length: no offsets, and lanes, a block or several blocks per segment",
    ptx!("kernels/reduce_one_length.ptx"),
)
.refuses(|rung, case| {
    let refusal = Refusal::because("wants segments of one length");
    reductions_only(rung, case).or_else(|| (!has_one_length(case)).then_some(refusal))
});

/// Whether all segments of a case have one length.
pub fn has_one_length(case: &Case) -> bool {
    match case.task.segments() {
        Segments::Of(length) => case.elements().is_multiple_of(length.into()),
        Segments::Giant => true,
        Segments::PowerLaw | Segments::Lopsided | Segments::Empty => false,
    }
}

/// The kernel for segments shorter than a pack.
static REDUCE_SHORT: PtxText = ptx!("kernels/reduce_short.ptx");

/// The shortest segments, in bytes, that have lanes of their own.
const PACK: u64 = 16;
/// Bytes of a segment that are worth a lane: two loads, so that a power of two of lanes has four at most.
const BYTES_PER_LANE: u64 = 32;
/// The shortest segments, in bytes, that are worth a block of 256 threads, and one of 512.
const LONG: u64 = 8 << 10;
const VERY_LONG: u64 = 64 << 10;

/// One launch. Segments of several lengths, which a case that is not refused lacks, are left to the rung before.
pub fn prepare<T: Element>(p: &SegmentedReduce<T>, rung: &Rung) -> Prepared<SegmentedReduce<T>> {
    let Some(length) = p.length() else {
        return reduce_by_length::prepare(p, &reduce_by_length::RUNG);
    };
    let bytes = size_of::<T>() as u64 * u64::from(length);
    if bytes < PACK {
        return short(p, length);
    }
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?; // such as sum_f32
    let (threads, rows) = match bytes {
        VERY_LONG.. => (512, 1),
        LONG.. => (256, 1),
        _ => {
            let lanes = 1 << (bytes / BYTES_PER_LANE).clamp(1, 32).ilog2();
            (lanes, 256 / lanes)
        }
    };
    // Spans: two blocks of 512 threads per multiprocessor, each with four loads per thread at least. A span is a
    // multiple of 32 elements, so that no load of a warp straddles a line that it need not.
    let most = (bytes / (512 * 64)).max(1) as u32;
    let spans = (2 * p.device.properties.multiprocessors / p.segments).clamp(1, most);
    let span = if spans == 1 { length } else { length.div_ceil(spans).next_multiple_of(32) };
    let spans = length.div_ceil(span);
    let config = LaunchConfig {
        grid_dim: (p.segments.div_ceil(rows), spans, 1),
        block_dim: (threads, rows, 1),
        shared_mem_bytes: 0,
    };
    // A thread's packs, a pack, both ends; then lanes and warps, and spans and the lanes of the last warp.
    let depth = u64::from(span.div_ceil(threads) + 4 + 2 + 10 + spans / 32 + 6);
    let mut aggregates = buffer::scratch::<T>(&p.device, u64::from(spans) * u64::from(p.segments))?;
    let mut arrived = p.device.stream.alloc_zeros::<u32>(p.segments as usize)?;
    let promise = Reduced { depth, reads_offsets: false };

    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut SegmentedReduce<T>| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&length).arg(&p.segments);
        launch.arg(&span).arg(&mut aggregates).arg(&mut arrived);
        // SAFETY: reduce_one_length.cu is `(const T* in, T* out, u32 length, u32 segments, u32 span, T* aggregates,
        // u32* arrived)`. It reads in[0 .. segments * length], which is all, and writes one result per segment and an
        // aggregate per span of each; arrived is 0 before and after every launch. Spans are several only where a
        // segment has a block of whole warps.
        unsafe { launch.launch(config) }.map(drop)
    }))
}

/// One launch, with a thread for as many segments as a pack has elements.
fn short<T: Element>(p: &SegmentedReduce<T>, length: u32) -> Prepared<SegmentedReduce<T>> {
    let module = p.device.context.load_module(Ptx::from_src(REDUCE_SHORT))?;
    let kernel = module.load_function(&p.entry())?;
    let segments_per_thread = PACK as u32 / size_of::<T>() as u32;
    let config = grid(p.segments.div_ceil(256 * segments_per_thread).into(), 256);
    let promise = Reduced { depth: length.into(), reads_offsets: false };

    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut SegmentedReduce<T>| {
        let mut out = p.out.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&length).arg(&p.segments);
        // SAFETY: reduce_short.cu is `(const T* in, T* out, u32 length, u32 segments)`. It reads
        // in[0 .. segments * length], which is all, and writes one result per segment.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
