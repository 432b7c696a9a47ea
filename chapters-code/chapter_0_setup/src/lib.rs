//! Setup: the first kernel, from its PTX to its result, and two kernels that show what a device can do at
//! most.
//!
//! [`vector_add`] is the whole of a launch. Every later chapter does the same, except that the harness opens
//! the device, and that loading is kept apart from launching, so that launches can be timed. The rungs are
//! files, `rungs/<name>.rs`; [`problem`] holds their buffers, their inputs and the judge.

pub mod chapter;
pub mod doctor;
pub mod latencies;
mod measure;
pub mod problem;
pub mod wrong_clock;

/// The rungs.
pub mod rungs {
    pub mod copy;
    pub mod read_sweep;
    pub mod vector_add;
}

use std::sync::Arc;

use cudarc::{
    driver::{
        CudaContext, CudaFunction, CudaSlice, CudaStream, CudaViewMut, DriverError, LaunchConfig,
        PushKernelArg,
    },
    nvrtc::Ptx,
};
use harness::{Ladder, PtxText, ptx};

/// What NVRTC made of `kernels/vector_add.cu`.
pub const VECTOR_ADD_PTX: PtxText = ptx!("kernels/vector_add.ptx");

// ANCHOR: vector_add
/// Adds two vectors of the same length on the device.
///
/// # Errors
/// The driver's error, for example where the memory does not suffice.
///
/// # Panics
/// If the lengths differ.
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

    launch_vector_add(&stream, &kernel, &a, &b, &mut out.as_view_mut())?;

    // Enqueued after the kernel, so it copies what the kernel wrote.
    let sum = stream.clone_dtoh(&out)?;
    stream.synchronize()?;
    Ok(sum)
}

/// One thread per element and 256 threads per block. The last block may have threads
/// without an element.
pub fn vector_add_config(n: usize) -> LaunchConfig {
    LaunchConfig {
        grid_dim: (n.div_ceil(256).max(1) as u32, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    }
}

/// Enqueues the kernel, which writes the sum of `a` and `b` to `out`.
///
/// # Errors
/// The driver's error.
///
/// # Panics
/// If a vector is shorter than the sum.
pub fn launch_vector_add(
    stream: &Arc<CudaStream>,
    kernel: &CudaFunction,
    a: &CudaSlice<f32>,
    b: &CudaSlice<f32>,
    out: &mut CudaViewMut<'_, f32>,
) -> Result<(), DriverError> {
    let n = out.len();
    assert!(n <= a.len() && n <= b.len(), "a vector is too short");
    let mut builder = stream.launch_builder(kernel);
    builder.arg(a).arg(b).arg(out).arg(&n);
    // SAFETY: the arguments are those of vector_add.cu, in number, order and type; it reads
    // a[0 .. n] and b[0 .. n] and writes out[0 .. n], and no more.
    unsafe { builder.launch(vector_add_config(n))? };
    Ok(())
}
// ANCHOR_END: vector_add

/// The rungs in order.
pub fn vectors() -> Ladder<problem::Vectors> {
    use rungs::*;
    vec![
        (vector_add::RUNG, vector_add::prepare),
        (copy::RUNG, copy::prepare),
        (read_sweep::RUNG, read_sweep::prepare),
    ]
}
