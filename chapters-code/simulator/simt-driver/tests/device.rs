//! What the device says of itself.

use crate::common::{self, PTX, code, context, kernel};
use cudarc::driver::sys::{
    self, CUdevice_attribute as Attribute, CUfunction_attribute as FunctionAttribute, CUlimit,
    CUresult,
};
use cudarc::driver::{CudaContext, result};

#[test]
fn an_h200() {
    let context = context();
    assert_eq!(context.name().unwrap(), "SIMT simulator (H200 profile)");
    assert_eq!(context.compute_capability().unwrap(), (9, 0));
    assert_eq!(context.total_mem().unwrap(), 150_109_880_320);
    let attribute = |a| context.attribute(a).unwrap();
    assert_eq!(attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 132);
    assert_eq!(attribute(Attribute::CU_DEVICE_ATTRIBUTE_WARP_SIZE), 32);
    assert_eq!(attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE), 60 << 20);
    assert_eq!(attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK), 49_152);
    let opt_in = Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN;
    assert_eq!(attribute(opt_in), 232_448);
    // Two transfers a clock on every wire: about 4.8 TB/s.
    let clock = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) as u64;
    let wires = attribute(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH) as u64;
    assert_eq!(2 * clock * 1000 * wires / 8 / 1_000_000_000, 4814);
}

#[test]
fn every_attribute_has_a_value() {
    let _context = context();
    type Get = unsafe extern "C" fn(*mut i32, u32, i32) -> u32;
    // By number, as the enum of one version of the API has gaps.
    // SAFETY: the function has this type.
    let get = unsafe { common::LIBRARY.get::<Get>("cuDeviceGetAttribute") }.unwrap();
    for number in 1..sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX as u32 {
        let mut value = i32::MIN;
        // SAFETY: the result is valid for writing.
        let result = unsafe { get(&mut value, number, 0) };
        assert_eq!(result, 0, "attribute {number}");
        assert!(value >= -1, "attribute {number} is {value}");
    }
    // SAFETY: as above; refused.
    assert_eq!(unsafe { get(&mut 0, 100_000, 0) }, 1);
}

#[test]
fn no_such_device() {
    let _context = context();
    for ordinal in [1, 1000] {
        let error = code(CudaContext::new(ordinal));
        assert_eq!(error, CUresult::CUDA_ERROR_INVALID_DEVICE);
    }
    assert_eq!(code(result::device::get(-1)), CUresult::CUDA_ERROR_INVALID_DEVICE);
}

#[test]
fn limits_and_preferences_are_kept() {
    let context = context();
    let stack = context.get_limit(CUlimit::CU_LIMIT_STACK_SIZE).unwrap();
    context.set_limit(CUlimit::CU_LIMIT_STACK_SIZE, 2 * stack).unwrap();
    assert_eq!(context.get_limit(CUlimit::CU_LIMIT_STACK_SIZE).unwrap(), 2 * stack);
    let depth = CUlimit::CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH;
    assert_eq!(context.get_limit(depth).unwrap(), 2);
    let unsupported = CUresult::CUDA_ERROR_UNSUPPORTED_LIMIT;
    assert_eq!(code(context.set_limit(depth, 3)), unsupported);
    let shared = sys::CUfunc_cache::CU_FUNC_CACHE_PREFER_SHARED;
    context.set_cache_config(shared).unwrap();
    assert_eq!(context.get_cache_config().unwrap(), shared);
}

#[test]
fn error_names() {
    let _context = context();
    let error = cudarc::driver::DriverError(CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
    assert_eq!(error.error_name().unwrap(), c"CUDA_ERROR_ILLEGAL_ADDRESS");
    assert_eq!(error.error_string().unwrap(), c"an illegal memory access was encountered");
}

#[test]
fn function_attributes() {
    let context = context();
    let shared = kernel(&context, "shared");
    assert_eq!(shared.shared_size_bytes().unwrap(), 1024);
    assert_eq!(shared.max_threads_per_block().unwrap(), 256);
    assert_eq!(shared.const_size_bytes().unwrap(), 16);
    assert_eq!(shared.ptx_version().unwrap(), 75);
    assert_eq!(shared.binary_version().unwrap(), 90);
    assert!(shared.num_regs().unwrap() > 0);
    let most = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    assert_eq!(shared.get_attribute(most).unwrap(), 49_152 - 1024);
    shared.set_attribute(most, 232_448 - 1024).unwrap();
    assert_eq!(shared.get_attribute(most).unwrap(), 232_448 - 1024);
    let error = code(shared.set_attribute(most, 232_448 - 1023));
    assert_eq!(error, CUresult::CUDA_ERROR_INVALID_VALUE);
}

/// As an H200 answers.
#[test]
fn static_shared_memory_leaves_the_rest_to_dynamic() {
    let context = context();
    let most = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    let known = [(48_000, 1152), (49_152, 0), (65_536, 166_912), (100_000, 132_448), (232_448, 0)];
    for (fixed, rest) in known {
        let text = PTX.replace("fixed[1024]", &format!("fixed[{fixed}]"));
        let shared = common::load(&context, &text, "shared");
        assert_eq!(shared.get_attribute(most).unwrap(), rest, "{fixed}");
    }
}

#[test]
fn occupancy() {
    extern "C" fn none(_threads: i32) -> usize {
        0
    }
    extern "C" fn much(threads: i32) -> usize {
        threads as usize * 450
    }
    let context = context();
    let add = kernel(&context, "add");
    let resident = |threads, dynamic| {
        add.occupancy_max_active_blocks_per_multiprocessor(threads, dynamic, None).unwrap()
    };
    assert_eq!(resident(256, 0), 8);
    assert_eq!(resident(1024, 0), 2);
    // More dynamic shared memory than the function has asked for.
    assert_eq!(resident(256, 100_000), 0);
    let best = |of| add.occupancy_max_potential_block_size(of, 0, 0, None).unwrap();
    assert_eq!(best(none), (2 * 132, 1024));
    let available = || add.occupancy_available_dynamic_smem_per_block(2, 256).unwrap();
    assert_eq!(available(), 49_152);
    let most = FunctionAttribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    add.set_attribute(most, 232_448).unwrap();
    assert_eq!(resident(256, 100_000), 2);
    assert_eq!(available(), 115_712);
    // 230,400 bytes for the largest block that fits, of 512 threads.
    assert_eq!(best(much), (132, 512));
}
