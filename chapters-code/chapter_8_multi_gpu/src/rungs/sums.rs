//! Each device adds its part in one launch. The launches differ in who adds the sums of the devices.

use chapter_1_reduce::rungs::last_block::SINGLE_PASS_TILED;
use cudarc::driver::PushKernelArg;
use harness::{Element, Launch, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{MAX_DEVICES, Shared, SpreadSum, Task, add},
};

/// Threads per block: `THREADS` of single_pass_tiled.cu and of reduce_links.cu.
const THREADS: u32 = 512;

/// The number of blocks for n elements of a device that holds `resident` at once, and the largest number of additions
/// that an element passes through: those of chapter 1's `single_pass_tiled`.
fn blocks_and_depth<T>(n: usize, resident: u32) -> (u32, u64) {
    let pack = 16 / size_of::<T>();
    let tiles = n.div_ceil(pack).div_ceil(4 * THREADS as usize);
    let blocks = tiles.clamp(1, resident as usize);
    let packs = 4 * tiles.div_ceil(blocks) + pack.ilog2() as usize + 2;
    (blocks as u32, (packs + 10 + blocks.div_ceil(THREADS as usize) + 10) as u64)
}

/// The rung `reduce_by_host`.
pub static REDUCE_BY_HOST: Rung = Rung::new(
    "reduce_by_host",
    "each device adds its part with chapter 1's kernel; the host adds the sums of the devices",
    SINGLE_PASS_TILED.ptx,
)
.refuses(|_, case| Task::Reduce.refusal(case));

/// One kernel per device, and then the host.
pub fn by_host<T: Element<Acc = T>>(p: &SpreadSum<T>, rung: &Rung) -> Prepared<SpreadSum<T>> {
    let s = &p.spread;
    let kernels = s.devices.kernels(rung.ptx, &s.entry())?; // such as sum_f32
    let resident = s.devices[0].resident_blocks(THREADS);
    let (blocks, depth) = blocks_and_depth::<T>(s.part(), resident);
    let config = grid(blocks.into(), THREADS);
    let mut sums = s.devices.each(|_, device| buffer::scratch::<T>(device, 1))?;
    let mut partials = s.devices.each(|_, device| buffer::scratch::<T>(device, blocks.into()))?;
    let mut counters = s.devices.each(|_, device| buffer::to_device(device, &[0_u32]))?;

    // ANCHOR: by_host
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
    // ANCHOR_END: by_host
}

/// The rung `reduce_links`.
pub static REDUCE_LINKS: Rung = Rung::new(
    "reduce_links",
    "the last block of each device sends its sum to the first device, in a word with a tag",
    ptx!("kernels/reduce_links.ptx"),
)
.refuses(|_, case| Task::Reduce.refusal(case));

/// One kernel per device.
pub fn by_links<T: Element<Acc = T>>(p: &SpreadSum<T>, rung: &Rung) -> Prepared<SpreadSum<T>> {
    let s = &p.spread;
    let kernels = s.devices.kernels(rung.ptx, &s.entry())?; // such as sum_f32
    let resident = s.devices.resident_blocks(&kernels, THREADS)?;
    let (blocks, depth) = blocks_and_depth::<T>(s.part(), resident);
    let config = grid(blocks.into(), THREADS);
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
            // The counter is 0 before and after every launch.
            unsafe { launch.launch(config)? };
        }
        Ok(())
    }))
}
