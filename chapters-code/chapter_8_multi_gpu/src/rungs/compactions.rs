//! The launches differ in where the selected elements go: they stay on their device, the host has them copied, or each
//! kernel stores them where they belong.

use chapter_4_compact::rungs::lookback::STAGED;
use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig, PushKernelArg};
use harness::{Error, Launch, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Addresses, Layout, MAX_DEVICES, Shared, Spread, SpreadCompact, Task},
};

/// Elements per tile of chapter 4's kernel and of compact_direct.cu. Both have blocks of 256 threads.
const TILE: usize = 8192;

/// The launch of chapter 4's kernel on n elements.
fn config(n: usize) -> LaunchConfig {
    grid(n.div_ceil(TILE) as u64, 256)
}

/// Chapter 4's kernel on each device, and its memory: the counter of blocks, up to 16 bytes, then two status words per
/// tile.
fn staged(s: &Spread<f32>) -> Result<(Vec<CudaFunction>, Vec<CudaSlice<u64>>), Error> {
    let kernels = s.devices.kernels(STAGED.ptx, "predicate_f32")?;
    let words = 2 + 2 * s.part().div_ceil(TILE) as u64;
    Ok((kernels, s.devices.each(|_, device| buffer::scratch(device, words))?))
}

/// The rung `compact_parts`.
pub static COMPACT_PARTS: Rung = Rung::new(
    "compact_parts",
    "each device compacts its part with chapter 4's kernel: as many results as it happens to have",
    STAGED.ptx,
)
.refuses(|_, case| Task::Compact.refusal(case));

/// One kernel per device.
pub fn own_parts(p: &SpreadCompact, _rung: &Rung) -> Prepared<SpreadCompact> {
    let s = &p.spread;
    let (kernels, mut states) = staged(s)?;
    let (kernel, first_config) = (kernels[0].clone(), config(s.part().max(1)));

    // ANCHOR: own_parts
    Ok(Launch::new(kernel, first_config, Layout::OwnParts, move |p: &mut SpreadCompact| {
        let s = &p.spread;
        s.devices.fork()?;
        for (d, device) in s.devices.iter().enumerate() {
            let (stream, n) = (&device.stream, s.range(d).len());
            let (mut out, mut count) = (p.outs[d].view_mut(), p.counts[d].view_mut());
            if n == 0 {
                stream.memset_zeros(&mut count)?;
                continue;
            }
            stream.memset_zeros(&mut states[d])?;
            let (mut counter, mut status) = states[d].split_at_mut(2);
            let (no_mask, pivot) = (0_u64, 0_u64); // the bits of 0.0
            let mut launch = stream.launch_builder(&kernels[d]);
            launch.arg(&s.parts[d]).arg(&mut out).arg(&n).arg(&n).arg(&mut count);
            launch.arg(&no_mask).arg(&pivot).arg(&mut status).arg(&mut counter);
            // SAFETY: staged.cu is `(const f32* in, f32* out, size_t n, size_t capacity, u64* selected, const void* mask,
            // u64 pivot, u64* status, unsigned* counter)`. It reads in[0 .. n], writes *selected and at most
            // out[0 .. capacity]. Status and counter are 0, and there is one block per tile.
            unsafe { launch.launch(config(n))? };
        }
        s.devices.join()
    }))
    // ANCHOR_END: own_parts
}

/// The rung `compact_copies`.
pub static COMPACT_COPIES: Rung = Rung::new(
    "compact_copies",
    "compact_parts into scratch memory; the host reads the counts, and copies make equal parts",
    STAGED.ptx,
)
.refuses(|_, case| Task::Compact.refusal(case));

/// One kernel per device, the host, and then copies between the devices.
pub fn copies(p: &SpreadCompact, _rung: &Rung) -> Prepared<SpreadCompact> {
    let s = &p.spread;
    let (kernels, mut states) = staged(s)?;
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
            // SAFETY: as in `own_parts`.
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

/// The rung `compact_direct`.
pub static COMPACT_DIRECT: Rung = Rung::new(
    "compact_direct",
    "the devices tell each other their counts, and store to the device that holds the result",
    ptx!("kernels/compact_direct.ptx"),
)
.refuses(|_, case| Task::Compact.refusal(case));

/// One kernel per device. Before them and after them, all streams meet.
pub fn direct(p: &SpreadCompact, rung: &Rung) -> Prepared<SpreadCompact> {
    let s = &p.spread;
    let kernels = s.devices.kernels(rung.ptx, "predicate_f32")?;
    let resident = s.devices.resident_blocks(&kernels, 256)?;
    let blocks = s.part().div_ceil(TILE).clamp(1, resident as usize);
    let config = grid(blocks as u64, 256);
    let words = 2 * (MAX_DEVICES + blocks);
    let words = Shared::words(&s.devices, words, s.devices.launches)?;
    let (kernel, devices) = (kernels[0].clone(), s.devices.len() as i32);

    Ok(Launch::new(kernel, config, Layout::EqualParts, move |p: &mut SpreadCompact| {
        let s = &p.spread;
        let outs = Addresses::of_outputs(&s.devices, &mut p.outs);
        s.devices.fork()?;
        for (rank, device) in (0_i32..).zip(s.devices.iter()) {
            let d = rank as usize;
            let (n, mut count) = (s.range(d).len(), p.counts[d].view_mut());
            let mut launch = device.stream.launch_builder(&kernels[d]);
            launch.arg(&s.parts[d]).arg(&outs).arg(&mut count).arg(&n);
            launch.arg(words.addresses()).arg(&rank).arg(&devices);
            // SAFETY: compact_direct.cu is `(const f32* in, Pointers out, u64* selected, size_t n, Words words, int device,
            // int devices)`. It reads in[0 .. n], writes *selected, and to every device at most as many
            // elements as a part has. It has slots for 8 devices and for all blocks of the grid, which are all resident.
            // All launches of an epoch have ended before the next begins.
            unsafe { launch.launch(config)? };
        }
        s.devices.join()
    }))
}
