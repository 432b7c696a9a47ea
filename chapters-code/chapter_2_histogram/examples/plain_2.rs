//! `cargo run --example plain_2`: a histogram. A whole program, in plain cudarc.
//!
//! Each block counts its keys in shared memory and leaves a row of counters. Chapter 1's kernel for
//! columns adds the rows.

use anyhow::{Result, ensure};
use cudarc::driver::{CudaContext, DeviceRepr, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{DeviceChoice, driver};

/// Keys.
const N: usize = 1_000_000;

/// Bins: key k belongs to bin k.
const BINS: usize = 256;

/// The kernel has three more counters, for keys that are in no bin.
const COUNTERS: usize = BINS + 3;

/// The threads of the grid stride over the keys, so any number of blocks is right.
const BLOCKS: usize = 256;

/// `struct Bins` of histogram.cuh. Only keys that are floats need the last three.
#[repr(C)]
struct Bins {
    count: u32,
    low: f32,
    high: f32,
    scale: f32,
}

// SAFETY: four words without padding, as in the kernel.
unsafe impl DeviceRepr for Bins {}

fn main() -> Result<()> {
    // Without a GPU, cudarc finds the simulator. With one, you do not need this line.
    driver::bind(DeviceChoice::Auto)?;
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let ptx = Ptx::from_src(include_str!("../kernels/shared_atomics.ptx"));
    let histogram = context.load_module(ptx)?.load_function("histogram_u32")?;
    let ptx = Ptx::from_src(include_str!("../../chapter_1_reduce/kernels/columns_block.ptx"));
    let sum_columns = context.load_module(ptx)?.load_function("sum_u32")?;

    // Products of keys: a few bins get many of them.
    let input: Vec<u32> = (0..N as u32).map(|i| (i % 16) * (i / 16 % 17)).collect();
    let keys = stream.clone_htod(&input)?;
    let mut rows = stream.alloc_zeros::<u32>(BLOCKS * COUNTERS)?;
    let mut counts = stream.alloc_zeros::<u32>(COUNTERS)?;

    let config = LaunchConfig {
        grid_dim: (BLOCKS as u32, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: (COUNTERS * size_of::<u32>()) as u32,
    };
    let bins = Bins { count: BINS as u32, low: 0.0, high: 0.0, scale: 0.0 };
    let mut launch = stream.launch_builder(&histogram);
    launch.arg(&keys).arg(&mut rows).arg(&N).arg(&bins);
    // SAFETY: shared_atomics.cu is `(const u32* in, u32* partials, size_t n, Bins bins)`. It reads
    // in[0 .. n] and writes bins.count + 3 counters per block. Shared memory has room for as many.
    unsafe { launch.launch(config)? };

    // A block of 32 x 32 threads adds 32 columns.
    let config = LaunchConfig {
        grid_dim: (COUNTERS.div_ceil(32) as u32, 1, 1),
        block_dim: (32, 32, 1),
        shared_mem_bytes: 0,
    };
    let mut launch = stream.launch_builder(&sum_columns);
    launch.arg(&rows).arg(&mut counts).arg(&BLOCKS).arg(&COUNTERS);
    // SAFETY: columns_block.cu is `(const u32* in, u32* out, size_t rows, size_t cols)`. It reads
    // in[0 .. rows * cols] and writes out[0 .. cols].
    unsafe { launch.launch(config)? };
    let counts = stream.clone_dtoh(&counts)?;
    stream.synchronize()?;

    let mut expected = vec![0; COUNTERS];
    for &key in &input {
        expected[key as usize] += 1;
    }
    ensure!(counts == expected, "histogram of {N} keys in {BINS} bins: wrong");
    println!("{}: histogram of {N} keys in {BINS} bins: right", context.name()?);
    Ok(())
}
