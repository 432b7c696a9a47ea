//! The devices wait for each other within the kernel, by flags in device memory.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{Collective, Shared, Task},
};

/// The rung `flags`.
pub static RUNG: Rung = Rung::new(
    "flags",
    "the devices wait for each other within the kernel, by flags in device memory",
    ptx!("kernels/flags.ptx"),
)
.refuses(|_, case| Task::AllReduce.refusal(case));

const THREADS: u32 = 512;

/// One kernel per device.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let kernels = p.kernels(rung.ptx, "flags")?; // such as flags_4
    let parts = p.parts();
    let most = p.devices.resident_blocks(&kernels, THREADS)?;
    let blocks = (parts[0].1 as u32).div_ceil(4 * THREADS).clamp(1, most);
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
    let flags = Shared::flags(&p.devices, blocks as usize)?;

    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let (inputs, outs) = (p.input_addresses(), p.out_addresses());
        for (rank, (first, end)) in (0_i32..).zip(&parts) {
            let mut launch =
                p.devices[rank as usize].stream.launch_builder(&kernels[rank as usize]);
            launch.arg(&inputs).arg(&outs).arg(flags.addresses());
            launch.arg(&rank).arg(first).arg(end);
            // SAFETY: flags.cu is `(Pointers in, Pointers out, Flags flags, int device, size_t first, size_t end)`. It
            // reads and writes the elements from `first` to before `end` of every device's arrays, which have n
            // elements, and 8 flags per block of the grid, whose blocks are all resident.
            unsafe { launch.launch(config)? };
        }
        Ok(())
    }))
}
