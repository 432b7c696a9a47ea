//! Graphs that are made node by node, and changes to executable ones.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Arc;

use crate::common::{code, context, module};
use cudarc::driver::sys::{self, CUgraph, CUgraphExec, CUgraphNode, CUgraphNodeType, CUresult};
use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DriverError};

/// Room for some nodes.
const ROOM: usize = 8;

fn checked(code: CUresult) {
    assert_eq!(code, CUresult::CUDA_SUCCESS);
}

/// A graph, and what its nodes work on.
struct Bench {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    add: CudaFunction,
    data: CudaSlice<f32>,
    graph: CUgraph,
}

impl Bench {
    fn new() -> Self {
        let context = context();
        let stream = context.new_stream().unwrap();
        let add = module(&context).load_function("add").unwrap();
        let data = stream.alloc_zeros(4).unwrap();
        let mut graph = null_mut();
        // SAFETY: the result is valid for writing.
        checked(unsafe { sys::cuGraphCreate(&mut graph, 0) });
        Self { context, stream, add, data, graph }
    }

    fn address(&self) -> u64 {
        self.data.device_ptr(&self.stream).0
    }

    fn kernel_params(&self, arguments: &mut [*mut c_void; 4]) -> sys::CUDA_KERNEL_NODE_PARAMS {
        sys::CUDA_KERNEL_NODE_PARAMS {
            func: self.add.cu_function(),
            gridDimX: 1,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: 4,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: 0,
            kernelParams: arguments.as_mut_ptr(),
            extra: null_mut(),
            kern: null_mut(),
            ctx: null_mut(),
        }
    }

    /// Calls `with` with the parameters of a kernel that doubles the first `n` elements.
    fn doubling<T>(&self, n: u32, with: impl FnOnce(&sys::CUDA_KERNEL_NODE_PARAMS) -> T) -> T {
        let address = self.address();
        let pointer = (&raw const address).cast_mut().cast();
        let mut arguments = [pointer, pointer, pointer, (&raw const n).cast_mut().cast()];
        with(&self.kernel_params(&mut arguments))
    }

    fn add_doubling(&self, n: u32, after: &[CUgraphNode]) -> CUgraphNode {
        let mut node = null_mut();
        let (before, count) = (after.as_ptr(), after.len());
        self.doubling(n, |params| {
            // SAFETY: the parameters are those of the kernel, and the nodes are live.
            checked(unsafe {
                sys::cuGraphAddKernelNode_v2(&mut node, self.graph, before, count, params)
            });
        });
        node
    }

    /// A fill of all elements.
    fn filling(&self, value: f32) -> sys::CUDA_MEMSET_NODE_PARAMS {
        sys::CUDA_MEMSET_NODE_PARAMS {
            dst: self.address(),
            pitch: 0,
            value: value.to_bits(),
            elementSize: 4,
            width: 4,
            height: 1,
        }
    }

    fn add_filling(&self, value: f32) -> CUgraphNode {
        let (mut node, params) = (null_mut(), self.filling(value));
        // SAFETY: the parameters are valid for reading, and the node for writing.
        checked(unsafe {
            let context = self.context.cu_ctx();
            sys::cuGraphAddMemsetNode(&mut node, self.graph, null(), 0, &params, context)
        });
        node
    }

    fn depend(&self, before: CUgraphNode, after: CUgraphNode) -> Result<(), DriverError> {
        // SAFETY: the handles are live.
        unsafe { sys::cuGraphAddDependencies(self.graph, &before, &after, 1) }.result()
    }

    fn instantiate(&self) -> Result<CUgraphExec, DriverError> {
        let mut exec = null_mut();
        // SAFETY: the graph is live, and the result valid for writing.
        unsafe { sys::cuGraphInstantiateWithFlags(&mut exec, self.graph, 0) }.result()?;
        Ok(exec)
    }

    /// What a launch leaves in memory.
    fn launch(&self, exec: CUgraphExec) -> Vec<f32> {
        // SAFETY: the handles are live.
        checked(unsafe { sys::cuGraphLaunch(exec, self.stream.cu_stream()) });
        self.stream.clone_dtoh(&self.data).unwrap()
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // SAFETY: the graph is live.
        unsafe { sys::cuGraphDestroy(self.graph) };
    }
}

#[test]
fn nodes_run_in_the_order_of_their_dependencies() {
    let bench = Bench::new();
    let double = bench.add_doubling(4, &[]);
    let fill = bench.add_filling(3.);
    let again = bench.add_doubling(2, &[double]);
    bench.depend(fill, double).unwrap();
    let exec = bench.instantiate().unwrap();
    for _ in 0..3 {
        assert_eq!(bench.launch(exec), [12., 12., 6., 6.]);
    }
    let invalid = CUresult::CUDA_ERROR_INVALID_VALUE;
    assert_eq!(code(bench.depend(fill, double)), invalid, "it is there");
    assert_eq!(code(bench.depend(fill, fill)), invalid);
    // As in driver 580, a cycle is found when the graph is instantiated.
    bench.depend(again, fill).unwrap();
    assert_eq!(code(bench.instantiate()), invalid);
    // SAFETY: the handles are live.
    checked(unsafe { sys::cuGraphRemoveDependencies(bench.graph, &again, &fill, 1) });
    // A destroyed node is no dependency.
    // SAFETY: the handle is live.
    checked(unsafe { sys::cuGraphDestroyNode(double) });
    assert_eq!(bench.launch(bench.instantiate().unwrap())[2..], [3.; 2]);
    assert_eq!(bench.launch(exec), [12., 12., 6., 6.], "a copy");
}

