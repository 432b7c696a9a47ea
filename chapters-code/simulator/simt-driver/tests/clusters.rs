//! Launches in clusters: what the driver says and refuses, and `this_cluster()` of cooperative groups,
//! compiled from NVIDIA's headers. The expected answers are those of an H100's driver.

use std::ffi::c_void;
use std::ops::Deref;
use std::sync::Arc;

use cudarc::driver::sys::{self, CUfunction_attribute as Attribute, CUresult};
use cudarc::driver::{CudaFunction, CudaStream, DevicePtr, LaunchConfig};

use crate::common::{blocks, code, context, context_in_own_process, launch, load};
use crate::report::report;

const PTX: &str = include_str!("kernels/cluster.compute_90.ptx");
const OK: CUresult = CUresult::CUDA_SUCCESS;
const INVALID: CUresult = CUresult::CUDA_ERROR_INVALID_CLUSTER_SIZE;
const WIDTH: Attribute = Attribute::CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
const LARGE: Attribute = Attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
const MUST_BE_SET: Attribute = Attribute::CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET;

/// A kernel in a context of its own.
struct Kernel {
    stream: Arc<CudaStream>,
    function: CudaFunction,
}

impl Deref for Kernel {
    type Target = CudaFunction;

    fn deref(&self) -> &CudaFunction {
        &self.function
    }
}

fn kernel(name: &str) -> Kernel {
    let context = context();
    Kernel { stream: context.default_stream(), function: load(&context, PTX, name) }
}

/// Launches blocks of 64 threads in clusters of this many, if it is given, and returns the code and two
/// words of each block.
fn launch(kernel: &Kernel, blocks: u32, cluster: Option<u32>) -> (CUresult, Vec<u64>) {
    let stream = &kernel.stream;
    let out = stream.alloc_zeros::<u64>(2 * blocks as usize).unwrap();
    let mut address = out.device_ptr(stream).0;
    let mut attribute: sys::CUlaunchAttribute = sys::CUlaunchAttribute {
        id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
        pad: [0; 4],
        value: sys::CUlaunchAttributeValue {
            clusterDim: sys::CUlaunchAttributeValue_union__bindgen_ty_1 {
                x: cluster.unwrap_or(0),
                y: 1,
                z: 1,
            },
        },
    };
    let config = sys::CUlaunchConfig {
        gridDimX: blocks,
        gridDimY: 1,
        gridDimZ: 1,
        blockDimX: 64,
        blockDimY: 1,
        blockDimZ: 1,
        sharedMemBytes: 0,
        hStream: stream.cu_stream(),
        attrs: &raw mut attribute,
        numAttrs: cluster.is_some().into(),
    };
    let mut arguments = [(&raw mut address).cast::<c_void>()];
    let function = kernel.cu_function();
    // SAFETY: the argument is the kernel's, and the array has two words for each block.
    let launched = unsafe {
        sys::cuLaunchKernelEx(&config, function, arguments.as_mut_ptr(), std::ptr::null_mut())
    };
    (launched, stream.clone_dtoh(&out).unwrap())
}

/// What the kernels leave for a block: the digits of the first six blocks of its cluster, and what its
/// neighbour added.
fn expected(block: u32, cluster: u32) -> [u64; 2] {
    let (rank, first) = (block % cluster, block - block % cluster);
    let digits = (first..first + cluster.min(6)).fold(0, |all, b| 1000 * all + u64::from(b));
    let added = 64 * (rank + 1);
    [digits, u64::from(added + 1000 * rank + 100_000 * cluster)]
}

#[track_caller]
fn runs(kernel: &Kernel, blocks: u32, cluster: Option<u32>, size: u32) {
    let (launched, found) = launch(kernel, blocks, cluster);
    assert_eq!(launched, OK);
    let expected: Vec<u64> = (0..blocks).flat_map(|block| expected(block, size)).collect();
    assert_eq!(found, expected, "{blocks} blocks in clusters of {size}");
}

#[test]
fn clusters_of_any_size() {
    let any = kernel("gather_any");
    runs(&any, 5, None, 1);
    for (blocks, cluster) in [(3, 1), (8, 2), (9, 3), (12, 4), (24, 8), (264, 2)] {
        runs(&any, blocks, Some(cluster), cluster);
    }
    for (blocks, cluster) in [(5, 2), (16, 16), (9, 9), (4, 0)] {
        assert_eq!(launch(&any, blocks, Some(cluster)).0, INVALID, "{blocks} {cluster}");
    }
    any.set_attribute(LARGE, 1).unwrap();
    runs(&any, 32, Some(16), 16);
    assert_eq!(launch(&any, 17, Some(17)).0, INVALID);
}

