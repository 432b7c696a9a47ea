//! A program that knows nothing of the simulator: plain cudarc, in a package of its own.

// ANCHOR: add
use cudarc::driver::{CudaContext, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

/// The sum of two vectors, made on the first CUDA device.
pub fn add(a: &[f32], b: &[f32]) -> Result<Vec<f32>, DriverError> {
    let stream = CudaContext::new(0)?.default_stream();
    let module = stream.context().load_module(Ptx::from_src(include_str!("vector_add.ptx")))?;
    let vector_add = module.load_function("vector_add")?;
    let (a_dev, b_dev) = (stream.clone_htod(a)?, stream.clone_htod(b)?);
    let mut out = stream.alloc_zeros::<f32>(a.len())?;
    let n = a.len();
    let mut launch = stream.launch_builder(&vector_add);
    launch.arg(&a_dev).arg(&b_dev).arg(&mut out).arg(&n);
    // SAFETY: the kernel reads n elements of a and b, and writes n of out. The caller passes a b of
    // n elements; the second test does not, on purpose.
    unsafe { launch.launch(LaunchConfig::for_num_elems(n as u32)) }?;
    stream.clone_dtoh(&out)
}

#[test]
fn vectors_of_one_length() {
    assert_eq!(add(&[1.0; 1000], &[2.0; 1000]).unwrap(), [3.0; 1000]);
}

#[test]
fn vectors_of_two_lengths() {
    assert!(add(&[1.0; 1000], &[2.0; 999]).is_err());
}
// ANCHOR_END: add
