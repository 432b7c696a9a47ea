//! The C types of graphs: parameters of nodes, and of what is done with executable graphs.

use std::ffi::{c_int, c_uint, c_void};

use super::*;

/// `CUDA_KERNEL_NODE_PARAMS`, first version; the second one has two handles more.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNodeParams {
    /// The function.
    pub function: CUfunction,
    /// Blocks in each direction.
    pub grid: [c_uint; 3],
    /// Threads of a block in each direction.
    pub block: [c_uint; 3],
    /// Bytes of dynamic shared memory.
    pub shared_mem_bytes: c_uint,
    /// Pointers to the arguments.
    pub pointers: *const usize,
    /// Settings that name a buffer of arguments instead.
    pub extra: *const usize,
}

/// `CUDA_KERNEL_NODE_PARAMS_v2`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct KernelNodeParams2 {
    /// The first version's.
    pub base: KernelNodeParams,
    /// The function again, for callers that have it from a library.
    pub kernel: CUfunction,
    /// The context for such a function.
    pub context: CUcontext,
}

/// `CUDA_MEMSET_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct MemsetNodeParams {
    /// The first row's address.
    pub address: CUdeviceptr,
    /// Bytes from row to row.
    pub pitch: usize,
    /// The value of every element.
    pub value: c_uint,
    /// Bytes of an element: 1, 2 or 4.
    pub element_size: c_uint,
    /// Elements of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// `CUDA_HOST_NODE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct HostNodeParams {
    /// The function.
    pub function: CUhostFn,
    /// What it is called with.
    pub user_data: *mut c_void,
}

/// One side of a `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Volume {
    /// Offset of the first byte in its row.
    pub x_in_bytes: usize,
    /// The first row in its layer.
    pub y: usize,
    /// The first layer.
    pub z: usize,
    /// The level of detail, of arrays only.
    pub level: usize,
    /// `CUmemorytype`.
    pub memory_type: c_uint,
    /// The address, for host memory.
    pub host: HostBytes,
    /// The address, for device memory.
    pub device: CUdeviceptr,
    /// The array, which is not supported.
    pub array: Handle,
    reserved: usize,
    /// Bytes from row to row.
    pub pitch: usize,
    /// Rows from layer to layer.
    pub height: usize,
}

/// `CUDA_MEMCPY3D`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CudaMemcpy3D {
    /// From where.
    pub source: Volume,
    /// To where.
    pub target: Volume,
    /// Bytes of a row that are copied.
    pub width_in_bytes: usize,
    /// Rows of a layer.
    pub height: usize,
    /// Layers.
    pub depth: usize,
}

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct GraphInstantiateParams {
    /// `CUgraphInstantiate_flags`.
    pub flags: u64,
    /// The stream to upload the graph in.
    pub upload_stream: CUstream,
    /// The node that failed; always null here.
    pub error_node: CUgraphNode,
    /// `CUgraphInstantiateResult`.
    pub result: c_uint,
}

/// `CUgraphExecUpdateResultInfo`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct GraphExecUpdateResultInfo {
    /// `CUgraphExecUpdateResult`.
    pub result: c_int,
    /// The first node that differs, or null.
    pub error_node: CUgraphNode,
    /// The node from which a dependency differs; always null here.
    pub error_from: CUgraphNode,
}

impl From<Plane> for Volume {
    fn from(plane: Plane) -> Self {
        Self {
            x_in_bytes: plane.x_in_bytes,
            y: plane.y,
            z: 0,
            level: 0,
            memory_type: plane.memory_type,
            host: plane.host,
            device: plane.device,
            array: plane.array,
            reserved: 0,
            pitch: plane.pitch,
            height: 0,
        }
    }
}

impl From<CudaMemcpy2D> for CudaMemcpy3D {
    fn from(job: CudaMemcpy2D) -> Self {
        Self {
            source: job.source.into(),
            target: job.target.into(),
            width_in_bytes: job.width_in_bytes,
            height: job.height,
            depth: 1,
        }
    }
}

const _: () = assert!(size_of::<CudaMemcpy3D>() == 200 && size_of::<MemsetNodeParams>() == 40);
const _: () = assert!(size_of::<KernelNodeParams>() == 56 && size_of::<KernelNodeParams2>() == 72);