#[test]
fn nodes_and_dependencies_are_listed() {
    let bench = Bench::new();
    let fill = bench.add_filling(1.);
    let double = bench.add_doubling(4, &[fill]);
    let (mut nodes, mut others) = ([null_mut(); ROOM], [null_mut(); ROOM]);
    let mut count = ROOM;
    // SAFETY: there is room for as many nodes as `count` says.
    unsafe {
        checked(sys::cuGraphGetNodes(bench.graph, nodes.as_mut_ptr(), &mut count));
        assert_eq!((count, &nodes[..3]), (2, &[fill, double, null_mut()][..]));
        count = 1;
        checked(sys::cuGraphGetRootNodes(bench.graph, nodes.as_mut_ptr(), &mut count));
        assert_eq!((count, nodes[0]), (1, fill));
        count = ROOM;
        let (from, to) = (nodes.as_mut_ptr(), others.as_mut_ptr());
        checked(sys::cuGraphGetEdges(bench.graph, from, to, &mut count));
        assert_eq!((count, nodes[0], others[0]), (1, fill, double));
        checked(sys::cuGraphNodeGetDependencies(double, null_mut(), &mut count));
        assert_eq!(count, 1);
        checked(sys::cuGraphNodeGetDependentNodes(double, null_mut(), &mut count));
        assert_eq!(count, 0);
        let mut kind = CUgraphNodeType::CU_GRAPH_NODE_TYPE_EMPTY;
        checked(sys::cuGraphNodeGetType(fill, &mut kind));
        assert_eq!(kind, CUgraphNodeType::CU_GRAPH_NODE_TYPE_MEMSET);
    }
}

