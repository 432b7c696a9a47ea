//! Every block counts in shared memory. The histograms of all blocks are then summed. The launches differ in the copies
//! of a block.

use chapter_1_reduce::rungs::matrices::{COLUMNS_BLOCK, splits};
use cudarc::driver::{LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use harness::{Launch, Prepared, buffer, kernel::grid, ptx};

use crate::{
    Rung,
    bins::EXTRA,
    geometry::{self, EVERYWHERE, THREADS, WARPS},
    problem::{Counting, refuses},
    reference::Key,
};

/// The rung `shared_atomics`.
pub static SHARED_ATOMICS: Rung = Rung::new(
    "shared_atomics",
    "one histogram per block in shared memory, summed by columns_block of chapter 1",
    ptx!("kernels/shared_atomics.ptx"),
)
.refuses(|rung, case| refuses(rung, case, MOST_BINS));

/// The largest number of bins for which every device gives a block enough shared memory.
pub const MOST_BINS: u32 = EVERYWHERE - EXTRA;

/// The rung `match_any`.
pub static MATCH_ANY: Rung = Rung::new(
    "match_any",
    "one histogram per block; lanes with the same counter combine their additions",
    ptx!("kernels/match_any.ptx"),
)
.refuses(|rung, case| refuses(rung, case, MOST_BINS));

/// One histogram per block.
pub fn copy_per_block<K: Key>(p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    with_copies(1, p, rung)
}

/// The rung `warp_copies`. The bins are those for which every device gives a block room for one copy per warp.
pub static WARP_COPIES: Rung =
    Rung::new("warp_copies", "one histogram per warp", ptx!("kernels/warp_copies.ptx"))
        .refuses(|rung, case| refuses(rung, case, EVERYWHERE / WARPS - EXTRA));

/// One histogram per warp.
pub fn copy_per_warp<K: Key>(p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    with_copies(WARPS, p, rung)
}

/// One launch that writes one histogram per block, with room for `copies` copies of the counters in a block's shared
/// memory, then chapter 1's sum of columns.
fn with_copies<K: Key>(copies: u32, p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    let context = &p.device.context;
    let kernel = context.load_module(Ptx::from_src(rung.ptx))?.load_function(&p.entry())?;
    let columns = context.load_module(Ptx::from_src(COLUMNS_BLOCK.ptx))?;
    let sum = columns.load_function("sum_u32")?;

    let counters = p.bins.counters();
    let blocks = geometry::thread_per_key(&p.device, p.n, copies * counters)?;
    let config =
        LaunchConfig { shared_mem_bytes: 4 * copies * counters, ..grid(blocks.into(), THREADS) };
    // The histograms of the blocks are the rows of a matrix. Its columns are summed in as many splits of
    // the rows as fill the device, and then over the splits.
    let (rows, cols) = (u64::from(blocks), u64::from(counters));
    let blocks_of_columns = cols.div_ceil(32);
    let splits = splits(p.device.resident_blocks(1024), rows, blocks_of_columns);
    let columns = move |splits: u64| LaunchConfig {
        grid_dim: (blocks_of_columns as u32, splits as u32, 1),
        block_dim: (32, 32, 1),
        shared_mem_bytes: 0,
    };
    let mut partials = buffer::scratch::<u32>(&p.device, rows * cols)?;
    let mut sums = buffer::scratch::<u32>(&p.device, splits * cols)?;

    Ok(Launch::new(kernel.clone(), config, (), move |p: &mut Counting<K>| {
        let mut counts = p.counts.view_mut();
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.keys).arg(&mut partials).arg(&p.n).arg(&p.bins);
        // SAFETY: shared_atomics.cu, match_any.cu and warp_copies.cu are `(const T* in, u32* partials, size_t n, Bins
        // bins)`. They read in[0 .. n] and write bins.count + 3 counters per block. Their shared memory has room for as
        // many, warp_copies.cu for as many per warp.
        unsafe { launch.launch(config)? };

        let mut launch = p.device.stream.launch_builder(&sum);
        launch.arg(&partials);
        if splits == 1 {
            launch.arg(&mut counts).arg(&rows).arg(&cols);
            // SAFETY: columns_block.cu is `(const u32* in, u32* out, size_t rows, size_t cols)`. It reads
            // in[0 .. rows * cols] and writes out[0 .. cols].
            return unsafe { launch.launch(columns(1)) }.map(drop);
        }
        launch.arg(&mut sums).arg(&rows).arg(&cols);
        // SAFETY: as above, but it writes sums[0 .. splits * cols].
        unsafe { launch.launch(columns(splits))? };

        let mut launch = p.device.stream.launch_builder(&sum);
        launch.arg(&sums).arg(&mut counts).arg(&splits).arg(&cols);
        // SAFETY: reads sums[0 .. splits * cols], and writes out[0 .. cols].
        unsafe { launch.launch(columns(1)) }.map(drop)
    }))
}
