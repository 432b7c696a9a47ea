//! Histogram: how often does each key occur?
//!
//! Here stand the ladder, a line a rung, and below it the launches, in plain cudarc. A rung is a
//! kernel file of its own, `kernels/<rung>.cu`, compiled to PTX beside it. An output holds a counter
//! of 32 bits for each bin, and three more for keys that have none ([`bins::EXTRA`]).
//!
//! Rungs three to five leave a histogram for each block; chapter 1's `columns_block` sums them.

mod baseline;
pub mod bins;
pub mod broken;
pub mod chapter;
pub mod geometry;
pub mod inputs;
pub mod model;
pub mod reference;

use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
use harness::{
    Error, buffer, kernel, rung,
    rung::{Ready, Rung, Rungs, Setup},
};

pub use crate::bins::Bins;
use crate::{
    bins::{EXTRA, MOST},
    geometry::{EVERYWHERE, SharedMemory, TileBlocks, WARPS},
};

/// The ladder: each rung is the one before with one idea changed. Before the first comes a kernel
/// that is wrong, `racy` of [`broken`].
#[rustfmt::skip] // a table
pub const LADDER: &[Rung] = &[
    rung!("global_atomics", |s| count(s, Output::Zeroed, 0, u32::MAX),
        "atomic increments of counters in global memory"),
    rung!("shared_atomics", |s| partials(s, 1),
        "a histogram a block in shared memory, summed by columns_block of chapter 1"),
    rung!("warp_copies", |s| partials(s, WARPS),
        "a histogram a warp"),
    rung!("match_any", |s| partials(s, 1),
        "a histogram a block; lanes with the same counter agree on one addition"),
    rung!("banked", banked,
        "16-byte loads, up to 32 copies a block, each in its banks; the first block zeroes"),

    // Other ways for banked to get zeros to add to.
    rung!("finish_memset", finish_memset,
        "banked; the host zeroes the output"),
    rung!("finish_exchange", finish_exchange,
        "banked; the last block takes the sums out and leaves zeros"),

    // What banked is where shared memory ends.
    rung!("ranges", ranges,
        "each block counts a range of the bins"),
];

/// All rungs: the ladder, then the broken ones.
pub const RUNGS: Rungs = Rungs(&[LADDER, broken::BROKEN]);

/// The most bins that a rung has room for: in the shared memory that every device gives a block,
/// where it keeps whole histograms there; banked goes on as ranges.
pub fn most_bins(rung: &str) -> u32 {
    match rung {
        "shared_atomics" | "match_any" | "finish_memset" | "finish_exchange" => EVERYWHERE - EXTRA,
        "warp_copies" => EVERYWHERE / WARPS - EXTRA,
        _ => MOST,
    }
}

/// Roundings on the way to a count.
const EXACT: u64 = 0;

/// The entry point for a case's keys, such as `histogram_u32`.
fn function(s: &Setup<'_>) -> Result<CudaFunction, Error> {
    s.entry(&format!("histogram_{}", s.case.dtype))
}

// ---- In global memory ---------------------------------------------------------------------------

/// What blocks find in the output that they count into.
#[derive(Clone, Copy, PartialEq)]
enum Output {
    /// Zeros.
    Zeroed,
    /// Whatever was there.
    AsItIs,
}

