//! `cargo run --example plain_1`: the sum of an array, in passes. A whole program, in plain cudarc.
//!
//! In a pass, each block leaves one sum. The next pass adds those, until a single one is left.

use anyhow::{Result, ensure};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{DeviceChoice, driver};

/// Elements. No multiple of `THREADS`: the last block has threads without an element.
const N: usize = 1_000_000;

/// Threads per block: a power of two, because the block's tree halves them.
const THREADS: usize = 256;

fn main() -> Result<()> {
    // Without a GPU, cudarc finds the simulator. With one, you do not need this line.
    driver::bind(DeviceChoice::Auto)?;
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let ptx = Ptx::from_src(include_str!("../kernels/sequential.ptx"));
    let kernel = context.load_module(ptx)?.load_function("sum_f32")?;

    // Integers whose sum is below 2^24: no f32 is rounded, so every order of the additions gives
    // the same sum.
    let input: Vec<f32> = (0..N).map(|i| (i % 7) as f32).collect();

    let mut values = stream.clone_htod(&input)?;
    let mut passes = 0;
    while values.len() > 1 {
        let n = values.len();
        let blocks = n.div_ceil(THREADS);
        let mut sums = stream.alloc_zeros::<f32>(blocks)?;
        let config = LaunchConfig {
            grid_dim: (blocks as u32, 1, 1),
            block_dim: (THREADS as u32, 1, 1),
            shared_mem_bytes: (THREADS * size_of::<f32>()) as u32,
        };
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&values).arg(&mut sums).arg(&n);
        // SAFETY: sequential.cu is `(const float* in, float* out, size_t n)`. It reads in[0 .. n],
        // writes one sum per block, and uses one float of shared memory per thread.
        unsafe { launch.launch(config)? };
        // The old values are freed in the order of the stream: after the kernel has read them.
        values = sums;
        passes += 1;
    }
    let result = stream.clone_dtoh(&values)?;
    stream.synchronize()?;

    let mut expected = 0.0;
    for x in &input {
        expected += x;
    }
    ensure!(result == [expected], "sum of {N} elements: {}, which is wrong", result[0]);
    println!("{}: sum of {N} elements in {passes} passes: {expected}, right", context.name()?);
    Ok(())
}
