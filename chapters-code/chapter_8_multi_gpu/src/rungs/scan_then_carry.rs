//! Each device scans its part. The host reads the sums of the parts, and a second kernel adds what comes before.

use chapter_3_scan::{problem::ADD_BLOCK_OFFSETS, problem::tile_depth, rungs::lookback::LOOKBACK};
use cudarc::driver::PushKernelArg;
use harness::{Element, Launch, Prepared, buffer, kernel::grid};

use crate::{
    Rung,
    problem::{SpreadScan, Task, add},
};

/// The rung `scan_then_carry`.
pub static RUNG: Rung = Rung::new("scan_then_carry", "each device scans its part; the host reads the sums, and a second kernel adds what comes before", LOOKBACK.ptx)
.refuses(|_, case| Task::Scan.refusal(case))
.varies(|case| case.dtype.is_float());

/// Bytes of a tile of chapter 3's look-back.
const TILE: usize = 65_536;

/// Chapter 3's look-back on each device, the host, and then a kernel on each device but the first.
pub fn prepare<T: Element<Acc = T>>(p: &SpreadScan<T>, rung: &Rung) -> Prepared<SpreadScan<T>> {
    let s = &p.spread;
    let kernels = s.devices.kernels(rung.ptx, &format!("inclusive_{}", s.entry()))?;
    let adds = s.devices.kernels(ADD_BLOCK_OFFSETS, &s.entry())?; // such as sum_f32
    let tiles = |n: usize| (n * size_of::<T>()).div_ceil(TILE);
    let words = 2 + tiles(s.part()) * size_of::<T>().div_ceil(4); // the counter of blocks, and status
    let mut states = s.devices.each(|_, device| buffer::scratch::<u64>(device, words as u64))?;
    let mut carries = s.devices.each(|_, device| buffer::scratch::<T>(device, 1))?;
    // The look-back of one part, and the carry.
    let depth = tile_depth::<T>(8) + 7 + tiles(s.part()) as u64 + 2;
    let (kernel, first_config) = (kernels[0].clone(), grid(tiles(s.part()).max(1) as u64, 512));

    // ANCHOR: enqueue
    Ok(Launch::new(kernel, first_config, depth, move |p: &mut SpreadScan<T>| {
        let s = &p.spread;
        let filled = (0..s.devices.len()).take_while(|&d| !s.range(d).is_empty()).count();
        s.devices.fork()?;
        for d in 0..filled {
            let (stream, n) = (&s.devices[d].stream, s.range(d).len());
            stream.memset_zeros(&mut states[d])?;
            let (mut counter, mut status) = states[d].split_at_mut(2);
            let mut out = p.outs[d].view_mut();
            let mut launch = stream.launch_builder(&kernels[d]);
            launch.arg(&s.parts[d]).arg(&mut out).arg(&n).arg(&mut status).arg(&mut counter);
            // SAFETY: lookback.cu is `(const T* in, T* out, size_t n, u64* status, unsigned* counter)`. It reads
            // in[0 .. n], writes out[0 .. n], and has a block per tile. Status and counter are 0.
            unsafe { launch.launch(grid(tiles(n) as u64, 512))? };
        }
        let mut sums = vec![T::zeroed(); filled];
        for (d, sum) in sums.iter_mut().enumerate() {
            let (out, n) = (p.outs[d].view(), s.range(d).len());
            s.devices[d].stream.memcpy_dtoh(&out.slice(n - 1..), std::slice::from_mut(sum))?;
        }
        s.devices.iter().try_for_each(|device| device.stream.synchronize())?;
        for d in 1..filled {
            let (stream, n) = (&s.devices[d].stream, s.range(d).len());
            stream.memcpy_htod(&[add(&sums[..d])], &mut carries[d])?;
            let mut out = p.outs[d].view_mut();
            let mut launch = stream.launch_builder(&adds[d]);
            launch.arg(&mut out).arg(&n).arg(&carries[d]).arg(&n);
            // SAFETY: it is `(T* out, size_t n, const T* before, size_t items_per_block)`, updates out and reads before[0].
            unsafe { launch.launch(grid(n.div_ceil(256) as u64, 256))? };
        }
        s.devices.join()
    }))
    // ANCHOR_END: enqueue
}
