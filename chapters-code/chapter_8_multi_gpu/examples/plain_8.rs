//! `cargo run --example plain_8`: an all-reduce of two devices. A whole program, in plain cudarc.
//!
//! Each device has an array. In the end, each has the element-wise sum of both: it copies the
//! other's array to itself, and adds its own.

use anyhow::{Result, ensure};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{DeviceChoice, driver};

/// Elements of each array.
const N: usize = 1_000_000;

fn main() -> Result<()> {
    // Without a GPU, cudarc finds the simulator, which has several devices. With GPUs, you do not
    // need this line.
    driver::bind(DeviceChoice::Auto)?;
    let devices = CudaContext::device_count()?;
    ensure!(devices >= 2, "an all-reduce needs two devices, and there are only {devices}");

    // Every device has a context, a stream, memory, and its own copy of the kernel.
    let contexts = [CudaContext::new(0)?, CudaContext::new(1)?];
    let streams = contexts.each_ref().map(|context| context.default_stream());
    let inputs: [Vec<f32>; 2] =
        [(0..N).map(|i| i as f32).collect(), (0..N).map(|i| 0.5 * i as f32).collect()];
    let mut kernels = Vec::new();
    let mut own = Vec::new();
    let mut sums = Vec::new();
    for d in 0..2 {
        let ptx = Ptx::from_src(include_str!("../kernels/ring.ptx"));
        kernels.push(contexts[d].load_module(ptx)?.load_function("sum")?);
        own.push(streams[d].clone_htod(&inputs[d])?);
        sums.push(streams[d].alloc_zeros::<f32>(N)?);
    }

    // The threads of the grid stride over the elements, so any number of blocks is right.
    let config =
        LaunchConfig { grid_dim: (256, 1, 1), block_dim: (256, 1, 1), shared_mem_bytes: 0 };
    for d in 0..2 {
        // Streams of two devices have no common order. cudarc has this copy wait until the other's
        // array is there.
        streams[d].memcpy_dtod(&own[1 - d], &mut sums[d])?;
        let mut launch = streams[d].launch_builder(&kernels[d]);
        launch.arg(&own[d]).arg(&mut sums[d]).arg(&N);
        // SAFETY: ring.cu is `(const float* own, float* received, size_t n)`. It reads own[0 .. n]
        // and adds it to received[0 .. n].
        unsafe { launch.launch(config)? };
    }

    // The host has waited for no kernel so far, so both devices work at the same time.
    let mut results = Vec::new();
    for d in 0..2 {
        results.push(streams[d].clone_dtoh(&sums[d])?);
        streams[d].synchronize()?;
    }

    let mut expected = Vec::with_capacity(N);
    for (a, b) in inputs[0].iter().zip(&inputs[1]) {
        expected.push(a + b);
    }
    for (d, result) in results.iter().enumerate() {
        // One addition per element, in whose order the operands do not matter: all bits agree.
        ensure!(*result == expected, "all-reduce of {N} elements, device {d}: wrong");
        println!("device {d}, {}: all-reduce of {N} elements: right", contexts[d].name()?);
    }
    Ok(())
}
