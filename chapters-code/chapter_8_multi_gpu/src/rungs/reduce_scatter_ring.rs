//! The first half of the ring: after it, each device has the whole sum of one chunk.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Launch, Prepared};

use super::ring;
use crate::{
    Rung,
    problem::{Collective, Shared, Task},
};

/// The rung `reduce_scatter_ring`.
pub static RUNG: Rung = Rung::new(
    "reduce_scatter_ring",
    "the first half of the ring: after it, each device has the whole sum of one chunk",
    ring::RUNG.ptx,
)
.refuses(|_, case| Task::ReduceScatter.refusal(case));

/// devices - 1 steps. In each, every device copies a partial sum from its left neighbour and adds its own elements.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let kernels = p.devices.kernels(rung.ptx, "sum")?;
    let chunks = p.parts();
    let most = p.devices[0].resident_blocks(1024) as usize;
    let blocks = chunks[0].1.div_ceil(1024).clamp(1, most) as u32;
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (1024, 1, 1), shared_mem_bytes: 0 };
    let sums = Shared::<f32>::scratch(&p.devices, p.n)?;

    // ANCHOR: enqueue
    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let devices = p.devices.len();
        let (inputs, outs) = (p.input_addresses(), p.out_addresses());
        p.devices.fork_copies()?;
        for step in 0..devices - 1 {
            for (d, kernel) in kernels.iter().enumerate() {
                let left = (d + devices - 1) % devices;
                // In the last step, this is chunk d.
                let (begin, end) = chunks[(left + devices - 1 - step) % devices];
                if begin == end {
                    continue;
                }
                let (at, n) = (4 * begin as u64, end - begin);
                let from = if step == 0 { inputs.0[left] } else { sums.addresses().0[left] } + at;
                let is_last = step == devices - 2;
                let to = if is_last { outs.0[d] } else { sums.addresses().0[d] + at };
                // SAFETY: both have n elements. All streams have met after the step before, and in this step nothing
                // else writes these elements of the neighbour, or uses those here.
                unsafe { p.devices.copy(left, from, d, to, n)? };
                let own = p.inputs[d].slice(begin..end);
                let mut launch = p.devices.streams[d].launch_builder(kernel);
                launch.arg(&own).arg(&to).arg(&n);
                // SAFETY: ring.cu is `(const float* own, float* received, size_t n)`. Both have n elements.
                unsafe { launch.launch(config)? };
            }
            p.devices.meet_copies()?;
        }
        p.devices.join_copies()
    }))
    // ANCHOR_END: enqueue
}
