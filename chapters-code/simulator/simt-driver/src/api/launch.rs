//! Launches.

use std::ffi::{c_uint, c_void};

use crate::entry::api;
use crate::error::Result;
use crate::launch::{Arguments, Request, launch};
use crate::operation::{HostCall, Operation, submit};
use crate::types::{CUfunction, CUhostFn, CUlaunchConfig, CUstream, In};

api! {
    /// Runs a kernel.
    per_thread(cuLaunchKernel_ptsz) fn cuLaunchKernel(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        dynamic_shared: c_uint,
        stream: CUstream,
        pointers: In<usize>,
        extra: In<usize>,
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let request = Request::new(function, grid, block, dynamic_shared);
        launch(&request, stream, &Arguments { pointers, extra })
    }

    /// Runs a kernel whose blocks are all resident at once.
    per_thread(cuLaunchCooperativeKernel_ptsz) fn cuLaunchCooperativeKernel(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        dynamic_shared: c_uint,
        stream: CUstream,
        pointers: In<usize>,
    ) {
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let request = Request::new(function, grid, block, dynamic_shared);
        let request = Request { cooperative: true, ..request };
        launch(&request, stream, &Arguments { pointers, extra: In(std::ptr::null()) })
    }

    /// Runs a kernel. Of the attributes, the cooperative one and the shape of a cluster have an effect.
    per_thread(cuLaunchKernelEx_ptsz) fn cuLaunchKernelEx(
        config: In<CUlaunchConfig>,
        function: CUfunction,
        pointers: In<usize>,
        extra: In<usize>,
    ) {
        let config = config.get()?;
        launch(&request(&config, function)?, config.stream, &Arguments { pointers, extra })
    }

    /// Calls a function of the host, on a thread of its own.
    per_thread(cuLaunchHostFunc_ptsz) fn cuLaunchHostFunc(stream: CUstream, function: CUhostFn, user_data: *mut c_void) {
        submit(stream, Operation::Host(HostCall::new(function, user_data)?))
    }
}

/// Returns the launch that a configuration asks for.
fn request(config: &CUlaunchConfig, function: CUfunction) -> Result<Request> {
    // The others but for clusters are hints on caching, priorities and the like.
    const COOPERATIVE: c_uint = 2;
    let cooperative = config.attribute(COOPERATIVE)?.is_some_and(|value| value[0] != 0);
    let &CUlaunchConfig { grid, block, shared_mem_bytes, .. } = config;
    let request = Request::new(function, grid, block, shared_mem_bytes);
    Ok(Request { cooperative, cluster: cluster_of(config)?, ..request })
}

/// Returns the shape of a cluster that a configuration asks for.
pub(super) fn cluster_of(config: &CUlaunchConfig) -> Result<Option<[u32; 3]>> {
    const CLUSTER_DIMENSION: c_uint = 4;
    Ok(config.attribute(CLUSTER_DIMENSION)?.map(|[x, y, z, ..]| [x, y, z]))
}
