//! Rows of a matrix, with one warp per selected row, as PyTorch's `a[mask]` takes them.

use chapter_3_scan::rungs::lookback::LOOKBACK;
use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Element, Launch, Prepared, buffer, kernel::grid, ptx};

use super::ballot;
use crate::Rung;
use crate::problem::{Compaction, Order, rows_only};

/// The rung `rows`.
pub static RUNG: Rung =
    Rung::new("rows", "rows of a matrix, with one warp per selected row", ptx!("kernels/rows.ptx"))
        .refuses(rows_only);

/// Counts the selected rows of every block as `ballot` does, scans the counts, lists the rows, and copies them.
pub fn prepare<T: Element>(p: &Compaction<T>, rung: &Rung) -> Prepared<Compaction<T>> {
    let by = p.case.task.by;
    let module = p.device.context.load_module(Ptx::from_src(ballot::RUNG.ptx))?;
    let count = module.load_function(&format!("count_{by}_b8"))?;
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let number = module.load_function(&format!("numbers_{by}"))?;
    // A row is moved in units of 16, 4 or 1 bytes, the largest that divides its length.
    let row = p.width * size_of::<T>() as u64;
    let (unit, name) = match row {
        row if row.is_multiple_of(16) => (16, "fetch_b128"),
        row if row.is_multiple_of(4) => (4, "fetch_b32"),
        _ => (1, "fetch_b8"),
    };
    let fetch = module.load_function(name)?;
    let width = row / unit;
    let module = p.device.context.load_module(Ptx::from_src(LOOKBACK.ptx))?;
    let scan = module.load_function("exclusive_sum_i64")?;
    let blocks = p.n.div_ceil(2048);
    let tiles = blocks.div_ceil(8192); // of 64 KiB of counts
    let (numbering, scan_config) = (grid(blocks, 256), grid(tiles, 512));
    let mut counts = buffer::scratch::<i64>(&p.device, blocks)?;
    let mut before = buffer::scratch::<i64>(&p.device, blocks)?;
    // The counter of blocks, up to 16 bytes, then two status words per tile. One memset zeroes both.
    let mut state = buffer::scratch::<u64>(&p.device, 2 + 2 * tiles)?;
    let mut numbers = buffer::scratch::<u64>(&p.device, p.n)?;
    // Eight blocks of 256 threads fill a multiprocessor. Several blocks share a row of thousands of units.
    let across = width.div_ceil(4096).clamp(1, 64) as u32;
    let down = (16 * p.device.properties.multiprocessors).div_ceil(across);
    let config = LaunchConfig {
        grid_dim: (p.n.div_ceil(8).clamp(1, down.into()) as u32, across, 1),
        ..grid(1, 256)
    };

    Ok(Launch::new(fetch.clone(), config, Order::Selected, move |p: &mut Compaction<T>| {
        if p.n == 0 {
            return p.device.stream.memset_zeros(&mut p.count.view_mut());
        }
        let mut launch = p.device.stream.launch_builder(&count);
        launch.arg(&p.values).arg(&p.n).arg(&mut counts).arg(&p.mask).arg(&p.pivot);
        // SAFETY: the kernel is `(const T* in, size_t n, i64* counts, const void* mask, u64 pivot)`. It
        // reads a mask of n rows, not the rows, and writes one count per block.
        unsafe { launch.launch(numbering)? };

        p.device.stream.memset_zeros(&mut state)?;
        let (mut counter, mut status) = state.split_at_mut(2);
        let mut launch = p.device.stream.launch_builder(&scan);
        launch.arg(&counts).arg(&mut before).arg(&blocks);
        launch.arg(&mut status).arg(&mut counter);
        // SAFETY: lookback.cu is `(const i64* in, i64* out, size_t n, u64* status, unsigned* counter)`. It reads
        // in[0 .. n] and writes out[0 .. n]. Status and counter are 0, and there is one block per tile.
        unsafe { launch.launch(scan_config)? };

        let (mut out, mut count) = (p.out.view_mut(), p.count.view_mut());
        let mut launch = p.device.stream.launch_builder(&number);
        launch.arg(&mut numbers).arg(&p.n).arg(&mut count);
        launch.arg(&p.mask).arg(&p.pivot).arg(&before);
        // SAFETY: the kernel is `(u64* numbers, size_t n, u64* selected, const void* mask, u64 pivot, const i64*
        // before)`. It reads a mask of n rows and one number per block. It writes *selected, and that many numbers.
        unsafe { launch.launch(numbering)? };

        let mut launch = p.device.stream.launch_builder(&fetch);
        launch.arg(&p.values).arg(&mut out).arg(&p.capacity);
        launch.arg(&numbers).arg(&mut count).arg(&width);
        // SAFETY: the kernel is `(const unit* in, unit* out, size_t capacity, const u64* numbers, const u64* selected,
        // size_t width)`. It reads *selected numbers below n, and those rows of `width` units. It writes as many rows,
        // at most `capacity`.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
