//! Warps vote: flags are bits in a register, and only the counts of blocks are scanned.

use chapter_3_scan::rungs::lookback::LOOKBACK;
use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    problem::{Compaction, Order, vectors_only},
};

/// The rung `ballot`.
pub static RUNG: Rung = Rung::new(
    "ballot",
    "warps vote: flags are bits in a register, and only the counts of blocks are scanned",
    ptx!("kernels/ballot.ptx"),
)
.refuses(vectors_only);

/// Counts the selected elements of every block, scans the counts, and scatters.
pub fn prepare<T: Element>(p: &Compaction<T>, rung: &Rung) -> Prepared<Compaction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let count = module.load_function(&format!("count_{}", p.entry()))?;
    let scatter = module.load_function(&p.entry())?; // such as mask_b32
    let module = p.device.context.load_module(Ptx::from_src(LOOKBACK.ptx))?;
    let scan = module.load_function("exclusive_sum_i64")?;
    let blocks = p.n.div_ceil(2048);
    let tiles = blocks.div_ceil(8192); // of 64 KiB of counts
    let (config, scan_config) = (grid(blocks, 256), grid(tiles, 512));
    let mut counts = buffer::scratch::<i64>(&p.device, blocks)?;
    let mut before = buffer::scratch::<i64>(&p.device, blocks)?;
    // The counter of blocks, up to 16 bytes, then two status words per tile. One memset zeroes both.
    let mut state = buffer::scratch::<u64>(&p.device, 2 + 2 * tiles)?;

    Ok(Launch::new(scatter.clone(), config, Order::Selected, move |p: &mut Compaction<T>| {
        if p.n == 0 {
            return p.device.stream.memset_zeros(&mut p.count.view_mut());
        }
        let mut launch = p.device.stream.launch_builder(&count);
        launch.arg(&p.values).arg(&p.n).arg(&mut counts).arg(&p.mask).arg(&p.pivot);
        // SAFETY: the kernel is `(const T* in, size_t n, i64* counts, const void* mask, u64 pivot)`. It
        // reads in[0 .. n] or the mask, and writes one count per block.
        unsafe { launch.launch(config)? };

        p.device.stream.memset_zeros(&mut state)?;
        let (mut counter, mut status) = state.split_at_mut(2);
        let mut launch = p.device.stream.launch_builder(&scan);
        launch.arg(&counts).arg(&mut before).arg(&blocks);
        launch.arg(&mut status).arg(&mut counter);
        // SAFETY: lookback.cu is `(const i64* in, i64* out, size_t n, u64* status, unsigned* counter)`. It reads
        // in[0 .. n] and writes out[0 .. n]. Status and counter are 0, and there is one block per tile.
        unsafe { launch.launch(scan_config)? };

        let (mut out, mut count) = (p.out.view_mut(), p.count.view_mut());
        let mut launch = p.device.stream.launch_builder(&scatter);
        launch.arg(&p.values).arg(&mut out).arg(&p.n).arg(&p.capacity);
        launch.arg(&mut count).arg(&p.mask).arg(&p.pivot).arg(&before);
        // SAFETY: the kernel is `(const T* in, T* out, size_t n, size_t capacity, u64* selected, const void* mask,
        // u64 pivot, const i64* before)`. It reads in[0 .. n], the mask and one number per block, and writes
        // *selected and at most out[0 .. capacity].
        unsafe { launch.launch(config) }.map(drop)
    }))
}
