//! Each device scans its part. The launches differ in how a part learns what comes before it: from the host, from sums
//! that the devices send first, or by a look-back over the tiles of all devices.

use chapter_3_scan::{problem::ADD_BLOCK_OFFSETS, problem::tile_depth, rungs::lookback::LOOKBACK};
use cudarc::driver::PushKernelArg;
use harness::{Element, Launch, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{MAX_DEVICES, Shared, SpreadScan, Task, add},
};

/// The tiles of n elements: of 8 rows of packs for each of 512 threads, as in chapter 3's look-back and in
/// lookback_devices.cu.
fn tiles<T>(n: usize) -> usize {
    (n * size_of::<T>()).div_ceil(65_536)
}

/// The rung `scan_then_carry`.
pub static SCAN_THEN_CARRY: Rung = Rung::new(
    "scan_then_carry",
    "each device scans its part; the host reads the sums, and a second kernel adds what comes before",
    LOOKBACK.ptx,
)
.refuses(|_, case| Task::Scan.refusal(case))
.varies(|case| case.dtype.is_float());

/// Chapter 3's look-back on each device, the host, and then a kernel on each device but the first.
pub fn then_carry<T: Element<Acc = T>>(p: &SpreadScan<T>, rung: &Rung) -> Prepared<SpreadScan<T>> {
    let s = &p.spread;
    let kernels = s.devices.kernels(rung.ptx, &format!("inclusive_{}", s.entry()))?;
    let adds = s.devices.kernels(ADD_BLOCK_OFFSETS, &s.entry())?; // such as sum_f32
    let words = 2 + tiles::<T>(s.part()) * size_of::<T>().div_ceil(4); // the counter of blocks, and status
    let mut states = s.devices.each(|_, device| buffer::scratch::<u64>(device, words as u64))?;
    let mut carries = s.devices.each(|_, device| buffer::scratch::<T>(device, 1))?;
    // The look-back of one part, and the carry.
    let depth = tile_depth::<T>(8) + 7 + tiles::<T>(s.part()) as u64 + 2;
    let (kernel, first_config) =
        (kernels[0].clone(), grid(tiles::<T>(s.part()).max(1) as u64, 512));

    // ANCHOR: then_carry
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
            unsafe { launch.launch(grid(tiles::<T>(n) as u64, 512))? };
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
    // ANCHOR_END: then_carry
}

/// The rung `sums_first`.
pub static SUMS_FIRST: Rung = Rung::new(
    "sums_first",
    "each device adds its part and sends the sum to the later ones, then scans from what comes before",
    ptx!("kernels/sums_first.ptx"),
)
.refuses(|_, case| Task::Scan.refusal(case));

/// Threads per block: `THREADS` of sums_first.cu.
const THREADS: u32 = 512;

/// Rows of packs per warp and tile: `ROWS` of sums_first.cu.
const ROWS: u64 = 4;

/// One kernel per device. Before them and after them, all streams meet.
pub fn sums_first<T: Element<Acc = T>>(p: &SpreadScan<T>, rung: &Rung) -> Prepared<SpreadScan<T>> {
    let s = &p.spread;
    let kernels = s.devices.kernels(rung.ptx, &s.entry())?; // such as sum_f32
    let pack = 16 / size_of::<T>() as u64;
    let tiles = (s.part() as u64).div_ceil(pack * ROWS * u64::from(THREADS));
    let resident = s.devices.resident_blocks(&kernels, THREADS)?;
    let blocks = tiles.clamp(1, resident.into());
    let config = grid(blocks, THREADS);
    let each = tiles.div_ceil(blocks);
    // The sum of a chunk: the packs of a thread, the elements of a pack, the block. Then the blocks before, by the
    // threads of a block, and the devices before. Then the tiles of the chunk, one after another.
    let of_chunk = each * ROWS + u64::from(pack.ilog2()) + 10;
    let before = blocks.div_ceil(THREADS.into()) + 10 + 1 + s.devices.len() as u64 + 1;
    let depth = of_chunk + before + each + tile_depth::<T>(ROWS);
    let words = (MAX_DEVICES + blocks as usize) * size_of::<T>().div_ceil(4);
    let words = Shared::words(&s.devices, words, s.devices.launches)?;
    let (kernel, devices) = (kernels[0].clone(), s.devices.len() as i32);

    Ok(Launch::new(kernel, config, depth, move |p: &mut SpreadScan<T>| {
        let s = &p.spread;
        s.devices.fork()?;
        for (rank, device) in (0_i32..).zip(s.devices.iter()) {
            let d = rank as usize;
            let n = s.range(d).len();
            if n > 0 {
                let mut out = p.outs[d].view_mut();
                let mut launch = device.stream.launch_builder(&kernels[d]);
                launch.arg(&s.parts[d]).arg(&mut out).arg(&n).arg(words.addresses());
                launch.arg(&rank).arg(&devices);
                // SAFETY: sums_first.cu is `(const T* in, T* out, size_t n, Words words, int device, int devices)`.
                // It reads in[0 .. n], writes out[0 .. n], and has slots for 8 devices and for all
                // blocks of the grid, which are all resident. All launches of an epoch have ended before the next begins.
                unsafe { launch.launch(config)? };
            }
        }
        s.devices.join()
    }))
}

/// The rung `lookback_devices`.
pub static LOOKBACK_DEVICES: Rung = Rung::new(
    "lookback_devices",
    "one pass: a block looks back over the tiles before its own, also those of other devices",
    ptx!("kernels/lookback_devices.ptx"),
)
.refuses(|_, case| Task::Scan.refusal(case))
// A block adds the aggregates and prefixes that it finds, and these depend on the schedule.
.varies(|case| case.dtype.is_float());

/// One kernel per device, with one block per tile. Before them and after them, all streams meet.
pub fn lookback<T: Element<Acc = T>>(p: &SpreadScan<T>, rung: &Rung) -> Prepared<SpreadScan<T>> {
    let s = &p.spread;
    let kernels = s.devices.kernels(rung.ptx, &s.entry())?; // such as sum_f32
    let config = move |n| grid(tiles::<T>(n) as u64, 512);
    let per_device = tiles::<T>(s.part()).max(1) as u32;
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
