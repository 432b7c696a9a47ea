//! One kernel per device, which loads one part of the arrays of all devices: the first shot of `two_shot`.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{Collective, Task},
};

/// The rung `reduce_scatter_pull`.
pub static RUNG: Rung = Rung::new(
    "reduce_scatter_pull",
    "one kernel per device, which loads one part of all arrays: the first shot of two_shot",
    ptx!("kernels/reduce_scatter_pull.ptx"),
)
.refuses(|_, case| Task::ReduceScatter.refusal(case));

const THREADS: u32 = 512;

/// One kernel per device. Before them and after them, all streams meet.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let kernels = p.kernels(rung.ptx, "reduce_scatter_pull")?; // such as reduce_scatter_pull_4
    let parts = p.parts();
    let most = p.devices[0].resident_blocks(THREADS);
    let blocks = (parts[0].1 as u32).div_ceil(4 * THREADS).clamp(1, most);
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };

    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let inputs = p.input_addresses();
        p.devices.fork()?;
        for (d, (kernel, (first, end))) in kernels.iter().zip(&parts).enumerate() {
            let mut out = p.outs[d].view_mut();
            let mut launch = p.devices[d].stream.launch_builder(kernel);
            launch.arg(&inputs).arg(&mut out).arg(first).arg(end);
            // SAFETY: reduce_scatter_pull.cu is `(Pointers in, float* out, size_t first, size_t end)`. It reads the
            // elements from `first` to before `end` of every device's array and writes as many. `first` is a multiple
            // of 4, unless it is the number of elements.
            unsafe { launch.launch(config)? };
        }
        p.devices.join()
    }))
}
