//! The second half of the ring: each part travels around, one device per step.

use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, kernel};

use super::ring;
use crate::{
    Rung,
    problem::{Collective, Task},
};

/// The rung `all_gather_ring`.
pub static RUNG: Rung = Rung::new(
    "all_gather_ring",
    "the second half of the ring: each part travels around, one device per step",
    ring::RUNG.ptx,
)
.refuses(|_, case| Task::AllGather.refusal(case));

/// devices - 1 steps. In each, every device copies a part from its left neighbour. (No kernel is launched. The table shows
/// the one of `ring`.)
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let module = p.devices[0].context.load_module(Ptx::from_src(rung.ptx))?;
    let parts = p.parts();

    // ANCHOR: enqueue
    let enqueue = move |p: &mut Collective| {
        let devices = p.devices.len();
        let (inputs, outs) = (p.input_addresses(), p.out_addresses());
        p.devices.fork_copies()?;
        for step in 0..devices {
            for d in 0..devices {
                // Before the first step each device copies its own part to where the others find it.
                let from = if step == 0 { d } else { (d + devices - 1) % devices };
                let (begin, end) = parts[(d + devices - step) % devices];
                let at = 4 * begin as u64;
                let source = if step == 0 { inputs.0[d] } else { outs.0[from] + at };
                if begin < end {
                    // SAFETY: both have as many elements. All streams have met after the step before, and in this step
                    // nothing else writes these elements of the neighbour, or uses those here.
                    unsafe { p.devices.copy(from, source, d, outs.0[d] + at, end - begin)? };
                }
            }
            p.devices.meet_copies()?;
        }
        p.devices.join_copies()
    };
    // ANCHOR_END: enqueue
    Ok(Launch::new(module.load_function("sum")?, kernel::grid(1, 1), (), enqueue))
}
