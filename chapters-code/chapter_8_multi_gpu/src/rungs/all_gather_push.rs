//! One kernel per device, which stores its part into the results of all devices: the second shot of `flags`.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{Collective, Shared, Task},
};

/// The rung `all_gather_push`.
pub static RUNG: Rung = Rung::new(
    "all_gather_push",
    "one kernel per device, which stores its part into all results: the second shot of flags",
    ptx!("kernels/all_gather_push.ptx"),
)
.refuses(|_, case| Task::AllGather.refusal(case));

const THREADS: u32 = 512;

/// One kernel per device.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let kernels = p.kernels(rung.ptx, "all_gather_push")?; // such as all_gather_push_4
    let parts = p.parts();
    let most = p.devices.resident_blocks(&kernels, THREADS)?;
    let blocks = (parts[0].1 as u32).div_ceil(4 * THREADS).clamp(1, most);
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
    let flags = Shared::flags(&p.devices, blocks as usize)?;

    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let outs = p.out_addresses();
        for (rank, (first, end)) in (0_i32..).zip(&parts) {
            let d = rank as usize;
            let mut launch = p.devices[d].stream.launch_builder(&kernels[d]);
            launch.arg(&p.inputs[d]).arg(&outs).arg(flags.addresses());
            launch.arg(&rank).arg(first).arg(end);
            // SAFETY: all_gather_push.cu is `(const float* in, Pointers out, Flags flags, int device, size_t first,
            // size_t end)`. It reads end - first elements and writes as many of every device's result,
            // which has n. It uses 8 flags per block of the grid, whose blocks are all resident.
            unsafe { launch.launch(config)? };
        }
        Ok(())
    }))
}
