//! Launches that succeed, and those that are refused.

use std::ffi::c_void;

use crate::common::{self, code, context, kernel, launch, module, one_block};
use cudarc::driver::sys::{self, CUfunction_attribute as FunctionAttribute, CUresult};
use cudarc::driver::{CudaFunction, DevicePtr, LaunchConfig, result};

#[test]
fn vector_add() {
    let context = context();
    let stream = context.default_stream();
    let add = kernel(&context, "add");
    let n = 1000u32;
    let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..n).map(|i| 0.5 - i as f32 * 3.0).collect();
    let (a_device, b_device) = (stream.clone_htod(&a).unwrap(), stream.clone_htod(&b).unwrap());
    let mut c = stream.alloc_zeros::<f32>(n as usize).unwrap();
    let config = LaunchConfig { block_dim: (128, 1, 1), grid_dim: (8, 1, 1), shared_mem_bytes: 0 };
    launch!(stream, add, config, &mut c, &a_device, &b_device, &n).unwrap();
    let expected: Vec<f32> = a.iter().zip(&b).map(|(a, b)| a + b).collect();
    assert_eq!(stream.clone_dtoh(&c).unwrap(), expected);
}

#[repr(C)]
#[derive(Clone, Copy)]
struct Pair(u64, u64);

// SAFETY: plain data without padding.
unsafe impl cudarc::driver::DeviceRepr for Pair {}

#[test]
fn parameters_of_every_size() {
    let context = context();
    let stream = context.default_stream();
    let layout = kernel(&context, "layout");
    let mut out = stream.alloc_zeros::<u64>(1).unwrap();
    launch!(stream, layout, one_block(1), &mut out, &200u8, &(1u64 << 40), &Pair(5, 7)).unwrap();
    assert_eq!(stream.clone_dtoh(&out).unwrap(), [(1 << 40) + 207]);
}

#[test]
fn parameters_in_a_buffer() {
    let context = context();
    let stream = context.default_stream();
    let poke = kernel(&context, "poke");
    let out = stream.alloc_zeros::<u32>(1).unwrap();
    let address = out.device_ptr(&stream).0;
    let launch = |mut size: usize| {
        let [pointer, length, end] = [1, 2, 0].map(|number: usize| number as *mut c_void);
        let buffer = (&raw const address).cast_mut().cast::<c_void>();
        let mut extra = [pointer, buffer, length, (&raw mut size).cast(), end];
        let (f, extra) = (poke.cu_function(), extra.as_mut_ptr());
        let (stream, pointers) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the buffer holds the kernel's one argument.
        unsafe { sys::cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, pointers, extra) }
    };
    assert_eq!(launch(8), CUresult::CUDA_SUCCESS);
    assert_eq!(stream.clone_dtoh(&out).unwrap(), [1]);
    assert_eq!(launch(4), CUresult::CUDA_ERROR_INVALID_VALUE);
}

#[test]
fn variables_and_constants() {
    let context = context();
    let stream = context.default_stream();
    let module = module(&context);
    let count = module.load_function("count").unwrap();
    for _ in 0..3 {
        launch!(stream, count, one_block(1)).unwrap();
    }
    let counter = module.get_global("counter", &stream).unwrap();
    assert_eq!(stream.clone_dtoh(&counter).unwrap(), 10u32.to_le_bytes());
    let mut factors = module.get_global("factors", &stream).unwrap();
    // SAFETY: the variable holds four floats.
    let mut factors = unsafe { factors.transmute_mut::<f32>(4) }.unwrap();
    stream.memcpy_htod(&[1.5, 2.5, 3.5, 4.5], &mut factors).unwrap();
    let constants = module.load_function("constants").unwrap();
    let mut out = stream.alloc_zeros::<f32>(4).unwrap();
    launch!(stream, constants, one_block(4), &mut out).unwrap();
    assert_eq!(stream.clone_dtoh(&out).unwrap(), [1.5, 2.5, 3.5, 4.5]);
}

#[test]
fn shared_memory() {
    let context = context();
    let stream = context.default_stream();
    let shared = kernel(&context, "shared");
    let mut out = stream.alloc_zeros::<u32>(1).unwrap();
    let mut launch = |shared_mem_bytes| {
        let config = LaunchConfig { shared_mem_bytes, ..one_block(32) };
        code(launch!(stream, shared, config, &mut out))
    };
    assert_eq!(launch(4), CUresult::CUDA_SUCCESS);
    assert_eq!(launch(48 * 1024 - 1024), CUresult::CUDA_SUCCESS);
    assert_eq!(launch(48 * 1024), CUresult::CUDA_ERROR_INVALID_VALUE);
    let most = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    shared.set_attribute(most, 200_000).unwrap();
    assert_eq!(launch(200_000), CUresult::CUDA_SUCCESS);
    assert_eq!(launch(200_001), CUresult::CUDA_ERROR_INVALID_VALUE);
    assert_eq!(stream.clone_dtoh(&out).unwrap(), [42]);
}

