//! No barrier: each element travels together with a flag, in one word.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Launch, Prepared, Rung, rung};

use crate::problem::{Collective, Shared, Task};

rung!(
    "low_latency",
    "no barrier: each element travels together with a flag, in one word of 8 bytes",
    up_to(1 << 22),
    refuses(|_, case| Task::AllReduce.refusal(case))
);

const THREADS: u32 = 512;

/// One kernel per device.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let kernels = p.kernels(rung.ptx, "low_latency")?; // such as low_latency_4
    let most = p.devices.resident_blocks(&kernels, THREADS)?;
    let blocks = (p.n.div_ceil(THREADS as usize) as u32).clamp(1, most);
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
    let received = Shared::<u64>::zeros(&p.devices, 2 * p.n * p.devices.len())?;
    let mut epoch = 0_u32;

    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let inputs = p.input_addresses();
        epoch += 1;
        for (rank, kernel) in (0_i32..).zip(&kernels) {
            let mut out = p.outs[rank as usize].view_mut();
            let mut launch = p.devices[rank as usize].stream.launch_builder(kernel);
            launch.arg(&inputs).arg(&mut out).arg(received.addresses());
            launch.arg(&rank).arg(&epoch).arg(&p.n);
            // SAFETY: low_latency.cu is `(Pointers in, float* out, Words received, int device, unsigned epoch, size_t
            // n)`. It reads n elements of its device's array, writes n, and uses 2 * n words per device.
            unsafe { launch.launch(config)? };
        }
        Ok(())
    }))
}
