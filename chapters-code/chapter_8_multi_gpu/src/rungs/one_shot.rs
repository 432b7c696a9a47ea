//! Every device adds all arrays for itself: more bytes, but one trip over the links instead of two.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{Collective, Shared, Task},
};

/// The rung `one_shot`.
pub static RUNG: Rung = Rung::new(
    "one_shot",
    "every device adds all arrays for itself: more bytes, but one trip over the links",
    ptx!("kernels/one_shot.ptx"),
)
.refuses(|_, case| Task::AllReduce.refusal(case));

const THREADS: u32 = 512;

/// One kernel per device.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let kernels = p.kernels(rung.ptx, "one_shot")?; // such as one_shot_4
    let most = p.devices.resident_blocks(&kernels, THREADS)?;
    let blocks = (p.n.div_ceil(4 * THREADS as usize) as u32).clamp(1, most);
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
    let flags = Shared::flags(&p.devices, blocks as usize)?;

    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let inputs = p.input_addresses();
        for (rank, kernel) in (0_i32..).zip(&kernels) {
            let mut out = p.outs[rank as usize].view_mut();
            let mut launch = p.devices[rank as usize].stream.launch_builder(kernel);
            launch.arg(&inputs).arg(&mut out).arg(flags.addresses());
            launch.arg(&rank).arg(&p.n);
            // SAFETY: one_shot.cu is `(Pointers in, float* out, Flags flags, int device, size_t n)`. It reads n elements
            // of every device's array, writes n, and has 8 flags per block of the grid, whose blocks are all resident.
            unsafe { launch.launch(config)? };
        }
        Ok(())
    }))
}
