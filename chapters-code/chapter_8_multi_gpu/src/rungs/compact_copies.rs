//! As `compact_parts`, into scratch memory. The host reads the counts, and copies bring the results to where they belong.

use cudarc::driver::PushKernelArg;
use harness::{Launch, Prepared, buffer};

use super::compact_parts::{self, TILE, config};
use crate::{
    Rung,
    problem::{Addresses, Layout, SpreadCompact, Task},
};

/// The rung `compact_copies`.
pub static RUNG: Rung = Rung::new(
    "compact_copies",
    "compact_parts into scratch memory; the host reads the counts, and copies make equal parts",
    compact_parts::RUNG.ptx,
)
.refuses(|_, case| Task::Compact.refusal(case));

/// One kernel per device, the host, and then copies between the devices.
pub fn prepare(p: &SpreadCompact, rung: &Rung) -> Prepared<SpreadCompact> {
    let s = &p.spread;
    let kernels = s.devices.kernels(rung.ptx, "predicate_f32")?;
    let words = 2 + 2 * s.part().div_ceil(TILE) as u64; // the counter of blocks, and the status of every tile
    let mut states = s.devices.each(|_, device| buffer::scratch::<u64>(device, words))?;
    let mut own = s.devices.each(|_, device| buffer::scratch::<f32>(device, s.part() as u64))?;
    let mut counts = s.devices.each(|_, device| buffer::to_device(device, &[0_u64]))?;
    let from = Addresses::of(&s.devices, &own);
    let (kernel, first_config) = (kernels[0].clone(), config(s.part().max(1)));

    Ok(Launch::new(kernel, first_config, Layout::EqualParts, move |p: &mut SpreadCompact| {
        let s = &p.spread;
        let filled = (0..s.devices.len()).take_while(|&d| !s.range(d).is_empty()).count();
        let mut on_host = vec![0_u64; s.devices.len()];
        s.devices.fork()?;
        for d in 0..filled {
            let (stream, n) = (&s.devices[d].stream, s.range(d).len());
            stream.memset_zeros(&mut states[d])?;
            let (mut counter, mut status) = states[d].split_at_mut(2);
            let (no_mask, pivot) = (0_u64, 0_u64); // the bits of 0.0
            let mut launch = stream.launch_builder(&kernels[d]);
            launch.arg(&s.parts[d]).arg(&mut own[d]).arg(&n).arg(&n).arg(&mut counts[d]);
            launch.arg(&no_mask).arg(&pivot).arg(&mut status).arg(&mut counter);
            // SAFETY: as in compact_parts.
            unsafe { launch.launch(config(n))? };
        }
        // Each copy waits for its device, so all kernels come first.
        for ((device, count), on_host) in s.devices.iter().zip(&counts).zip(&mut on_host) {
            device.stream.memcpy_dtoh(count, std::slice::from_mut(on_host))?;
        }
        s.devices.iter().try_for_each(|device| device.stream.synchronize())?;

        // ANCHOR: copies
        let to = Addresses::of_outputs(&s.devices, &mut p.outs);
        let all = on_host.iter().sum::<u64>();
        let each = all.div_ceil(s.devices.len() as u64);
        let mut begin = 0; // where the results of device d begin, among all
        for (d, count) in on_host.iter().enumerate() {
            let end = begin + count;
            for e in 0..s.devices.len() {
                let (first, last) = (begin.max(e as u64 * each), end.min((e as u64 + 1) * each));
                if first < last {
                    let from = from.0[d] + 4 * (first - begin);
                    let to = to.0[e] + 4 * (first % each);
                    // SAFETY: device d has these results, device e has room for `each`, and no two copies overlap.
                    unsafe { s.devices.copy(d, from, e, to, (last - first) as usize)? };
                }
            }
            begin = end;
        }
        // ANCHOR_END: copies
        for (device, count) in s.devices.iter().zip(&mut p.counts) {
            device.stream.memcpy_htod(&[all], &mut count.view_mut())?;
        }
        s.devices.join_copies()?;
        s.devices.join()
    }))
}
