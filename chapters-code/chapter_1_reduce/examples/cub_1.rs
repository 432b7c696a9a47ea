//! `cargo run --example cub_1 -- FOLDER/libcub_sum.so`: CUB's sum, called from Rust. It needs a GPU, and the library that
//! `sh chapters-code/tools/baselines/build.sh FOLDER sm_90 cub_sum` builds from `cub_sum.cu`.

use std::{env, ffi::c_void, ptr};

use anyhow::{Context, Result, ensure};
use cudarc::driver::{CudaContext, DevicePtr, DevicePtrMut, sys::CUstream};
use libloading::{Library, Symbol};

/// Scratch memory and its bytes, input, output, number of elements, stream; returns a `cudaError_t`.
type Sum =
    unsafe extern "C" fn(*mut c_void, *mut usize, *const f32, *mut f32, usize, CUstream) -> i32;

fn main() -> Result<()> {
    let path = env::args().nth(1).context("name the library, as in `-- ./libcub_sum.so`")?;
    // SAFETY: loading the library runs no code that needs anything.
    let library = unsafe { Library::new(&path) }?;
    // SAFETY: `cub_sum.cu` has a function of this name and type.
    let sum: Symbol<Sum> = unsafe { library.get(b"cub_sum_f32") }?;

    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let values: Vec<f32> = (0..1_000_000).map(|i| (i % 7) as f32).collect();
    let input = stream.clone_htod(&values)?;
    let mut output = stream.alloc_zeros::<f32>(1)?;

    let mut bytes = 0;
    let mut scratch = None;
    for _ in ["how many bytes", "the sum"] {
        let to = scratch.as_mut().map(|memory| DevicePtrMut::<u8>::device_ptr_mut(memory, &stream));
        let to = to.map_or(ptr::null_mut(), |(address, _)| address as *mut c_void);
        let (from, out) = (input.device_ptr(&stream).0, output.device_ptr_mut(&stream).0);
        let (from, out) = (from as *const f32, out as *mut f32);
        // SAFETY: all memory is as long as it is said to be, and lives until the stream has been waited for.
        let status = unsafe { sum(to, &mut bytes, from, out, values.len(), stream.cu_stream()) };
        ensure!(status == 0, "CUB: cudaError_t {status}");
        scratch = Some(stream.alloc_zeros::<u8>(bytes.max(1))?);
    }
    let found = stream.clone_dtoh(&output)?[0];
    let expected: f32 = values.iter().sum();
    println!("CUB's sum of {} floats: {found}, expected {expected}", values.len());
    ensure!(found == expected, "wrong");
    Ok(())
}
