//! Flags of 0 and 1, their scan by chapter 3, and a scatter to the indices that the scan gives.

use chapter_3_scan::rungs::lookback::LOOKBACK;
use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Element, Kind, Launch, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Compaction, Order, small_indices},
};

/// The rung `scan_then_scatter`.
pub static RUNG: Rung = Rung::new(
    "scan_then_scatter",
    "flags, their scan by chapter 3, and a scatter",
    ptx!("kernels/scan_then_scatter.ptx"),
)
.refuses(small_indices);

/// Flags, their exclusive scan, and a scatter.
pub fn prepare<T: Element>(p: &Compaction<T>, rung: &Rung) -> Prepared<Compaction<T>> {
    with_scan(Kind::Exclusive, p, rung)
}

/// Flags of 0 and 1, their scan by chapter 3's `lookback`, and a scatter that reads the scan.
pub fn with_scan<T: Element>(
    kind: Kind,
    p: &Compaction<T>,
    rung: &Rung,
) -> Prepared<Compaction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let flag = module.load_function(&format!("flags_{}", p.entry()))?;
    let scatter = module.load_function(&p.entry())?; // such as mask_b32
    let module = p.device.context.load_module(Ptx::from_src(LOOKBACK.ptx))?;
    let scan = module.load_function(&format!("{kind}_sum_u32"))?;
    let tiles = p.n.div_ceil(16_384); // of 64 KiB of flags
    let (config, scan_config) = (grid(p.n.div_ceil(256), 256), grid(tiles, 512));
    let mut flags = buffer::scratch::<u32>(&p.device, p.n)?;
    let mut before = buffer::scratch::<u32>(&p.device, p.n)?;
    // The counter of blocks, up to 16 bytes, then one status word per tile. One memset zeroes both.
    let mut state = buffer::scratch::<u64>(&p.device, 2 + tiles)?;

    // ANCHOR: launch
    Ok(Launch::new(scatter.clone(), config, Order::Selected, move |p: &mut Compaction<T>| {
        if p.n == 0 {
            return p.device.stream.memset_zeros(&mut p.count.view_mut());
        }
        let mut launch = p.device.stream.launch_builder(&flag);
        launch.arg(&p.values).arg(&mut flags).arg(&p.n).arg(&p.mask).arg(&p.pivot);
        // SAFETY: the kernel is `(const T* in, u32* flags, size_t n, const void* mask, u64 pivot)`. It reads
        // in[0 .. n] and the mask, and writes flags[0 .. n].
        unsafe { launch.launch(config)? };

        p.device.stream.memset_zeros(&mut state)?;
        let (mut counter, mut status) = state.split_at_mut(2);
        let mut launch = p.device.stream.launch_builder(&scan);
        launch.arg(&flags).arg(&mut before).arg(&p.n);
        launch.arg(&mut status).arg(&mut counter);
        // SAFETY: lookback.cu is `(const u32* in, u32* out, size_t n, u64* status, unsigned* counter)`. It reads
        // in[0 .. n] and writes out[0 .. n]. Status and counter are 0, and there is one block per tile.
        unsafe { launch.launch(scan_config)? };

        let (mut out, mut count) = (p.out.view_mut(), p.count.view_mut());
        let mut launch = p.device.stream.launch_builder(&scatter);
        launch.arg(&p.values).arg(&mut out).arg(&p.n).arg(&p.capacity);
        launch.arg(&mut count).arg(&p.mask).arg(&p.pivot).arg(&before);
        // SAFETY: the kernel is `(const T* in, T* out, size_t n, size_t capacity, u64* selected, const void* mask,
        // u64 pivot, const u32* before)`. It reads in[0 .. n], the mask and before[0 .. n], and writes *selected
        // and at most out[0 .. capacity].
        unsafe { launch.launch(config) }.map(drop)
    }))
    // ANCHOR_END: launch
}
