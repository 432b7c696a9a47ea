//! `cargo run --example plain_3`: an inclusive scan. A whole program, in plain cudarc.
//!
//! Three launches: each block scans its tile, one block scans the sums of the tiles, and every
//! element gets the sum of the tiles before its own.

use anyhow::{Result, ensure};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{DeviceChoice, driver};

/// Elements: at most `TILE` * `TILE`, so that one block can scan the sums of all tiles.
const N: usize = 1_000_000;

/// Elements per tile, which are the threads per block: the most that a block can have.
const TILE: usize = 1024;

fn main() -> Result<()> {
    // Without a GPU, cudarc finds the simulator. With one, you do not need this line.
    driver::bind(DeviceChoice::Auto)?;
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let ptx = Ptx::from_src(include_str!("../kernels/hillis_steele.ptx"));
    let module = context.load_module(ptx)?;
    let inclusive = module.load_function("inclusive_sum_f32")?;
    let exclusive = module.load_function("exclusive_sum_f32")?;
    let ptx = Ptx::from_src(include_str!("../kernels/add_block_offsets.ptx"));
    let add_block_offsets = context.load_module(ptx)?.load_function("sum_f32")?;

    // Integers whose sum is below 2^24: no f32 is rounded, so every order of the additions gives
    // the same sums.
    let input: Vec<f32> = (0..N).map(|i| (i % 7) as f32).collect();
    let tiles = N.div_ceil(TILE);
    let values = stream.clone_htod(&input)?;
    let mut out = stream.alloc_zeros::<f32>(N)?;
    let mut sums = stream.alloc_zeros::<f32>(tiles)?;
    let mut before = stream.alloc_zeros::<f32>(tiles)?;
    let mut total = stream.alloc_zeros::<f32>(1)?;

    // The scans have two floats of shared memory per thread: a step reads one array and writes the
    // other.
    let config = |blocks: usize, floats: usize| LaunchConfig {
        grid_dim: (blocks as u32, 1, 1),
        block_dim: (TILE as u32, 1, 1),
        shared_mem_bytes: (floats * size_of::<f32>()) as u32,
    };
    let mut launch = stream.launch_builder(&inclusive);
    launch.arg(&values).arg(&mut out).arg(&N).arg(&mut sums);
    // SAFETY: hillis_steele.cu is `(const float* in, float* out, size_t n, float* sums)`. It reads
    // in[0 .. n], and writes out[0 .. n] and one sum per block.
    unsafe { launch.launch(config(tiles, 2 * TILE))? };

    let mut launch = stream.launch_builder(&exclusive);
    launch.arg(&sums).arg(&mut before).arg(&tiles).arg(&mut total);
    // SAFETY: as above, with one block.
    unsafe { launch.launch(config(1, 2 * TILE))? };

    let mut launch = stream.launch_builder(&add_block_offsets);
    launch.arg(&mut out).arg(&N).arg(&before).arg(&TILE);
    // SAFETY: add_block_offsets.cu is `(float* out, size_t n, const float* before, size_t
    // items_per_block)`. It updates out[0 .. n] and reads before[i / items_per_block] for each i.
    unsafe { launch.launch(config(tiles, 0))? };
    let out = stream.clone_dtoh(&out)?;
    stream.synchronize()?;

    let mut expected = Vec::with_capacity(N);
    let mut sum = 0.0;
    for x in &input {
        sum += x;
        expected.push(sum);
    }
    ensure!(out == expected, "inclusive scan of {N} elements: wrong");
    println!("{}: inclusive scan of {N} elements: right", context.name()?);
    Ok(())
}
