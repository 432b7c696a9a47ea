//! What current compilers write, as they wrote it: `toolchains/`. A module loads whatever is in it; its
//! kernels run, or are refused one by one.

use std::sync::Arc;

use cudarc::driver::sys::CUresult;
use cudarc::driver::{CudaContext, CudaModule, LaunchConfig};
use cudarc::nvrtc::Ptx;

use crate::common::{blocks, code, context, launch, one_block};

macro_rules! module {
    ($context:expr, $file:literal) => {
        load($context, include_str!(concat!("toolchains/", $file)))
    };
}

fn load(context: &Arc<CudaContext>, ptx: &str) -> Arc<CudaModule> {
    context.load_module(Ptx::from_src(ptx)).expect("it loads")
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
    launch!(stream, add, blocks(4, 128), &x, &x, &mut out, &500).unwrap();
    let sums = stream.clone_dtoh(&out).unwrap();
    assert!(sums[..500].iter().zip(&floats).all(|(sum, x)| *sum == x + x));
    assert!(sums[500..].iter().all(|sum| sum.is_nan()));

    let x = stream.clone_htod(&numbers).unwrap();
    let mut out = stream.alloc_zeros::<i32>(2).unwrap();
    let block_sum = module.load_function("block_sum").unwrap();
    launch!(stream, block_sum, blocks(2, 256), &x, &mut out).unwrap();
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
        // A spare argument is not read.
        let refused = launch!(stream, kernel, one_block(32), &mut out, &0u64);
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
    // A block handles a row.
    let config = LaunchConfig { shared_mem_bytes: 16, ..blocks(ROWS as u32, 128) };
    let columns = COLUMNS as i32;
    launch!(stream, softmax, config, &input, &mut out, &columns, &SCRATCH, &SCRATCH).unwrap();
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
    // A block scans 512 elements.
    let config = LaunchConfig { shared_mem_bytes: 64, ..blocks(2, 128) };
    launch!(stream, scan, config, &input, &mut out, &SCRATCH, &SCRATCH).unwrap();
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
    let config = LaunchConfig { shared_mem_bytes: 16_384, ..one_block(128) };
    let refused = launch!(stream, matmul, config, &0u64, &0u64, &mut data, &32, &SCRATCH, &SCRATCH);
    assert_eq!(code(refused), CUresult::CUDA_ERROR_NOT_SUPPORTED);
}
