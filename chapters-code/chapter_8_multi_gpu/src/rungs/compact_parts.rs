//! Each device compacts its part with chapter 4's kernel, and the results stay where they are.

use chapter_4_compact::rungs::lookback::STAGED;
use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Launch, Prepared, buffer, kernel::grid};

use crate::{
    Rung,
    problem::{Layout, SpreadCompact, Task},
};

/// The rung `compact_parts`.
pub static RUNG: Rung = Rung::new(
    "compact_parts",
    "each device compacts its part with chapter 4's kernel: as many results as it happens to have",
    STAGED.ptx,
)
.refuses(|_, case| Task::Compact.refusal(case));

/// Elements per tile of chapter 4's kernel.
pub const TILE: usize = 8192;

/// The launch of chapter 4's kernel on n elements.
pub fn config(n: usize) -> LaunchConfig {
    grid(n.div_ceil(TILE) as u64, 256)
}

/// One kernel per device.
pub fn prepare(p: &SpreadCompact, rung: &Rung) -> Prepared<SpreadCompact> {
    let s = &p.spread;
    let kernels = s.devices.kernels(rung.ptx, "predicate_f32")?;
    // The counter of blocks, up to 16 bytes, then two status words per tile.
    let words = 2 + 2 * s.part().div_ceil(TILE) as u64;
    let mut states = s.devices.each(|_, device| buffer::scratch::<u64>(device, words))?;
    let (kernel, first_config) = (kernels[0].clone(), config(s.part().max(1)));

    // ANCHOR: enqueue
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
    // ANCHOR_END: enqueue
}
