//! What a kernel that faults leaves behind.

use std::ffi::CString;
use std::sync::Arc;

use crate::common::{
    LIBRARY, PTX, code, context, in_own_process, kernel, launch, one_block, set_option,
};
use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaContext, DevicePtr, result};

/// Writes to an address.
fn poke(context: &Arc<CudaContext>, address: u64) -> CUresult {
    let (stream, poke) = (context.default_stream(), kernel(context, "poke"));
    // The address is wrong, on purpose.
    code(launch!(stream, poke, one_block(1), &address))
}

#[test]
fn the_error_comes_with_the_next_call_that_waits() {
    let context = context();
    let stream = context.default_stream();
    let illegal = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;
    let count = kernel(&context, "count");
    let image = CString::new(PTX).unwrap();
    // SAFETY: the image is a string that lives until the call returns.
    let other = unsafe { result::module::load_data(image.as_ptr().cast()) }.unwrap();
    assert_eq!(poke(&context, 0), CUresult::CUDA_SUCCESS);
    // What is queued behind it does not run, and does not fail yet.
    assert!(launch!(stream, count, one_block(1)).is_ok());
    assert_eq!(code(stream.synchronize()), illegal);
    // From now on every call fails.
    assert_eq!(code(stream.alloc_zeros::<u8>(4)), illegal);
    let relaunched = launch!(stream, count, one_block(1));
    assert_eq!(code(relaunched), illegal);
    assert_eq!(code(context.synchronize()), illegal);
    // SAFETY: the module was never asked for a function, and is not used again.
    let unloaded = unsafe { result::module::unload(other) };
    assert_eq!(code(unloaded), illegal);
}

#[test]
#[ignore = "run by the test below"]
fn two_faults_of_which_one_is_quiet() {
    for (quiet, address) in [(1, 0x20), (0, 0x30)] {
        let context = context();
        assert_eq!(set_option(&LIBRARY, "quiet", quiet), 0);
        assert_eq!(poke(&context, address), CUresult::CUDA_SUCCESS);
        assert_eq!(code(context.synchronize()), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    }
}

#[test]
fn a_quiet_fault_is_not_said() {
    let run = in_own_process("faults::two_faults_of_which_one_is_quiet", &[]);
    let stderr = String::from_utf8(run.stderr).unwrap();
    assert!(run.status.success() && stderr.contains("0x30"), "{stderr}");
    assert!(!stderr.contains("0x20"), "{stderr}");
}

#[test]
fn another_context_is_not_affected() {
    let bad = context();
    assert_eq!(poke(&bad, 0x10), CUresult::CUDA_SUCCESS);
    assert_eq!(code(bad.synchronize()), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    drop(bad);
    let good = context();
    let data = good.default_stream().alloc_zeros::<u32>(1).unwrap();
    assert_eq!(poke(&good, data.device_ptr(&good.default_stream()).0), CUresult::CUDA_SUCCESS);
    assert_eq!(good.default_stream().clone_dtoh(&data).unwrap(), [1]);
}

#[test]
fn past_the_end_and_across() {
    for (offset, expected) in
        [(4, CUresult::CUDA_ERROR_ILLEGAL_ADDRESS), (2, CUresult::CUDA_ERROR_MISALIGNED_ADDRESS)]
    {
        let context = context();
        let stream = context.default_stream();
        let data = stream.alloc_zeros::<u32>(1).unwrap();
        assert_eq!(poke(&context, data.device_ptr(&stream).0 + offset), CUresult::CUDA_SUCCESS);
        assert_eq!(code(stream.clone_dtoh(&data)), expected);
    }
}

#[test]
fn host_memory_is_out_of_reach() {
    let context = context();
    let here = Box::new(0u32);
    assert_eq!(poke(&context, &raw const *here as u64), CUresult::CUDA_SUCCESS);
    assert_eq!(code(context.synchronize()), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
}

#[test]
fn freed_memory_is_out_of_reach() {
    let context = context();
    let stream = context.default_stream();
    let data = stream.alloc_zeros::<u32>(1).unwrap();
    let address = data.device_ptr(&stream).0;
    drop(data);
    assert_eq!(poke(&context, address), CUresult::CUDA_SUCCESS);
    assert_eq!(code(context.synchronize()), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
}

#[test]
fn a_trap_is_a_launch_failure() {
    let context = context();
    let abort = kernel(&context, "abort");
    launch!(context.default_stream(), abort, one_block(1)).unwrap();
    assert_eq!(code(context.synchronize()), CUresult::CUDA_ERROR_LAUNCH_FAILED);
}

#[test]
fn a_released_primary_context_begins_anew() {
    std::sync::LazyLock::force(&LIBRARY);
    let context = CudaContext::new(0).unwrap();
    assert_eq!(poke(&context, 0), CUresult::CUDA_SUCCESS);
    assert_eq!(code(context.synchronize()), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    drop(context);
    let context = CudaContext::new(0).unwrap();
    assert!(context.synchronize().is_ok());
}