#[test]
fn cooperative_launches_must_fit() {
    let context = context();
    let stream = context.default_stream();
    let count = kernel(&context, "count");
    let launch = |blocks| {
        let config = common::blocks(blocks, 1024);
        // SAFETY: the kernel takes no arguments.
        code(unsafe { stream.launch_builder(&count).launch_cooperative(config) })
    };
    assert_eq!(launch(2 * 132), CUresult::CUDA_SUCCESS);
    let too_large = CUresult::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    assert_eq!(launch(2 * 132 + 1), too_large);
}

#[test]
fn configurations_that_no_device_has() {
    let context = context();
    let stream = context.default_stream();
    let (count, shared) = (kernel(&context, "count"), kernel(&context, "shared"));
    let launch = |function: &CudaFunction, grid_dim, block_dim| {
        let config = LaunchConfig { grid_dim, block_dim, shared_mem_bytes: 0 };
        code(launch!(stream, *function, config))
    };
    let one = (1, 1, 1);
    let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
    for block in [(0, 1, 1), (1025, 1, 1), (32, 33, 1), (1, 1, 65), (u32::MAX, 2, 1)] {
        assert_eq!(launch(&count, one, block), invalid, "{block:?}");
    }
    for grid in [(0, 1, 1), (1, 0, 1), (1, 65_536, 1), (1, 1, 65_536), (1 << 31, 1, 1)] {
        assert_eq!(launch(&count, grid, one), invalid, "{grid:?}");
    }
    // More threads than `.maxntid`.
    assert_eq!(launch(&shared, one, (257, 1, 1)), invalid);
    // A refused launch leaves nothing behind.
    assert_eq!(launch(&count, one, one), CUresult::CUDA_SUCCESS);
    stream.synchronize().unwrap();
}

#[test]
fn arguments_that_are_not_there() {
    let context = context();
    let layout = kernel(&context, "layout");
    let launch = |arguments: *mut *mut c_void| {
        let (f, extra) = (layout.cu_function(), std::ptr::null_mut());
        let stream: sys::CUstream = std::ptr::null_mut();
        // SAFETY: refused before the kernel runs.
        unsafe { sys::cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, arguments, extra) }
    };
    let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
    assert_eq!(launch(std::ptr::null_mut()), invalid);
    let mut nothing = [std::ptr::null_mut(); 4];
    assert_eq!(launch(nothing.as_mut_ptr()), invalid);
    if cfg!(target_os = "linux") {
        let mut wild = [0x7777_0000_0000_0000usize as *mut c_void; 4];
        assert_eq!(launch(wild.as_mut_ptr()), invalid);
    }
}

#[test]
fn handles_that_are_none() {
    let context = context();
    let stream = context.default_stream();
    let count = kernel(&context, "count");
    let bad_handle = CUresult::CUDA_ERROR_INVALID_HANDLE;
    let launch = |function, stream| {
        let one = (1, 1, 1);
        // SAFETY: refused, or a kernel without arguments.
        code(unsafe { result::launch_kernel(function, one, one, 0, stream, &mut []) })
    };
    let mine = stream.cu_stream();
    for wrong in [std::ptr::null_mut(), 8 as *mut _, usize::MAX as *mut _, context.cu_ctx().cast()]
    {
        assert_eq!(launch(wrong, mine), bad_handle, "function {wrong:?}");
    }
    assert_eq!(launch(count.cu_function(), 99 as *mut _), bad_handle);
    assert_eq!(launch(count.cu_function(), mine), CUresult::CUDA_SUCCESS);
    // A stream of another context.
    let other = common::context();
    let elsewhere = other.new_stream().unwrap();
    assert_eq!(launch(count.cu_function(), elsewhere.cu_stream()), bad_handle);
}

#[test]
fn without_a_context() {
    let context = context();
    let count = kernel(&context, "count");
    let handle = count.cu_function() as usize;
    let alone = std::thread::spawn(move || {
        let (one, stream) = ((1, 1, 1), std::ptr::null_mut());
        // SAFETY: refused.
        code(unsafe { result::launch_kernel(handle as *mut _, one, one, 0, stream, &mut []) })
    });
    assert_eq!(alone.join().unwrap(), CUresult::CUDA_ERROR_INVALID_CONTEXT);
}
