//! `cargo run --release -p chapter_2_histogram --example clusters`: what accesses to the shared memory of another block of a
//! cluster cost, and histograms that use them. It prints three files for `book/measurements/`, one after the other:
//! `cluster_accesses_<device>_<date>.tsv`, `cluster_latencies_<device>_<date>.tsv`, `cluster_histograms_<device>_<date>.tsv`. It
//! needs a GPU of compute capability 9.0 or newer.

use std::process::ExitCode;

use std::sync::Arc;

use chapter_2_histogram::{Case, HistogramParameters, inputs, problem::Counting};
use cudarc::driver::{CudaModule, LaunchConfig, PushKernelArg, sys::CUfunction_attribute_enum::*};
use cudarc::nvrtc::Ptx;
use harness::{
    Device, DeviceChoice, Dtype, Error, Input, Op, Problem, buffer, driver::cuda_version_text,
    timing::Stopwatch,
};

const THREADS: u32 = 1024;
/// Blocks of 1,024 threads that an H100 holds at once: of clusters of 4 and 8, fewer.
const RESIDENT: u32 = 132;
const RESIDENT_IN_LARGE_CLUSTERS: u32 = 120;
/// Accesses per thread in the two launches that are compared.
const COUNTS: [u32; 2] = [256, 1280];

/// What the kernels of `cluster_probe.cu` measure: access, place, kernel, blocks per cluster.
const THROUGHPUTS: [(&str, &str, &str, u32); 12] = [
    ("addition", "own block, words in order", "add_own_in_order", 1),
    ("addition", "own block, random words", "add_own_random", 1),
    ("addition", "either block of a cluster of 2, random words", "add_any_random_2", 2),
    ("addition", "any block of a cluster of 4, random words", "add_any_random_4", 4),
    ("addition", "any block of a cluster of 8, random words", "add_any_random_8", 8),
    ("addition", "the next block of a cluster of 2, words in order", "add_next_in_order", 2),
    ("addition", "the next block of a cluster of 2, random words", "add_next_random", 2),
    ("store", "own block, words in order", "store_own_in_order", 1),
    ("store", "the next block of a cluster of 2, words in order", "store_next_in_order", 2),
    ("store", "the next block of a cluster of 2, random words", "store_next_random", 2),
    ("load", "own block, random words", "load_own_random", 1),
    ("load", "the next block of a cluster of 2, random words", "load_next_random", 2),
];

/// What is waited for, kernel, blocks.
const LATENCIES: [(&str, &str, u32); 6] = [
    ("a load from shared memory of the own block", "wait_load_own", 1),
    ("a load from shared memory of the other block", "wait_load_next", 2),
    ("an addition in the own block", "wait_add_own", 1),
    ("an addition in the other block", "wait_add_next", 2),
    ("a barrier of a block of 1,024 threads", "wait_barrier_of_block", 1),
    ("a barrier of the cluster, with release and acquire", "wait_barrier_of_cluster", 2),
];

/// The shared memory for two tiles of `cluster_trials.cu`, in bytes.
const TILES: u32 = 2 * 32 * 1024;
/// What the kernels of `cluster_trials.cu` do, kernel, blocks per cluster, bytes of shared memory beside the counters.
const HISTOGRAMS: [(&str, &str, u32, u32); 7] = [
    ("counters spread over the cluster", "spread_2", 2, 0),
    ("counters spread over the cluster", "spread_4", 4, 0),
    ("counters spread over the cluster", "spread_8", 8, 0),
    ("ranges; blocks read each other's tiles", "exchange_2", 2, TILES),
    ("ranges; blocks read each other's tiles", "exchange_4", 4, TILES),
    ("ranges; one copy brings a tile to both blocks", "multicast_2", 2, TILES),
    ("ranges; one copy brings a tile to all blocks", "multicast_4", 4, TILES),
];
/// Bins and input of each column.
const COLUMNS: [(u32, Input); 3] =
    [(1 << 15, Input::Uniform), (1 << 16, Input::Uniform), (1 << 16, Input::Zipf)];
const SAMPLES: usize = 30;

fn main() -> ExitCode {
    report::exit(print().map_err(Into::into))
}

/// The device's first blocks of 1,024 threads that come in clusters of `cluster`.
fn blocks(device: &Device, cluster: u32) -> u32 {
    let resident = if cluster > 2 { RESIDENT_IN_LARGE_CLUSTERS } else { RESIDENT };
    device.properties.multiprocessors.min(resident) / cluster * cluster
}

fn load(device: &Device, ptx: &str) -> Result<Arc<CudaModule>, Error> {
    let module = device.context.load_module(Ptx::from_src(ptx));
    module.map_err(|error| device.explain("loading kernels for compute capability 9.0", error))
}