/// Blocks of 256 threads, `most` of them at most, count into the output, with so many counters of
/// shared memory each.
fn count(s: &Setup<'_>, output: Output, counters: u32, most: u32) -> Result<Ready, Error> {
    let (n, bins) = (s.case.elements(), Bins::of(&s.case)?);
    let config = geometry::a_key_a_thread(s.device, n, counters, most)?;
    let kernel = function(s)?;
    let (stream, count) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        if output == Output::Zeroed {
            stream.memset_zeros(out)?;
        }
        let mut launch = stream.launch_builder(&count);
        launch.arg(input).arg(out).arg(&n).arg(&bins);
        // SAFETY: the kernel is `(const T* in, u32* out, size_t n, Bins bins)`: it reads in[0 .. n]
        // and adds to out[0 .. bins.count + 3], which is that long; its shared memory is what its
        // contract asks for.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

// ---- A histogram a block, then a matrix's columns --------------------------------------------------

/// Each block counts into so many copies in shared memory, and writes their sum as a row of a matrix,
/// whose columns are the bins.
fn partials(s: &Setup<'_>, copies: u32) -> Result<Ready, Error> {
    let (n, bins) = (s.case.elements(), Bins::of(&s.case)?);
    let counters = bins.counters();
    let config = geometry::a_key_a_thread(s.device, n, copies * counters, u32::MAX)?;
    let blocks = u64::from(config.grid_dim.0);
    let mut partials = s.scratch(4 * blocks * u64::from(counters))?;
    let mut columns = columns(s, blocks, u64::from(counters))?;
    let kernel = function(s)?;
    let (stream, count) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        let mut launch = stream.launch_builder(&count);
        launch.arg(input).arg(&mut partials).arg(&n).arg(&bins);
        // SAFETY: the kernel is `(const T* in, u32* partials, size_t n, Bins bins)`: it reads
        // in[0 .. n] and writes a row of bins.count + 3 counters for each block; the launch gives it
        // shared memory for as many copies as it keeps.
        unsafe { launch.launch(config)? };
        (columns.launch)(&partials.as_view(), out)
    }))
}

/// Chapter 1's reduction of the columns of a matrix of counters, in splits of the rows where one block per
/// 32 columns would leave the device idle.
fn columns(s: &Setup<'_>, rows: u64, cols: u64) -> Result<Ready, Error> {
    let rung = chapter_1_reduce::rungs::columns_block::RUNG;
    let module = kernel::load_module(s.device, rung.name, &[rung.ptx])?;
    let sum = kernel::load_function(&module, "sum_u32")?;
    let splits =
        chapter_1_reduce::rungs::columns_block::splits(s.device.resident_blocks(1024), rows, cols);
    let config_of = |splits: u64| LaunchConfig {
        grid_dim: (cols.div_ceil(32).max(1) as u32, splits as u32, 1),
        block_dim: (32, 32, 1),
        shared_mem_bytes: 0,
    };
    let (config, last_config) = (config_of(splits), config_of(1));
    let mut partials = s.scratch(4 * splits * cols)?;
    let stream = s.stream();
    let function = sum.clone();
    Ok(Ready::new(sum, config, EXACT, move |input, out| {
        let mut first = stream.launch_builder(&function);
        if splits == 1 {
            first.arg(input).arg(out).arg(&rows).arg(&cols);
            // SAFETY: reads in[0 .. rows * cols] and writes out[0 .. cols].
            unsafe { first.launch(config)? };
            return Ok(());
        }
        first.arg(input).arg(&mut partials).arg(&rows).arg(&cols);
        // SAFETY: reads in[0 .. rows * cols] and writes partials[0 .. splits * cols].
        unsafe { first.launch(config)? };
        let mut second = stream.launch_builder(&function);
        second.arg(&partials).arg(out).arg(&splits).arg(&cols);
        // SAFETY: reads partials[0 .. splits * cols] and writes out[0 .. cols].
        unsafe { second.launch(last_config)? };
        Ok(())
    }))
}

// ---- Copies in banks ------------------------------------------------------------------------------

/// What `banked` and its finishes are launched with.
struct Banked {
    kernel: CudaFunction,
    config: LaunchConfig,
    n: u64,
    bins: Bins,
    /// The logarithm of how many copies a block keeps.
    log_copies: u32,
}

impl Banked {
    /// None where a block of the device has no room for a single copy.
    fn of(s: &Setup<'_>) -> Result<Option<Self>, Error> {
        let bins = Bins::of(&s.case)?;
        let counters = reference::reachable(s.case.dtype, &bins);
        let shared = SharedMemory::of(s.device)?;
        let blocks = TileBlocks::of(s.case.dtype);
        let Some(most) = blocks.log_copies(shared, counters) else {
            return Ok(None);
        };
        let wanted = s.case.parameters.copies.map(u32::ilog2);
        let log_copies = wanted.unwrap_or(most).min(most);
        let resident = blocks.on(s.device, counters << log_copies)?;
        let grid = geometry::tiles(s.case.input_bytes()).clamp(1, u64::from(resident));
        let config = geometry::config(grid, blocks.threads, counters << log_copies);
        let kernel = function(s)?;
        kernel::allow_shared(&kernel, &config)?;
        Ok(Some(Self {
            kernel,
            config,
            n: s.case.elements(),
            bins,
            log_copies,
        }))
    }
}

