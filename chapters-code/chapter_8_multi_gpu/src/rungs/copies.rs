//! Copies between devices that all work at the same time, in steps around a ring or all at once. Where elements are
//! added, they are by one kernel.

use cudarc::driver::{CudaFunction, DriverError, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Error, Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Collective, Shared, Task},
};

/// The kernel of each device that adds a chunk, and its launch.
fn adding(p: &Collective, rung: &Rung) -> Result<(Vec<CudaFunction>, LaunchConfig), Error> {
    let kernels = p.devices.kernels(rung.ptx, "sum")?;
    let most = p.devices[0].resident_blocks(1024) as usize;
    let blocks = p.part().div_ceil(1024).clamp(1, most);
    Ok((kernels, grid(blocks as u64, 1024)))
}

/// A launch of no kernel. The table shows the one of `ring`.
fn copies_alone(
    p: &Collective,
    rung: &Rung,
    enqueue: impl FnMut(&mut Collective) -> Result<(), DriverError> + 'static,
) -> Prepared<Collective> {
    let module = p.devices[0].context.load_module(Ptx::from_src(rung.ptx))?;
    Ok(Launch::new(module.load_function("sum")?, grid(1, 1), (), enqueue))
}

/// The rung `ring`.
pub static RING: Rung = Rung::new(
    "ring",
    "each device sends one chunk per step to the next device: all links work at once",
    ptx!("kernels/ring.ptx"),
)
.refuses(|_, case| Task::AllReduce.refusal(case));

/// 2 (devices - 1) steps. In each step, every device copies a chunk from the previous device of the ring. In the first
/// half of the steps it adds its own elements to the chunk.
pub fn ring(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let (kernels, config) = adding(p, rung)?;
    let chunks = p.parts();

    // ANCHOR: ring
    Ok(Launch::new(kernels[0].clone(), config, (), move |p: &mut Collective| {
        let devices = p.devices.len();
        let (inputs, outs) = (p.input_addresses(), p.out_addresses());
        p.devices.fork_copies()?;
        for step in 0..2 * (devices - 1) {
            let adds = step < devices - 1;
            for (d, kernel) in kernels.iter().enumerate() {
                let left = (d + devices - 1) % devices;
                // The previous device finished this chunk in the previous step.
                let (begin, end) = chunks[(left + 2 * devices - step) % devices];
                if begin == end {
                    continue;
                }
                let stream = &p.devices.streams[d];
                let (from, to) = match step {
                    // In the first step, the partial sum is the input of the previous device.
                    0 => (inputs.0[left], outs.0[d]),
                    _ => (outs.0[left], outs.0[d]),
                };
                let at = 4 * begin as u64;
                // SAFETY: both arrays have n elements, and [begin, end) is copied. All streams met after the previous
                // step. In this step, no other copy or kernel writes the source or uses the destination.
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
    // ANCHOR_END: ring
}

/// The rung `reduce_scatter_ring`.
pub static REDUCE_SCATTER_RING: Rung = Rung::new(
    "reduce_scatter_ring",
    "the first half of the ring: after it, each device has the whole sum of one chunk",
    RING.ptx,
)
.refuses(|_, case| Task::ReduceScatter.refusal(case));

/// devices - 1 steps. In each step, every device copies a partial sum from the previous device and adds its own elements.
pub fn reduce_scatter(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let (kernels, config) = adding(p, rung)?;
    let chunks = p.parts();
    let sums = Shared::<f32>::scratch(&p.devices, p.n)?;

    // ANCHOR: reduce_scatter
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
                // SAFETY: both have n elements. All streams met after the previous step. In this step, no other copy or
                // kernel writes the source or uses the destination.
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
    // ANCHOR_END: reduce_scatter
}

/// The rung `all_gather_ring`.
pub static ALL_GATHER_RING: Rung = Rung::new(
    "all_gather_ring",
    "the second half of the ring: each part travels around, one device per step",
    RING.ptx,
)
.refuses(|_, case| Task::AllGather.refusal(case));

/// devices - 1 steps. In each step, every device copies a part from the previous device. No kernel is launched.
pub fn all_gather(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let parts = p.parts();

    // ANCHOR: all_gather
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
                    // SAFETY: both have room for these elements. All streams met after the previous step. In this step, no
                    // other copy or kernel writes the source or uses the destination.
                    unsafe { p.devices.copy(from, source, d, outs.0[d] + at, end - begin)? };
                }
            }
            p.devices.meet_copies()?;
        }
        p.devices.join_copies()
    };
    // ANCHOR_END: all_gather
    copies_alone(p, rung, enqueue)
}

/// The rung `all_to_all_copies`.
pub static ALL_TO_ALL_COPIES: Rung = Rung::new(
    "all_to_all_copies",
    "each device copies its part of the array of each device: no copy waits for another",
    RING.ptx,
)
.refuses(|_, case| Task::AllToAll.refusal(case));

/// One copy per pair of devices. No kernel is launched.
pub fn all_to_all(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    let parts = p.parts();

    // ANCHOR: all_to_all
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
    // ANCHOR_END: all_to_all
    copies_alone(p, rung, enqueue)
}
