//! Each device adds its part, sends the sum to the later devices, and then scans its part from what comes before.

use chapter_3_scan::problem::tile_depth;
use cudarc::driver::PushKernelArg;
use harness::{Element, Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{MAX_DEVICES, Shared, SpreadScan, Task},
};

/// The rung `sums_first`.
pub static RUNG: Rung = Rung::new("sums_first", "each device adds its part and sends the sum to the later ones, then scans from what comes before", ptx!("kernels/sums_first.ptx"))
.refuses(|_, case| Task::Scan.refusal(case));

/// Threads per block: `THREADS` of sums_first.cu.
const THREADS: u32 = 512;

/// Rows of packs per warp and tile: `ROWS` of sums_first.cu.
const ROWS: u64 = 4;

/// One kernel per device. Before them and after them, all streams meet.
pub fn prepare<T: Element<Acc = T>>(p: &SpreadScan<T>, rung: &Rung) -> Prepared<SpreadScan<T>> {
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
