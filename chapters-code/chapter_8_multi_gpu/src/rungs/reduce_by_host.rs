//! Each device adds its part with chapter 1's kernel. The host reads the sums of the devices and adds them.

use chapter_1_reduce::rungs::last_block::SINGLE_PASS_TILED;
use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Element, Launch, Prepared, buffer};

use crate::{
    Rung,
    problem::{SpreadSum, Task, add},
};

/// The rung `reduce_by_host`.
pub static RUNG: Rung = Rung::new(
    "reduce_by_host",
    "each device adds its part with chapter 1's kernel; the host adds the sums of the devices",
    SINGLE_PASS_TILED.ptx,
)
.refuses(|_, case| Task::Reduce.refusal(case));

/// Threads per block: `THREADS` of single_pass_tiled.cu.
const THREADS: u32 = 512;

/// The number of blocks for n elements of a device that holds `resident` at once, and the largest number of additions
/// that an element passes through: those of chapter 1's `single_pass_tiled`.
pub fn blocks_and_depth<T>(n: usize, resident: u32) -> (u32, u64) {
    let pack = 16 / size_of::<T>();
    let tiles = n.div_ceil(pack).div_ceil(4 * THREADS as usize);
    let blocks = tiles.clamp(1, resident as usize);
    let packs = 4 * tiles.div_ceil(blocks) + pack.ilog2() as usize + 2;
    (blocks as u32, (packs + 10 + blocks.div_ceil(THREADS as usize) + 10) as u64)
}

/// One kernel per device, and then the host.
pub fn prepare<T: Element<Acc = T>>(p: &SpreadSum<T>, rung: &Rung) -> Prepared<SpreadSum<T>> {
    let s = &p.spread;
    let kernels = s.devices.kernels(rung.ptx, &s.entry())?; // such as sum_f32
    let resident = s.devices[0].resident_blocks(THREADS);
    let (blocks, depth) = blocks_and_depth::<T>(s.part(), resident);
    let config =
        LaunchConfig { grid_dim: (blocks, 1, 1), block_dim: (THREADS, 1, 1), shared_mem_bytes: 0 };
    let mut sums = s.devices.each(|_, device| buffer::scratch::<T>(device, 1))?;
    let mut partials = s.devices.each(|_, device| buffer::scratch::<T>(device, blocks.into()))?;
    let mut counters = s.devices.each(|_, device| buffer::to_device(device, &[0_u32]))?;

    // ANCHOR: enqueue
    Ok(Launch::new(kernels[0].clone(), config, depth + 1, move |p: &mut SpreadSum<T>| {
        let s = &p.spread;
        s.devices.fork()?;
        for (d, device) in s.devices.iter().enumerate() {
            let n = s.range(d).len();
            let mut launch = device.stream.launch_builder(&kernels[d]);
            launch.arg(&s.parts[d]).arg(&mut sums[d]).arg(&n);
            launch.arg(&mut partials[d]).arg(&mut counters[d]);
            // SAFETY: single_pass_tiled.cu is `(const T* in, T* out, size_t n, T* partials, unsigned* counter)`. It reads
            // in[0 .. n], writes one partial per block, and out[0]. The counter is 0 before and after every launch.
            unsafe { launch.launch(config)? };
        }
        let mut on_host = vec![T::zeroed(); s.devices.len()];
        for ((device, sum), on_host) in s.devices.iter().zip(&sums).zip(&mut on_host) {
            device.stream.memcpy_dtoh(sum, std::slice::from_mut(on_host))?;
        }
        s.devices.iter().try_for_each(|device| device.stream.synchronize())?;
        s.devices[0].stream.memcpy_htod(&[add(&on_host)], &mut p.out.view_mut())
    }))
    // ANCHOR_END: enqueue
}
