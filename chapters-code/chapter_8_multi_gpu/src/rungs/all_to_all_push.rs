//! One kernel per device, which stores each part of its array into the result of another device.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{Collective, Shared, Task},
};

/// The rung `all_to_all_push`.
pub static RUNG: Rung = Rung::new(
    "all_to_all_push",
    "one kernel per device, which stores each part into the result of another device",
    ptx!("kernels/all_to_all_push.ptx"),
)
.refuses(|_, case| Task::AllToAll.refusal(case));

const THREADS: u32 = 512;

/// One kernel per device.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let kernels = p.kernels(rung.ptx, "all_to_all_push")?; // such as all_to_all_push_4
    let part = p.part();
    let most = p.devices.resident_blocks(&kernels, THREADS)?;
    let blocks = (part as u32).div_ceil(4 * THREADS).clamp(1, most);
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
    let flags = Shared::flags(&p.devices, blocks as usize)?;

    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let outs = p.out_addresses();
        for (rank, kernel) in (0_i32..).zip(&kernels) {
            let d = rank as usize;
            let mut launch = p.devices[d].stream.launch_builder(kernel);
            launch.arg(&p.inputs[d]).arg(&outs).arg(flags.addresses());
            launch.arg(&rank).arg(&part).arg(&p.n);
            // SAFETY: all_to_all_push.cu is `(const float* in, Pointers out, Flags flags, int device, size_t part,
            // size_t n)`. It reads n elements and writes one part of every device's result, which has room
            // for a part per device. It uses 8 flags per block of the grid, whose blocks are all resident.
            unsafe { launch.launch(config)? };
        }
        Ok(())
    }))
}
