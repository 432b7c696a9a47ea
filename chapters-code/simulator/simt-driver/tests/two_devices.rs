//! Several devices: a process of its own, as the number of devices is read from the environment once.

use crate::common::{code, context_in_own_process, kernel, launch, one_block};
use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaContext, DevicePtr, result};

#[test]
fn two_devices() {
    let Some(_context) =
        context_in_own_process("two_devices::two_devices", &[("SIMT_DEVICES", "2")])
    else {
        return;
    };
    assert_eq!(CudaContext::device_count().unwrap(), 2);
    let (first, second) = (CudaContext::new(0).unwrap(), CudaContext::new(1).unwrap());
    assert_ne!(first.uuid().unwrap().bytes, second.uuid().unwrap().bytes);
    assert_eq!(code(CudaContext::new(2)), CUresult::CUDA_ERROR_INVALID_DEVICE);

    // A copy from one to the other, of more than a chunk of it.
    let host: Vec<u32> = (0..1 << 19).map(|i| i * 3).collect();
    let there = first.default_stream().clone_htod(&host).unwrap();
    let here = second.default_stream().clone_dtod(&there).unwrap();
    assert_eq!(second.default_stream().clone_dtoh(&here).unwrap(), host);

    // Each has its own free memory, and its own kernels.
    let used = |context: &CudaContext| {
        let (free, total) = context.mem_get_info().unwrap();
        total - free
    };
    drop(there);
    assert!(used(&second) > used(&first));
    let mut data = second.default_stream().alloc_zeros::<u32>(1).unwrap();
    let poke = kernel(&second, "poke");
    let stream = second.default_stream();
    launch!(stream, poke, one_block(1), &mut data).unwrap();
    assert_eq!(stream.clone_dtoh(&data).unwrap(), [1]);

    // A fault on one is none of the other's business.
    // The address is wrong, on purpose.
    launch!(stream, poke, one_block(1), &0u64).unwrap();
    assert_eq!(code(second.synchronize()), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    assert!(first.synchronize().is_ok());

    // No kernel reaches the other device's memory before access is enabled.
    let first_word = first.default_stream().alloc_zeros::<u32>(1).unwrap();
    let third = CudaContext::new_non_primary(1, 0).unwrap();
    let (poke, stream) = (kernel(&third, "poke"), third.default_stream());
    // The memory is that of another device, on purpose.
    launch!(stream, poke, one_block(1), &first_word).unwrap();
    assert_eq!(code(third.synchronize()), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    let _ = (data.device_ptr(&stream), result::device::get(1));
}
