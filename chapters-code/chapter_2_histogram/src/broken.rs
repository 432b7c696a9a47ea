//! Kernels that are shown because they are wrong, as published code really was.
//!
//! Each names the checks that detect its fault, and a test holds it to that. Most are launched as
//! `global_atomics` is, with dynamic shared memory for counters.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Dtype, Input, Ladder, Launch, Op, Prepared, Shape, kernel::grid, ptx};

use crate::{
    Case, HistogramParameters, Rung,
    bins::{self, EXTRA, USUAL},
    geometry::{self, THREADS, WARPS},
    problem::{Counting, refuses},
    reference::Key,
    rungs::global_atomics,
};

/// The broken rungs, each with its launch.
pub fn broken<K: Key>() -> Ladder<Counting<K>> {
    vec![
        (RACY, global_atomics::prepare),
        (MISSING_BARRIER, |p, rung| with_counters(p.bins.counters(), p, rung)),
        (SAME_WARP, |p, rung| with_counters(WARPS * p.bins.counters(), p, rung)),
        (ZEROING_RACES, without_zeroing),
        (PACKED_OVERFLOW, one_block),
        (CLUSTER_UNREADY, in_clusters),
        (ROUNDED_UP, |p, rung| with_counters(WARPS * (p.bins.counters() - EXTRA) + 1, p, rung)),
    ]
}

macro_rules! broken {
    ($($rung:tt)*) => {
        harness::broken!($($rung)*)
            .refuses(|rung, case| refuses(rung, case, bins::MOST))
            .adapts(uniform)
    };
}

static RACY: Rung = broken!(
    "racy",
    "global_atomics",
    [Races, Result],
    "plain increments of counters in global memory"
);
static MISSING_BARRIER: Rung = broken!(
    "missing_barrier",
    "shared_atomics",
    [Races, Result],
    "__syncwarp for __syncthreads, between zeroing a block's counters and counting"
);
static SAME_WARP: Rung =
    broken!("same_warp", "warp_copies", [Races, Result], "plain increments of a warp's own copy");
static ZEROING_RACES: Rung = broken!(
    "zeroing_races",
    "shared_atomics",
    [Races, Result],
    "blocks zero the output that others already add to"
);
static CLUSTER_UNREADY: Rung = broken!(
    "cluster_unready",
    "clustered",
    ptx!("kernels/broken/cluster_unready.compute_90.ptx"),
    [Races, Result],
    "blocks of a cluster add to counters that their owner has not zeroed"
);
static PACKED_OVERFLOW: Rung =
    broken!("packed_overflow", "shared_atomics", [Result], "two counters of 16 bits in a word")
        .adapts(|case| Case {
            shape: Shape::Vector { n: several_blocks(case).max(1 << 17) },
            input: Input::Constant,
            ..uniform(case)
        });
static ROUNDED_UP: Rung = broken!(
    "rounded_up",
    "warp_copies",
    [Result],
    "floats at the range's end are counted behind the last bin"
)
.adapts(|case| Case { dtype: Dtype::F32, ..uniform(case) }.with(HistogramParameters::of_bins(257)));

/// About as many keys as the case asks for, but enough for several blocks.
fn several_blocks(case: &Case) -> u64 {
    case.elements().max(4096) | 1
}

/// Uniform keys in the usual bins, in several blocks: that brings out most faults.
fn uniform(case: &Case) -> Case {
    Case { seed: case.seed, ..Case::vector(several_blocks(case), Dtype::U32, Op::Sum) }
        .with(HistogramParameters::of_bins(USUAL))
}

/// The output is set to zero, then blocks with `counters` counters of shared memory each add to it.
fn with_counters<K: Key>(counters: u32, p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    let blocks = geometry::thread_per_key(&p.device, p.n, counters)?;
    add(true, blocks, counters, p, rung)
}

/// As [`with_counters`], with one block, whose counters have 16 bits.
fn one_block<K: Key>(p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    add(true, 1, p.bins.counters().div_ceil(2), p, rung)
}

/// As [`with_counters`], in clusters of two blocks, each of which has half of the counters.
fn in_clusters<K: Key>(p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    let counters = p.bins.counters().div_ceil(2);
    let blocks = geometry::thread_per_key(&p.device, p.n, counters)?.next_multiple_of(2);
    add(true, blocks, counters, p, rung)
}

/// The fault: the kernel itself zeroes the output, to which other blocks already add.
fn without_zeroing<K: Key>(p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    let counters = p.bins.counters();
    let blocks = geometry::thread_per_key(&p.device, p.n, counters)?;
    add(false, blocks, counters, p, rung)
}

/// One launch on `blocks` blocks with `counters` counters of shared memory each. The host zeroes the output first, or
/// does not.
fn add<K: Key>(
    zeroes: bool,
    blocks: u32,
    counters: u32,
    p: &Counting<K>,
    rung: &Rung,
) -> Prepared<Counting<K>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?;
    let config = LaunchConfig { shared_mem_bytes: 4 * counters, ..grid(blocks.into(), THREADS) };
    Ok(Launch::new(kernel.clone(), config, (), move |p: &mut Counting<K>| {
        let mut counts = p.counts.view_mut();
        if zeroes {
            p.device.stream.memset_zeros(&mut counts)?;
        }
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.keys).arg(&mut counts).arg(&p.n).arg(&p.bins);
        // SAFETY: the kernels are `(const T* in, u32* out, size_t n, Bins bins)`. They read in[0 .. n] and add
        // to out[0 .. bins.count + 3], which zeroing_races.cu also writes. Shared memory holds the counters that each
        // kernel's header asks for.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
