//! Launches.

use std::ffi::{c_uint, c_void};

use crate::entry::api;
use crate::error::{CUresult, Result};
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
        let cooperative = false;
        let request = Request { function, grid, block, dynamic_shared, cooperative };
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
        let cooperative = true;
        let request = Request { function, grid, block, dynamic_shared, cooperative };
        launch(&request, stream, &Arguments { pointers, extra: In(std::ptr::null()) })
    }

    /// Runs a kernel. Of the attributes, the cooperative one has an effect; clusters are refused.
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

fn request(config: &CUlaunchConfig, function: CUfunction) -> Result<Request> {
    const COOPERATIVE: c_uint = 2;
    const CLUSTER_DIMENSION: c_uint = 4;
    let mut cooperative = false;
    for attribute in config.attributes()? {
        match attribute.id {
            COOPERATIVE => cooperative = attribute.value[0] != 0,
            CLUSTER_DIMENSION if attribute.value[..3] != [1; 3] => {
                return Err(CUresult::NOT_SUPPORTED.because("a launch in clusters of blocks"));
            }
            // Hints on caching, priorities and the like.
            _ => {}
        }
    }
    let &CUlaunchConfig { grid, block, shared_mem_bytes: dynamic_shared, .. } = config;
    Ok(Request { function, grid, block, dynamic_shared, cooperative })
}
