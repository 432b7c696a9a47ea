//! What current compilers write, as they wrote it: `toolchains/`. A module loads whatever is in it; its
//! kernels run, or are refused one by one.

use std::sync::Arc;

use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaContext, CudaModule, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;

use crate::common::{code, context, one_block};

macro_rules! module {
    ($context:expr, $file:literal) => {
        load($context, include_str!(concat!("toolchains/", $file)))
    };
}

fn load(context: &Arc<CudaContext>, ptx: &str) -> Arc<CudaModule> {
    context.load_module(Ptx::from_src(ptx)).expect("it loads")
}

fn blocks(blocks: u32, threads: u32, shared_mem_bytes: u32) -> LaunchConfig {
    LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (threads, 1, 1), shared_mem_bytes }
}

#[test]
fn kernels_of_nvrtc_13() {
    let context = context();
    let (stream, module) = (context.default_stream(), module!(&context, "mixed.ptx"));
    let numbers: Vec<i32> = (0..512).map(|i| i * 37 % 101 - 50).collect();
    let floats: Vec<f32> = numbers.iter().map(|&i| i as f32 / 8.0).collect();
    let x = stream.clone_htod(&floats).unwrap();
    let mut out = stream.clone_htod(&[f32::NAN; 512]).unwrap();
    let add = module.load_function("add").unwrap();
    // SAFETY: the arguments are the kernel's, and the arrays hold 512 elements.
    unsafe {
        let mut launch = stream.launch_builder(&add);
        launch.arg(&x).arg(&x).arg(&mut out).arg(&500);
        launch.launch(blocks(4, 128, 0)).unwrap();
    }
    let sums = stream.clone_dtoh(&out).unwrap();
    assert!(sums[..500].iter().zip(&floats).all(|(sum, x)| *sum == x + x));
    assert!(sums[500..].iter().all(|sum| sum.is_nan()));

    let x = stream.clone_htod(&numbers).unwrap();
    let mut out = stream.alloc_zeros::<i32>(2).unwrap();
    let block_sum = module.load_function("block_sum").unwrap();
    // SAFETY: the arguments are the kernel's: 512 integers, and a sum per block.
    unsafe {
        let mut launch = stream.launch_builder(&block_sum);
        launch.arg(&x).arg(&mut out).launch(blocks(2, 256, 0)).unwrap();
    }
    let expected: Vec<i32> = numbers.chunks(256).map(|chunk| chunk.iter().sum()).collect();
    assert_eq!(stream.clone_dtoh(&out).unwrap(), expected);
}

#[test]
fn what_the_simulator_lacks_is_refused_kernel_by_kernel() {
    let context = context();
    let (stream, module) = (context.default_stream(), module!(&context, "mixed.ptx"));
    let mut out = stream.alloc_zeros::<i32>(32).unwrap();
    let unsupported = ["recursive", "indirect", "virtual_call", "heap", "matrix", "texture"];
    for name in unsupported {
        let kernel = module.load_function(name).unwrap();
        // SAFETY: the launch is refused; a spare argument is not looked at.
        let refused = unsafe {
            let mut launch = stream.launch_builder(&kernel);
            launch.arg(&mut out).arg(&0u64).launch(one_block(32))
        };
        assert_eq!(code(refused), CUresult::CUDA_ERROR_NOT_SUPPORTED, "{name}");
    }
    assert_eq!(code(context.synchronize()), CUresult::CUDA_SUCCESS);
}

/// Triton appends two pointers to its kernels' parameters, here to no scratch memory.
const SCRATCH: u64 = 0;

#[test]
fn softmax_of_triton() {
    const ROWS: usize = 3;
    const COLUMNS: usize = 200;
    let context = context();
    let (stream, module) = (context.default_stream(), module!(&context, "softmax.sm_75.ptx"));
    let x: Vec<f32> = (0..ROWS * COLUMNS).map(|i| (i * 7919 % 613) as f32 / 64.0 - 4.0).collect();
    let input = stream.clone_htod(&x).unwrap();
    let mut out = stream.clone_htod(&vec![f32::NAN; x.len()]).unwrap();
    let softmax = module.load_function("softmax").unwrap();
    // SAFETY: the arguments are the kernel's, and a block handles a row.
    unsafe {
        let mut launch = stream.launch_builder(&softmax);
        launch.arg(&input).arg(&mut out).arg(&(COLUMNS as i32));
        launch.arg(&SCRATCH).arg(&SCRATCH);
        launch.launch(blocks(ROWS as u32, 128, 16)).unwrap();
    }
    let found = stream.clone_dtoh(&out).unwrap();
    for (x, found) in x.chunks(COLUMNS).zip(found.chunks(COLUMNS)) {
        let exponentials: Vec<f64> = x.iter().map(|&x| f64::from(x).exp()).collect();
        let sum: f64 = exponentials.iter().sum();
        for (e, &found) in exponentials.iter().zip(found) {
            // In units of 2^-23: the differences are exact, their products with log2(e) at most 14, so
            // off by 4 for the product and 3.5 for the constant; with ex2's 2 that is 7.2 for an
            // exponential. The sum adds 4 for its 8 levels, the quotient 2: 20.4 together.
            let bound = 21.0 * f64::from(f32::EPSILON);
            assert!((f64::from(found) / (e / sum) - 1.0).abs() < bound);
        }
    }
}

#[test]
fn scan_of_triton() {
    let context = context();
    let (stream, module) = (context.default_stream(), module!(&context, "scan.sm_90.ptx"));
    let x: Vec<i32> = (0..1024).map(|i| i * 7919 % 613 - 306).collect();
    let input = stream.clone_htod(&x).unwrap();
    let mut out = stream.alloc_zeros::<i32>(x.len()).unwrap();
    let scan = module.load_function("scan").unwrap();
    // SAFETY: the arguments are the kernel's, and a block scans 512 elements.
    unsafe {
        let mut launch = stream.launch_builder(&scan);
        launch.arg(&input).arg(&mut out).arg(&SCRATCH).arg(&SCRATCH);
        launch.launch(blocks(2, 128, 64)).unwrap();
    }
    let scanned = x.chunks(512).flat_map(|block| {
        block.iter().scan(0, |sum, x| {
            *sum += x;
            Some(*sum)
        })
    });
    assert_eq!(stream.clone_dtoh(&out).unwrap(), scanned.collect::<Vec<i32>>());
}

#[test]
fn matrix_product_of_triton() {
    let context = context();
    let (stream, module) = (context.default_stream(), module!(&context, "matmul.sm_80.ptx"));
    let mut data = stream.alloc_zeros::<f32>(32 * 32).unwrap();
    let matmul = module.load_function("matmul").unwrap();
    // SAFETY: the launch is refused.
    let refused = unsafe {
        let mut launch = stream.launch_builder(&matmul);
        let address = 0u64;
        launch.arg(&address).arg(&address).arg(&mut data).arg(&32);
        launch.arg(&SCRATCH).arg(&SCRATCH).launch(blocks(1, 128, 16_384))
    };
    assert_eq!(code(refused), CUresult::CUDA_ERROR_NOT_SUPPORTED);
}
