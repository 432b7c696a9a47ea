//! Every device adds one part of all arrays: its kernel loads from all devices, and stores to all.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{Collective, Task},
};

/// The rung `two_shot`.
pub static RUNG: Rung = Rung::new(
    "two_shot",
    "every device adds one part: its kernel loads from all devices and stores to all",
    ptx!("kernels/two_shot.ptx"),
)
.refuses(|_, case| Task::AllReduce.refusal(case));

const THREADS: u32 = 512;

/// One kernel per device. Before them and after them, all streams meet.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let kernels = p.kernels(rung.ptx, "two_shot")?; // such as two_shot_4
    let parts = p.parts();
    let most = p.devices[0].resident_blocks(THREADS);
    let blocks = (parts[0].1 as u32).div_ceil(4 * THREADS).clamp(1, most);
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };

    // ANCHOR: enqueue
    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let (inputs, outs) = (p.input_addresses(), p.out_addresses());
        p.devices.fork()?;
        for ((device, kernel), (first, end)) in p.devices.iter().zip(&kernels).zip(&parts) {
            let mut launch = device.stream.launch_builder(kernel);
            launch.arg(&inputs).arg(&outs).arg(first).arg(end);
            // SAFETY: two_shot.cu is `(Pointers in, Pointers out, size_t first, size_t end)`. It reads and writes the
            // elements from `first` to before `end` of every device's arrays, which have n elements. `first` is a
            // multiple of 4.
            unsafe { launch.launch(config)? };
        }
        p.devices.join()
    }))
    // ANCHOR_END: enqueue
}