#[test]
fn clusters_that_the_kernel_declares() {
    let two = kernel("gather_two");
    runs(&two, 8, None, 2);
    runs(&two, 8, Some(2), 2);
    assert_eq!(launch(&two, 8, Some(4)).0, INVALID);
    assert_eq!((two.get_attribute(WIDTH), two.get_attribute(MUST_BE_SET)), (Ok(2), Ok(1)));
    assert_eq!(code(two.set_attribute(WIDTH, 4)), CUresult::CUDA_ERROR_INVALID_VALUE);
    // Plain launches are in clusters too.
    let stream = &two.stream;
    let plain = |count: u32| {
        let mut out = stream.alloc_zeros::<u64>(2 * count as usize).unwrap();
        let launched = launch!(stream, two, blocks(count, 64), &mut out);
        launched.map(|_| stream.clone_dtoh(&out).unwrap())
    };
    assert_eq!(plain(4).unwrap()[2..4], expected(1, 2));
    assert_eq!(code(plain(7)), INVALID);
}

#[test]
fn clusters_that_an_attribute_sets() {
    let any = kernel("gather_any");
    assert_eq!((any.get_attribute(WIDTH), any.get_attribute(MUST_BE_SET)), (Ok(0), Ok(0)));
    any.set_attribute(WIDTH, 2).unwrap();
    runs(&any, 4, None, 2);
    assert_eq!(launch(&any, 4, Some(4)).0, INVALID);
}

/// The numbers that an H100's driver gave.
#[test]
fn clusters_that_the_device_holds() {
    let active = |kernel: &Kernel, threads: u32| {
        kernel.occupancy_max_active_clusters(blocks(2, threads), &kernel.stream).unwrap()
    };
    assert_eq!(active(&kernel("gather_two"), 256), 528);
    for (cluster, [one, two, four]) in
        [(1, [132, 264, 528]), (4, [30, 62, 124]), (8, [15, 30, 60]), (16, [7, 14, 28])]
    {
        let any = kernel("gather_any");
        any.set_attribute(LARGE, 1).unwrap();
        any.set_attribute(WIDTH, cluster).unwrap();
        assert_eq!((active(&any, 1024), active(&any, 512)), (two, four), "{cluster}");
        let bytes = 130 * 1024;
        let dynamic = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        any.set_attribute(dynamic, bytes).unwrap();
        let config = LaunchConfig { shared_mem_bytes: bytes as u32, ..blocks(16, 1024) };
        assert_eq!(any.occupancy_max_active_clusters(config, &any.stream), Ok(one), "{cluster}");
    }
    let any = kernel("gather_any");
    let largest = any.occupancy_max_potential_cluster_size(blocks(64, 256), &any.stream);
    assert_eq!(largest, Ok(16));
}

/// The counts of accesses by 132 blocks of 1,024 threads, 256 rounds, in clusters of two, as Nsight
/// Compute read them on an H100 from the same addresses.
#[test]
fn counts_as_an_h100_counts() {
    let Some(_context) = context_in_own_process("clusters::counts_as_an_h100_counts", &[]) else {
        return;
    };
    let scatter = kernel("scatter");
    scatter.set_attribute(WIDTH, 2).unwrap();
    let counted = |what: u32| {
        let stream = &scatter.stream;
        let mut out = stream.alloc_zeros::<u32>(132 * 1024).unwrap();
        launch!(stream, scatter, blocks(132, 1024), &mut out, &what, &256u32).unwrap();
        stream.synchronize().unwrap();
        let counters = report()["launches"][0]["counters"].clone();
        ["dshared_sectors", "shared_atomic_wavefronts"].map(|name| counters[name].as_u64().unwrap())
    };
    report();
    assert_eq!([0, 1].map(counted), [[34_361_565, 0]; 2]);
    // Lanes at one word cost a little more there than one sector each: 34,424,685 and 17,237,553.
    assert_eq!(counted(2), [34_414_977, 0]);
    assert_eq!(counted(3), [17_234_972, 2_277_841]);
    assert_eq!(counted(4), [0, 2_958_504]);
}