#[test]
fn parameters_are_read_and_changed() {
    let bench = Bench::new();
    let fill = bench.add_filling(1.);
    let double = bench.add_doubling(4, &[fill]);
    let exec = bench.instantiate().unwrap();
    // SAFETY: the handles are live, the results valid for writing, the arguments the kernel's.
    unsafe {
        let mut params = std::mem::zeroed::<sys::CUDA_KERNEL_NODE_PARAMS>();
        checked(sys::cuGraphKernelNodeGetParams_v2(double, &mut params));
        assert_eq!((params.func, params.blockDimX), (bench.add.cu_function(), 4));
        let arguments = std::slice::from_raw_parts(params.kernelParams, 4);
        assert_eq!(*arguments[0].cast::<u64>(), bench.address());
        assert_eq!(*arguments[3].cast::<u32>(), 4);
        bench.doubling(1, |params| {
            checked(sys::cuGraphExecKernelNodeSetParams_v2(exec, double, params));
        });
        assert_eq!(bench.launch(exec), [2., 1., 1., 1.]);
        let (mut params, context) = (bench.filling(5.), bench.context.cu_ctx());
        checked(sys::cuGraphExecMemsetNodeSetParams(exec, fill, &params, context));
        assert_eq!(bench.launch(exec), [10., 5., 5., 5.]);
        // The graph itself is as it was, until it is changed.
        assert_eq!(bench.launch(bench.instantiate().unwrap()), [2.; 4]);
        bench.doubling(2, |params| {
            checked(sys::cuGraphKernelNodeSetParams_v2(double, params));
        });
        assert_eq!(bench.launch(bench.instantiate().unwrap()), [2., 2., 1., 1.]);
        // What is no kernel has no kernel's parameters.
        params.width = 1;
        let wrong = sys::cuGraphMemsetNodeSetParams(double, &params);
        assert_eq!(wrong, CUresult::CUDA_ERROR_INVALID_VALUE);
        // An executable graph can become what another graph of its shape is.
        let mut result = std::mem::zeroed::<sys::CUgraphExecUpdateResultInfo>();
        checked(sys::cuGraphExecUpdate_v2(exec, bench.graph, &mut result));
        assert_eq!(bench.launch(exec), [2., 2., 1., 1.]);
        let third = bench.add_doubling(1, &[double]);
        let refused = sys::cuGraphExecUpdate_v2(exec, bench.graph, &mut result);
        assert_eq!(refused, CUresult::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
        assert_eq!((result.result as u32, result.errorNode), (2, third));
    }
}

#[test]
fn a_clone_is_a_graph_of_its_own() {
    let bench = Bench::new();
    let fill = bench.add_filling(1.);
    let double = bench.add_doubling(4, &[fill]);
    let (mut clone, mut copy, mut exec) = (null_mut(), null_mut(), null_mut());
    // SAFETY: the handles are live, and the results valid for writing.
    unsafe {
        checked(sys::cuGraphClone(&mut clone, bench.graph));
        checked(sys::cuGraphNodeFindInClone(&mut copy, fill, clone));
        assert!(copy != fill && !copy.is_null());
        checked(sys::cuGraphMemsetNodeSetParams(copy, &bench.filling(4.)));
        checked(sys::cuGraphDestroyNode(double));
        checked(sys::cuGraphInstantiateWithFlags(&mut exec, clone, 0));
        assert_eq!(bench.launch(exec), [8.; 4]);
        assert_eq!(bench.launch(bench.instantiate().unwrap()), [1.; 4]);
        checked(sys::cuGraphDestroy(clone));
        assert_eq!(bench.launch(exec), [8.; 4]);
        checked(sys::cuGraphExecDestroy(exec));
        let gone = [sys::cuGraphDestroy(clone), sys::cuGraphExecDestroy(exec)];
        assert_eq!(gone, [CUresult::CUDA_ERROR_INVALID_VALUE; 2]);
    }
}

#[test]
fn copies_of_layers() {
    let bench = Bench::new();
    let source: Vec<u8> = (0..60).collect();
    let mut target = vec![0u8; 16];
    let host = sys::CUmemorytype::CU_MEMORYTYPE_HOST;
    // Of 3 layers of 4 rows of 5 bytes, 2 rows of 3 bytes of each of the last 2 layers.
    let job = sys::CUDA_MEMCPY3D {
        srcXInBytes: 1,
        srcY: 2,
        srcZ: 1,
        srcLOD: 0,
        srcMemoryType: host,
        srcHost: source.as_ptr().cast(),
        srcDevice: 0,
        srcArray: null_mut(),
        reserved0: null_mut(),
        srcPitch: 5,
        srcHeight: 4,
        dstXInBytes: 0,
        dstY: 0,
        dstZ: 0,
        dstLOD: 0,
        dstMemoryType: host,
        dstHost: target.as_mut_ptr().cast(),
        dstDevice: 0,
        dstArray: null_mut(),
        reserved1: null_mut(),
        dstPitch: 4,
        dstHeight: 2,
        WidthInBytes: 3,
        Height: 2,
        Depth: 2,
    };
    let (mut node, context) = (null_mut(), bench.context.cu_ctx());
    // SAFETY: the memory is valid until the stream is synchronized.
    unsafe {
        checked(sys::cuGraphAddMemcpyNode(&mut node, bench.graph, null(), 0, &job, context));
        bench.launch(bench.instantiate().unwrap());
    }
    let row = |first: u8| [first, first + 1, first + 2, 0];
    assert_eq!(target, [31, 36, 51, 56].map(row).concat());
}

#[test]
fn host_functions_in_a_graph() {
    unsafe extern "C" fn increment(counter: *mut c_void) {
        // SAFETY: the counter lives until the stream is synchronized.
        unsafe { *counter.cast::<u32>() += 1 };
    }
    let bench = Bench::new();
    let mut counter = 0u32;
    let params =
        sys::CUDA_HOST_NODE_PARAMS { fn_: Some(increment), userData: (&raw mut counter).cast() };
    let mut node = null_mut();
    let fill = bench.add_filling(1.);
    // SAFETY: the handles are live, and the parameters valid for reading.
    checked(unsafe { sys::cuGraphAddHostNode(&mut node, bench.graph, &fill, 1, &params) });
    let exec = bench.instantiate().unwrap();
    for _ in 0..3 {
        bench.launch(exec);
    }
    bench.stream.synchronize().unwrap();
    assert_eq!(counter, 3);
}

#[test]
fn a_fault_ends_a_graph() {
    let bench = Bench::new();
    let fill = bench.add_filling(1.);
    // Past the end of the array.
    let fault = bench.doubling(4, |params| {
        let (mut node, mut beyond) = (null_mut(), *params);
        beyond.blockDimX = 4;
        let (nowhere, n) = (0u64, 1u32);
        let pointer = (&raw const nowhere).cast_mut().cast();
        let mut arguments = [pointer, pointer, pointer, (&raw const n).cast_mut().cast()];
        beyond.kernelParams = arguments.as_mut_ptr();
        // SAFETY: the addresses are wrong, on purpose.
        checked(unsafe { sys::cuGraphAddKernelNode_v2(&mut node, bench.graph, &fill, 1, &beyond) });
        node
    });
    bench.add_doubling(4, &[fault]);
    let exec = bench.instantiate().unwrap();
    // SAFETY: the handles are live.
    checked(unsafe { sys::cuGraphLaunch(exec, bench.stream.cu_stream()) });
    let illegal = CUresult::CUDA_ERROR_ILLEGAL_ADDRESS;
    assert_eq!(code(bench.stream.synchronize()), illegal);
}
