//! The last block of each device sends the sum of its part to the first device, which adds the sums.

use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Element, Launch, Prepared, buffer, ptx};

use super::reduce_by_host::blocks_and_depth;
use crate::{
    Rung,
    problem::{MAX_DEVICES, Shared, SpreadSum, Task},
};

/// The rung `reduce_links`.
pub static RUNG: Rung = Rung::new(
    "reduce_links",
    "the last block of each device sends its sum to the first device, in a word with a tag",
    ptx!("kernels/reduce_links.ptx"),
)
.refuses(|_, case| Task::Reduce.refusal(case));

/// Threads per block: `THREADS` of reduce_links.cu.
const THREADS: u32 = 512;

/// One kernel per device.
pub fn prepare<T: Element<Acc = T>>(p: &SpreadSum<T>, rung: &Rung) -> Prepared<SpreadSum<T>> {
    let s = &p.spread;
    let kernels = s.devices.kernels(rung.ptx, &s.entry())?; // such as sum_f32
    let resident = s.devices.resident_blocks(&kernels, THREADS)?;
    let (blocks, depth) = blocks_and_depth::<T>(s.part(), resident);
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
    let mut partials = s.devices.each(|_, device| buffer::scratch::<T>(device, blocks.into()))?;
    let mut counters = s.devices.each(|_, device| buffer::to_device(device, &[0_u32]))?;
    let words = (MAX_DEVICES + 1) * size_of::<T>().div_ceil(4);
    let words = Shared::words(&s.devices, words, s.devices.launches)?;
    let launches = Shared::filled(&s.devices, blocks as usize, s.devices.launches)?;
    let count = s.devices.len() as i32;

    let (kernel, depth) = (kernels[0].clone(), depth + count as u64);
    Ok(Launch::new(kernel, config, depth, move |p: &mut SpreadSum<T>| {
        let (s, mut out) = (&p.spread, p.out.view_mut());
        for (rank, device) in (0_i32..).zip(s.devices.iter()) {
            let d = rank as usize;
            let n = s.range(d).len();
            let mut launch = device.stream.launch_builder(&kernels[d]);
            launch.arg(&s.parts[d]).arg(&n).arg(&mut out);
            launch.arg(&mut partials[d]).arg(&mut counters[d]).arg(words.addresses());
            launch.arg(&launches.addresses().0[d]).arg(&rank).arg(&count);
            // SAFETY: reduce_links.cu is `(const T* in, size_t n, T* out, T* partials, unsigned* counter, Words words,
            // Launches launches, int device, int devices)`. It reads in[0 .. n], writes one partial per block, uses a
            // slot for each of 9 words or pairs, counts in one word per block, and writes out[0] on the first device.
            // The counter is 0 before and after
            // every launch.
            unsafe { launch.launch(config)? };
        }
        Ok(())
    }))
}
