//! `cargo run --example plain_7`: two copies, of neighboring elements and of elements that are a
//! stride apart. A whole program, in plain cudarc.
//!
//! Both kernels make one load and one store per thread, and both are right. The loads of a warp
//! differ: the first one's are in 4 sectors of 32 bytes, the second one's in 32.

use anyhow::{Result, ensure};
use cudarc::driver::{CudaContext, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{DeviceChoice, driver};

/// Elements that a copy copies.
const N: usize = 100_000;

/// From this many elements on, 32 bytes apart, no two loads of a warp share a sector.
const STRIDE: usize = 8;

fn main() -> Result<()> {
    // Without a GPU, cudarc finds the simulator. With one, you do not need this line.
    driver::bind(DeviceChoice::Auto)?;
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let ptx = Ptx::from_src(include_str!("../kernels/scalar.ptx"));
    let coalesced = context.load_module(ptx)?.load_function("scalar")?;
    let ptx = Ptx::from_src(include_str!("../kernels/strided_loads.ptx"));
    let strided = context.load_module(ptx)?.load_function("strided_loads")?;

    let input: Vec<f32> = (0..N * STRIDE).map(|i| i as f32).collect();
    let values = stream.clone_htod(&input)?;
    let mut neighbors = stream.alloc_zeros::<f32>(N)?;
    let mut apart = stream.alloc_zeros::<f32>(N)?;

    let config = LaunchConfig {
        grid_dim: (N.div_ceil(256) as u32, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut launch = stream.launch_builder(&coalesced);
    launch.arg(&values).arg(&mut neighbors).arg(&N);
    // SAFETY: scalar.cu is `(const float* in, float* out, size_t n)`. It reads in[0 .. n] and
    // writes out[0 .. n].
    unsafe { launch.launch(config)? };

    let mut launch = stream.launch_builder(&strided);
    launch.arg(&values).arg(&mut apart).arg(&N).arg(&STRIDE);
    // SAFETY: strided_loads.cu is `(const float* in, float* out, size_t n, size_t stride)`. It
    // reads the elements i * stride of `in`, the last at (n - 1) * stride, and writes out[0 .. n].
    unsafe { launch.launch(config)? };
    let neighbors = stream.clone_dtoh(&neighbors)?;
    let apart = stream.clone_dtoh(&apart)?;
    stream.synchronize()?;

    for i in 0..N {
        ensure!(neighbors[i] == input[i], "coalesced copy, element {i}: wrong");
        ensure!(apart[i] == input[i * STRIDE], "strided copy, element {i}: wrong");
    }
    let name = context.name()?;
    println!("{name}: coalesced copy of {N} elements: right");
    println!("{name}: copy of {N} elements, stride {STRIDE}: right");
    Ok(())
}
