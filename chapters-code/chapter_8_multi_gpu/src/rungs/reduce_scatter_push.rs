//! Stores instead of loads: every device sends its elements to the device that adds them, which waits for them.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{Collective, Shared, Task},
};

/// The rung `reduce_scatter_push`.
pub static RUNG: Rung = Rung::new(
    "reduce_scatter_push",
    "stores instead of loads: elements are sent to the device that adds them, which waits",
    ptx!("kernels/reduce_scatter_push.ptx"),
)
.refuses(|_, case| Task::ReduceScatter.refusal(case));

const THREADS: u32 = 512;

/// One kernel per device.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let kernels = p.kernels(rung.ptx, "reduce_scatter_push")?; // such as reduce_scatter_push_4
    let part = p.part();
    let most = p.devices.resident_blocks(&kernels, THREADS)?;
    let blocks = (part as u32).div_ceil(4 * THREADS).clamp(1, most);
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
    let received = Shared::<f32>::scratch(&p.devices, part * p.devices.len())?;
    let flags = Shared::flags(&p.devices, blocks as usize)?;

    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let inputs = p.input_addresses();
        for (rank, kernel) in (0_i32..).zip(&kernels) {
            let mut out = p.outs[rank as usize].view_mut();
            let mut launch = p.devices[rank as usize].stream.launch_builder(kernel);
            launch.arg(&inputs).arg(&mut out).arg(received.addresses()).arg(flags.addresses());
            launch.arg(&rank).arg(&part).arg(&p.n);
            // SAFETY: reduce_scatter_push.cu is `(Pointers in, float* out, Pointers received, Flags flags, int device,
            // size_t part, size_t n)`. It reads n elements of its device's array, writes its part of the result, and uses `part` elements per device of `received`, and 8 flags per block of the grid, whose
            // blocks are all resident.
            unsafe { launch.launch(config)? };
        }
        Ok(())
    }))
}