fn no_room() -> Error {
    Error::Usage(
        "a block of this device has no room for so many bins\n  remedy: give --bins, up to 12000"
            .into(),
    )
}

fn banked(s: &Setup<'_>) -> Result<Ready, Error> {
    let Some(banked) = Banked::of(s)? else {
        return RUNGS.find("ranges")?.ready(s.device, s.case);
    };
    let (kernel, config) = (banked.kernel.clone(), banked.config);
    let mut state = buffer::upload(s.device, &[0u64; 2])?;
    let stream = s.stream();
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        let mut launch = stream.launch_builder(&banked.kernel);
        launch.arg(input).arg(out).arg(&banked.n).arg(&banked.bins);
        launch.arg(&banked.log_copies).arg(&mut state);
        // SAFETY: the kernel is `(const T* in, u32* out, size_t n, Bins bins, u32 log_copies, State*
        // state)`: it reads in[0 .. n] and writes out[0 .. bins.count + 3]. Shared memory holds the
        // copies; the state is zero at first, and every launch on it has this grid.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

fn finish_memset(s: &Setup<'_>) -> Result<Ready, Error> {
    let banked = Banked::of(s)?.ok_or_else(no_room)?;
    let (kernel, config) = (banked.kernel.clone(), banked.config);
    let stream = s.stream();
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        stream.memset_zeros(out)?;
        let mut launch = stream.launch_builder(&banked.kernel);
        launch.arg(input).arg(out).arg(&banked.n).arg(&banked.bins);
        launch.arg(&banked.log_copies);
        // SAFETY: as banked's, without a state; the kernel adds to an output that is zero.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

fn finish_exchange(s: &Setup<'_>) -> Result<Ready, Error> {
    let banked = Banked::of(s)?.ok_or_else(no_room)?;
    let (kernel, config) = (banked.kernel.clone(), banked.config);
    let sums = vec![0u32; banked.bins.counters() as usize];
    let mut sums = buffer::upload(s.device, &sums)?;
    let mut counter = buffer::upload(s.device, &[0u32])?;
    let stream = s.stream();
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        let mut launch = stream.launch_builder(&banked.kernel);
        launch.arg(input).arg(out).arg(&banked.n).arg(&banked.bins);
        launch.arg(&banked.log_copies);
        launch.arg(&mut sums).arg(&mut counter);
        // SAFETY: as banked's, with sums[0 .. bins.count + 3] and a counter in place of the state;
        // both are zero at first, and the kernel leaves them at zero.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

// ---- Ranges of bins -------------------------------------------------------------------------------

/// As many ranges as it takes for one to fit a block that has a multiprocessor to itself, and two at
/// least.
fn ranges(s: &Setup<'_>) -> Result<Ready, Error> {
    let (n, bins) = (s.case.elements(), Bins::of(&s.case)?);
    let counters = bins.counters();
    let room = SharedMemory::of(s.device)?.counters(1);
    let ranges = counters.div_ceil(room.max(1)).max(2);
    let width = counters.div_ceil(ranges);
    let blocks = TileBlocks::ALONE;
    let resident = blocks.on(s.device, width)?;
    let stripes = u64::from((resident / ranges).max(1));
    let stripes = geometry::tiles(s.case.input_bytes()).clamp(1, stripes);
    let config = geometry::config(stripes * u64::from(ranges), blocks.threads, width);
    let mut state = buffer::upload(s.device, &[0u64; 2])?;
    let kernel = function(s)?;
    kernel::allow_shared(&kernel, &config)?;
    let (stream, count) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        let mut launch = stream.launch_builder(&count);
        launch.arg(input).arg(out).arg(&n).arg(&bins);
        launch.arg(&ranges).arg(&mut state);
        // SAFETY: ranges.cu reads in[0 .. n] and writes out[0 .. bins.count + 3]; shared memory holds
        // a range, the grid is a multiple of the ranges, and the state is as banked's.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}
