//! No barrier: each element travels together with a flag, in one word.

use cudarc::driver::{DeviceRepr, PushKernelArg};
use harness::{Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Collective, Shared, Task},
};

/// The rung `low_latency`.
pub static RUNG: Rung = Rung::new(
    "low_latency",
    "no barrier: each element travels together with a flag, in one word of 8 bytes",
    ptx!("kernels/low_latency.ptx"),
)
.up_to(1 << 22)
.refuses(|_, case| Task::AllReduce.refusal(case));

const THREADS: u32 = 512;

/// One kernel per device.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let most_blocks = p.n.div_ceil(THREADS as usize).max(1);
    let launches = Shared::filled(&p.devices, most_blocks, p.devices.launches)?;
    counted(p, rung, move |d| launches.addresses().0[d])
}

/// One kernel per device. `launches` gives the kernel of device d its `Launches`; the broken rung has another one. The
/// devices ask for it in their order, once per operation each.
pub fn counted<L: DeviceRepr>(
    p: &Collective,
    rung: &Rung,
    mut launches: impl FnMut(usize) -> L + 'static,
) -> Prepared<Collective> {
    let kernels = p.kernels(rung.ptx, "low_latency")?; // such as low_latency_4
    let most = p.devices.resident_blocks(&kernels, THREADS)?;
    let blocks = (p.n.div_ceil(THREADS as usize) as u32).clamp(1, most);
    let config = grid(blocks.into(), THREADS);
    let received = 2 * p.n * p.devices.len();
    let received = Shared::words(&p.devices, received, p.devices.launches)?;

    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let inputs = p.input_addresses();
        for (rank, kernel) in (0_i32..).zip(&kernels) {
            let d = rank as usize;
            let (mut out, launches) = (p.outs[d].view_mut(), launches(d));
            let mut launch = p.devices[d].stream.launch_builder(kernel);
            launch.arg(&inputs).arg(&mut out).arg(received.addresses());
            launch.arg(&launches).arg(&rank).arg(&p.n);
            // SAFETY: low_latency.cu is `(Pointers in, float* out, Words received, Launches launches, int device, size_t
            // n)`. It reads n elements of its device's array, writes n, uses 2 * n words per device, and counts in a
            // word per block.
            unsafe { launch.launch(config)? };
        }
        Ok(())
    }))
}
