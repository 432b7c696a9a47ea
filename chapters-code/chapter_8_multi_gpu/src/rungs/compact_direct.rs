//! The devices tell each other how many elements they select, and store each one to the device that holds its part of
//! the result.

use cudarc::driver::PushKernelArg;
use harness::{Launch, Prepared, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Addresses, Layout, MAX_DEVICES, Shared, SpreadCompact, Task},
};

/// The rung `compact_direct`.
pub static RUNG: Rung = Rung::new(
    "compact_direct",
    "the devices tell each other their counts, and store to the device that holds the result",
    ptx!("kernels/compact_direct.ptx"),
)
.refuses(|_, case| Task::Compact.refusal(case));

/// Threads per block: `THREADS` of compact_direct.cu.
const THREADS: u32 = 256;

/// Elements per tile: `TILE` of compact_direct.cu.
const TILE: usize = 8192;

/// One kernel per device. Before them and after them, all streams meet.
pub fn prepare(p: &SpreadCompact, rung: &Rung) -> Prepared<SpreadCompact> {
    let s = &p.spread;
    let kernels = s.devices.kernels(rung.ptx, "predicate_f32")?;
    let resident = s.devices.resident_blocks(&kernels, THREADS)?;
    let blocks = s.part().div_ceil(TILE).clamp(1, resident as usize);
    let config = grid(blocks as u64, THREADS);
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
