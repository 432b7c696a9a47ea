//! Setup: the first kernel, from its PTX to its result, and the kernels that measure what a device
//! can do at most.
//!
//! [`vector_add`] is the whole of a launch in one function. Every later chapter does the same;
//! only, the harness picks the device, and loading is kept apart from launching, so that launches
//! can be timed.

pub mod chapter;
pub mod doctor;
pub mod wrong_clock;

use std::sync::Arc;

use cudarc::{
    driver::{CudaContext, DriverError, LaunchConfig, PushKernelArg},
    nvrtc::Ptx,
};

/// What NVRTC made of `kernels/vector_add.cu`.
pub const VECTOR_ADD_PTX: &str = include_str!("../kernels/vector_add.ptx");

// ANCHOR: vector_add
/// Adds two vectors of the same length on the device.
///
/// # Errors
/// Whatever the driver says, for example that the memory does not suffice.
///
/// # Panics
/// Where the lengths differ.
pub fn vector_add(
    context: &Arc<CudaContext>,
    a: &[f32],
    b: &[f32],
) -> Result<Vec<f32>, DriverError> {
    assert_eq!(a.len(), b.len(), "vectors of different lengths");
    let n = a.len();
    if n == 0 {
        return Ok(Vec::new()); // the driver allocates no empty memory
    }

    // What is enqueued on a stream runs in order.
    let stream = context.default_stream();

    // The driver compiles the PTX for this very device.
    let module = context.load_module(Ptx::from_src(VECTOR_ADD_PTX))?;
    let kernel = module.load_function("vector_add")?;

    // The inputs go to the device, and the output gets its memory there.
    let a = stream.clone_htod(a)?;
    let b = stream.clone_htod(b)?;
    let mut out = stream.alloc_zeros::<f32>(n)?;

    // A thread an element, 256 threads a block: the last block may have some to spare.
    let config = LaunchConfig {
        grid_dim: (n.div_ceil(256) as u32, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut builder = stream.launch_builder(&kernel);
    builder.arg(&a).arg(&b).arg(&mut out).arg(&n);
    // SAFETY: the arguments are those of vector_add.cu, in number, order and type; it reads
    // a[0 .. n] and b[0 .. n] and writes out[0 .. n], and no more.
    unsafe { builder.launch(config)? };

    // Enqueued after the kernel, so it copies what the kernel wrote.
    let sum = stream.clone_dtoh(&out)?;
    stream.synchronize()?;
    Ok(sum)
}
// ANCHOR_END: vector_add
