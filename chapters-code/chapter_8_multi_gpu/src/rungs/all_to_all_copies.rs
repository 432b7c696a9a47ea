//! Each device copies one part of the array of each device: copies alone, and no step waits for another.

use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, kernel};

use super::ring;
use crate::{
    Rung,
    problem::{Collective, Task},
};

/// The rung `all_to_all_copies`.
pub static RUNG: Rung = Rung::new(
    "all_to_all_copies",
    "each device copies its part of the array of each device: no copy waits for another",
    ring::RUNG.ptx,
)
.refuses(|_, case| Task::AllToAll.refusal(case));

/// One copy per pair of devices. (No kernel is launched. The table shows the one of `ring`.)
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let module = p.devices[0].context.load_module(Ptx::from_src(rung.ptx))?;
    let parts = p.parts();

    // ANCHOR: enqueue
    let enqueue = move |p: &mut Collective| {
        let devices = p.devices.len();
        let (inputs, outs) = (p.input_addresses(), p.out_addresses());
        p.devices.fork_copies()?;
        for k in 0..devices {
            for (d, (begin, end)) in parts.iter().enumerate() {
                // Each device begins with another one, so that no device is asked by all at the same time.
                let from = (d + k) % devices;
                let (elements, at) = (end - begin, 4 * *begin as u64);
                if elements > 0 {
                    let to = outs.0[d] + (4 * from * elements) as u64;
                    // SAFETY: the array has n elements, of which [begin, end) are copied, and the result has as many
                    // per device. Nothing else uses the result.
                    unsafe { p.devices.copy(from, inputs.0[from] + at, d, to, elements)? };
                }
            }
        }
        p.devices.join_copies()
    };
    // ANCHOR_END: enqueue
    Ok(Launch::new(module.load_function("sum")?, kernel::grid(1, 1), (), enqueue))
}
