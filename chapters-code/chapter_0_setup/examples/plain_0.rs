//! `cargo run --example plain_0`: adds two vectors on the device. A whole program, in plain cudarc.

use anyhow::{Result, ensure};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{DeviceChoice, driver};

/// The length of the vectors. It is no multiple of `THREADS`: the last block has threads without an
/// element.
const N: usize = 1_000_000;

/// Threads per block.
const THREADS: u32 = 256;

fn main() -> Result<()> {
    // Without a GPU, cudarc finds the simulator. With one, you do not need this line.
    driver::bind(DeviceChoice::Auto)?;

    // The first device, and the queue of what it has to do.
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();

    // The kernel as PTX, which the driver compiles for this device.
    let ptx = Ptx::from_src(include_str!("../kernels/vector_add.ptx"));
    let kernel = context.load_module(ptx)?.load_function("vector_add")?;

    // Each copy allocates memory of the device, too.
    let a: Vec<f32> = (0..N).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..N).map(|i| 0.5 * i as f32).collect();
    let a_device = stream.clone_htod(&a)?;
    let b_device = stream.clone_htod(&b)?;
    let mut out = stream.alloc_zeros::<f32>(N)?;

    let config = LaunchConfig {
        grid_dim: (N.div_ceil(THREADS as usize) as u32, 1, 1),
        block_dim: (THREADS, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&a_device).arg(&b_device).arg(&mut out).arg(&N);
    // SAFETY: vector_add.cu is `(const float* a, const float* b, float* out, size_t n)`. It reads
    // a[0 .. n] and b[0 .. n], and writes out[0 .. n].
    unsafe { launch.launch(config)? };

    // A launch and a copy only join the queue: their results are there when the queue is empty.
    let out = stream.clone_dtoh(&out)?;
    stream.synchronize()?;

    let mut expected = Vec::with_capacity(N);
    for i in 0..N {
        expected.push(a[i] + b[i]);
    }
    // One addition per element, rounded in the same way on both sides: all bits agree.
    ensure!(out == expected, "vector_add, {N} elements: wrong");
    println!("{}: vector_add, {N} elements: right", context.name()?);
    Ok(())
}
