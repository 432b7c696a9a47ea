//! `cargo run --example plain_4`: keeps the elements that are at least a pivot, in order. A whole
//! program, in plain cudarc.
//!
//! Three launches: a flag of 0 or 1 per element, their exclusive scan by chapter 3, and a scatter.
//! The scan says how many elements are kept before an element, which is its index in the output.

use anyhow::{Result, ensure};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{DeviceChoice, driver};

/// Elements.
const N: usize = 1_000_000;

/// The least value that is kept.
const PIVOT: f32 = 0.75;

fn main() -> Result<()> {
    // Without a GPU, cudarc finds the simulator. With one, you do not need this line.
    driver::bind(DeviceChoice::Auto)?;
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let ptx = Ptx::from_src(include_str!("../kernels/scan_then_scatter.ptx"));
    let module = context.load_module(ptx)?;
    let flag = module.load_function("flags_predicate_f32")?;
    let scatter = module.load_function("predicate_f32")?;
    let ptx = Ptx::from_src(include_str!("../../chapter_3_scan/kernels/lookback.ptx"));
    let scan = context.load_module(ptx)?.load_function("exclusive_sum_u32")?;

    let input: Vec<f32> = (0..N).map(|i| (i * 7919 % 1000) as f32 / 1000.0).collect();
    let tiles = N.div_ceil(16_384); // of 64 KiB of flags
    let values = stream.clone_htod(&input)?;
    let mut flags = stream.alloc_zeros::<u32>(N)?;
    let mut before = stream.alloc_zeros::<u32>(N)?;
    let mut status = stream.alloc_zeros::<u64>(tiles)?;
    let mut counter = stream.alloc_zeros::<u32>(1)?;
    let mut out = stream.alloc_zeros::<f32>(N)?; // it may be that all are kept
    let mut selected = stream.alloc_zeros::<u64>(1)?;

    let config = |blocks: usize, threads: u32| LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (threads, 1, 1),
        shared_mem_bytes: 0,
    };
    // The kernels take the bits of the pivot. Selecting by a predicate needs no mask: the address
    // is null.
    let (mask, pivot) = (0_u64, u64::from(PIVOT.to_bits()));
    let mut launch = stream.launch_builder(&flag);
    launch.arg(&values).arg(&mut flags).arg(&N).arg(&mask).arg(&pivot);
    // SAFETY: the kernel is `(const f32* in, u32* flags, size_t n, const void* mask, u64 pivot)`.
    // It reads in[0 .. n] and writes flags[0 .. n].
    unsafe { launch.launch(config(N.div_ceil(256), 256))? };

    let mut launch = stream.launch_builder(&scan);
    launch.arg(&flags).arg(&mut before).arg(&N).arg(&mut status).arg(&mut counter);
    // SAFETY: lookback.cu is `(const u32* in, u32* out, size_t n, u64* status, unsigned* counter)`.
    // It reads in[0 .. n] and writes out[0 .. n]. Status and counter are 0, and there is one block
    // per tile.
    unsafe { launch.launch(config(tiles, 512))? };

    let mut launch = stream.launch_builder(&scatter);
    launch.arg(&values).arg(&mut out).arg(&N).arg(&N);
    launch.arg(&mut selected).arg(&mask).arg(&pivot).arg(&before);
    // SAFETY: the kernel is `(const f32* in, f32* out, size_t n, size_t capacity, u64* selected,
    // const void* mask, u64 pivot, const u32* before)`. It reads in[0 .. n] and before[0 .. n], and
    // writes *selected and at most out[0 .. capacity].
    unsafe { launch.launch(config(N.div_ceil(256), 256))? };
    let selected = stream.clone_dtoh(&selected)?;
    let mut out = stream.clone_dtoh(&out)?;
    stream.synchronize()?;
    out.truncate(selected[0] as usize);

    let mut expected = Vec::new();
    for &x in &input {
        if x >= PIVOT {
            expected.push(x);
        }
    }
    ensure!(out == expected, "compaction of {N} elements: wrong");
    println!("{}: compaction of {N} elements to {}: right", context.name()?, out.len());
    Ok(())
}
