//! Each device sends to its right neighbor only, one chunk per step, so that all links work at the same time.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Launch, Prepared, ptx};

use crate::{
    Rung,
    problem::{Collective, Task},
};

/// The rung `ring`.
pub static RUNG: Rung = Rung::new(
    "ring",
    "each device sends one chunk per step to its right neighbour: all links work at once",
    ptx!("kernels/ring.ptx"),
)
.refuses(|_, case| Task::AllReduce.refusal(case));

/// 2 (devices - 1) steps. In each, every device copies a chunk from its left neighbour. In the first half it adds its
/// own.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let kernels = p.devices.kernels(rung.ptx, "sum")?;
    let chunks = p.parts();
    let most = p.devices[0].resident_blocks(1024) as usize;
    let blocks = chunks[0].1.div_ceil(1024).clamp(1, most) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (1024, 1, 1), shared_mem_bytes: 0 };

    // ANCHOR: enqueue
    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let devices = p.devices.len();
        let (inputs, outs) = (p.input_addresses(), p.out_addresses());
        p.devices.fork_copies()?;
        for step in 0..2 * (devices - 1) {
            let adds = step < devices - 1;
            for (d, kernel) in kernels.iter().enumerate() {
                let left = (d + devices - 1) % devices;
                // The chunk that the left neighbour has finished in the step before.
                let (begin, end) = chunks[(left + 2 * devices - step) % devices];
                if begin == end {
                    continue;
                }
                let stream = &p.devices.streams[d];
                let (from, to) = match step {
                    // In the first step the neighbour's own elements are its partial sum.
                    0 => (inputs.0[left], outs.0[d]),
                    _ => (outs.0[left], outs.0[d]),
                };
                let at = 4 * begin as u64;
                // SAFETY: both arrays have n elements, of which [begin, end) are copied. All streams have met after the
                // step before, and in this step nothing else writes these elements of the neighbour, or uses those here.
                unsafe { p.devices.copy(left, from + at, d, to + at, end - begin)? };
                if adds {
                    let (own, n) = (p.inputs[d].slice(begin..end), end - begin);
                    let mut out = p.outs[d].view_mut();
                    let mut to = out.slice_mut(begin..end);
                    let mut launch = stream.launch_builder(kernel);
                    launch.arg(&own).arg(&mut to).arg(&n);
                    // SAFETY: ring.cu is `(const float* own, float* received, size_t n)`. Both slices have n elements.
                    unsafe { launch.launch(config)? };
                }
            }
            p.devices.meet_copies()?;
        }
        p.devices.join_copies()
    }))
    // ANCHOR_END: enqueue
}
