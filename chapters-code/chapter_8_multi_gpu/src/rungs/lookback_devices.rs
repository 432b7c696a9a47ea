//! One pass: a block looks back over the tiles before its own, and goes on over those of the devices before.

use chapter_3_scan::problem::tile_depth;
use cudarc::driver::PushKernelArg;
use harness::{Element, Launch, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Shared, SpreadScan, Task},
};

/// The rung `lookback_devices`.
pub static RUNG: Rung = Rung::new(
    "lookback_devices",
    "one pass: a block looks back over the tiles before its own, also those of other devices",
    ptx!("kernels/lookback_devices.ptx"),
)
.refuses(|_, case| Task::Scan.refusal(case))
// A block adds the aggregates and prefixes that it finds, and these depend on the schedule.
.varies(|case| case.dtype.is_float());

/// Bytes of a tile: 8 rows of packs for each of 512 threads, as in lookback_devices.cu.
const TILE: usize = 65_536;

/// One kernel per device, with one block per tile. Before them and after them, all streams meet.
pub fn prepare<T: Element<Acc = T>>(p: &SpreadScan<T>, rung: &Rung) -> Prepared<SpreadScan<T>> {
    let s = &p.spread;
    let kernels = s.devices.kernels(rung.ptx, &s.entry())?; // such as sum_f32
    let tiles = |n: usize| (n * size_of::<T>()).div_ceil(TILE);
    let config = move |n| grid(tiles(n) as u64, 512);
    let per_device = tiles(s.part()).max(1) as u32;
    // As chapter 3's look-back, over the tiles of all devices.
    let depth = tile_depth::<T>(8) + 7 + u64::from(per_device) * s.devices.len() as u64;
    let words = per_device as usize * size_of::<T>().div_ceil(4);
    let status = Shared::words(&s.devices, words, 2 * s.devices.launches)?;
    let mut counters = s.devices.each(|_, device| buffer::scratch::<u32>(device, 1))?;
    let (kernel, first_config) = (kernels[0].clone(), config(s.part().max(1)));

    Ok(Launch::new(kernel, first_config, depth, move |p: &mut SpreadScan<T>| {
        let s = &p.spread;
        s.devices.fork()?;
        for (rank, device) in (0_i32..).zip(s.devices.iter()) {
            let d = rank as usize;
            let n = s.range(d).len();
            if n > 0 {
                device.stream.memset_zeros(&mut counters[d])?;
                let mut out = p.outs[d].view_mut();
                let mut launch = device.stream.launch_builder(&kernels[d]);
                launch.arg(&s.parts[d]).arg(&mut out).arg(&n).arg(status.addresses());
                launch.arg(&mut counters[d]).arg(&rank).arg(&per_device);
                // SAFETY: lookback_devices.cu is `(const T* in, T* out, size_t n, Words status, unsigned* counter,
                // int device, unsigned per_device)`. It reads in[0 .. n], writes out[0 .. n], and has a
                // slot for each of `per_device` tiles per device. The counter is 0. All launches of an epoch have ended
                // before the next begins.
                unsafe { launch.launch(config(n))? };
            }
        }
        s.devices.join()
    }))
}