/// The microseconds that each of [`HISTOGRAMS`] takes, the median of the samples, for the columns' keys; none if it counts
/// wrong.
fn histograms(device: &Device) -> Result<Vec<Vec<Option<f64>>>, Error> {
    let module = load(device, include_str!("../kernels/cluster_trials.compute_90.ptx"))?;
    let mut stopwatch = Stopwatch::new(device, SAMPLES)?;
    let mut rows = vec![Vec::new(); HISTOGRAMS.len()];
    for (bins, input) in COLUMNS {
        let case = Case { input, ..Case::vector(1 << 26, Dtype::U32, Op::Sum) };
        let case = case.with(HistogramParameters::of_bins(bins));
        let keys = inputs::keys::<u32>(&case, &chapter_2_histogram::Bins::of(&case)?);
        let mut p = Counting::new(device, &case, keys)?;
        for ((_, name, cluster, tiles), row) in HISTOGRAMS.into_iter().zip(&mut rows) {
            let kernel = module.load_function(name)?;
            let config = LaunchConfig {
                grid_dim: (blocks(device, cluster), 1, 1),
                block_dim: (THREADS, 1, 1),
                shared_mem_bytes: 4 * p.bins.counters().div_ceil(cluster) + tiles,
            };
            let bytes = config.shared_mem_bytes as i32;
            kernel.set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes)?;
            let count = |p: &mut Counting<u32>| {
                let mut counts = p.counts.view_mut();
                device.stream.memset_zeros(&mut counts)?;
                let mut launch = device.stream.launch_builder(&kernel);
                launch.arg(&p.keys).arg(&mut counts).arg(&p.n).arg(&p.bins);
                // SAFETY: the kernels are `(const u32* in, u32* out, size_t n, Bins bins)`, and add to out[0 .. bins.count], which is
                // zero. They read in[0 .. n], n is a multiple of 32768, and every key has a bin. The grid is a multiple of
                // the cluster, and shared memory holds two tiles and a block's counters.
                unsafe { launch.launch(config) }.map(drop)
            };
            p.reset()?;
            let time = stopwatch.measure(&mut || count(&mut p))?.time();
            let verdict = p.compare(&(), 1)?;
            row.push(verdict.is_correct().then_some(time.median * 1e3));
        }
    }
    Ok(rows)
}

/// Prints the three tables. False if a histogram is wrong.
fn print() -> Result<bool, Error> {
    let device = Device::open(DeviceChoice::Gpu)?;
    let module = load(&device, include_str!("../kernels/cluster_probe.compute_90.ptx"))?;
    let p = &device.properties;
    let head = format!(
        "# device: {}; driver: {}; by `clusters`",
        p.name,
        cuda_version_text(p.driver_version)
    );
    // The mean of a block's clocks per count, from two launches: what every launch takes is in both.
    let per_count = |kernel: &str, blocks: u32| -> Result<f64, Error> {
        let kernel = module.load_function(kernel)?;
        let config = LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (THREADS, 1, 1),
            shared_mem_bytes: 0,
        };
        let mut out = buffer::scratch::<u32>(&device, blocks.into())?;
        let mut mean = |count: u32| -> Result<f64, Error> {
            let mut launch = device.stream.launch_builder(&kernel);
            launch.arg(&mut out).arg(&count);
            // SAFETY: each kernel is `(u32* clocks, u32 count)` and writes clocks[0 .. blocks] at most; the grid is a
            // multiple of the cluster, and a block has 1,024 threads.
            unsafe { launch.launch(config)? };
            let clocks = device.stream.clone_dtoh(&out)?;
            // In the one cluster of a latency, only the first block counts in every kernel.
            let counted = if blocks <= 2 { &clocks[..1] } else { &clocks[..] };
            Ok(counted.iter().map(|c| f64::from(*c)).sum::<f64>() / counted.len() as f64)
        };
        mean(COUNTS[0])?; // the first launch loads the code
        let [short, long] = [mean(COUNTS[0])?, mean(COUNTS[1])?];
        Ok((long - short) / f64::from(COUNTS[1] - COUNTS[0]))
    };
    println!(
        "# What a multiprocessor's 32 warps of a block do per clock in shared memory, all of them busy with one kind of access to 4 bytes"
    );
    println!("{head}\naccess\tto\tlanes per clock and multiprocessor");
    for (access, place, kernel, cluster) in THROUGHPUTS {
        let clocks = per_count(kernel, blocks(&device, cluster))?;
        println!("{access}\t{place}\t{:.2}", f64::from(THREADS) / clocks);
    }
    println!(
        "# How long one thread waits for a result, and 2 x 1024 threads for each other, in a cluster of two blocks"
    );
    println!("{head}\nresult of\tclocks");
    for (what, kernel, blocks) in LATENCIES {
        println!("{what}\t{:.1}", per_count(kernel, blocks)?);
    }
    println!(
        "# Histograms of 2^26 keys of 32 bits in clusters, medians of {SAMPLES} samples on a cold L2"
    );
    println!(
        "{head}\nkernel\tblocks per cluster\t32,768 bins, uniform, µs\t65,536 bins, uniform, µs\t65,536 bins, Zipf, µs"
    );
    let rows = histograms(&device)?;
    for ((what, _, cluster, _), times) in HISTOGRAMS.into_iter().zip(&rows) {
        let cell = |us: &Option<f64>| us.map_or("wrong".into(), |us| format!("{us:.0}"));
        println!("{what}\t{cluster}\t{}", times.iter().map(cell).collect::<Vec<_>>().join("\t"));
    }
    Ok(rows.iter().flatten().all(Option::is_some))
}
