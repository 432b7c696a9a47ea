//! Compact: of an array, the elements that a mask or a predicate keeps, side by side.
//!
//! Here stands the ladder, a line a rung. A rung is a kernel file of its own, `kernels/<rung>.cu`,
//! compiled to PTX beside it; its launch, in plain cudarc, is below, or in [`persistent`] where the
//! blocks of one kernel wait for each other.
//!
//! A kernel by mask moves bits, whatever they mean, so there is one for each size of element, such as
//! `mask_b32`; one by predicate compares, and has a type, as `predicate_f32`.

mod baseline;
pub mod broken;
pub mod chapter;
pub mod inputs;
pub mod layout;
pub mod mask_file;
pub mod persistent;
pub mod reference;
pub mod rows;

use cudarc::driver::{CudaFunction, CudaSlice, LaunchConfig, PushKernelArg};
pub use harness::rung::{Launch, Ready, Rung, Setup};
use harness::{
    By, Case, Dtype, Error, Kind, kernel, rung,
    rung::{MOST_OF_ONE_THREAD, Rungs},
};

use crate::{
    layout::Layout,
    persistent::{host_number, lookback, read_back, warp_specialized},
    rows::rows,
};

/// The ladder: each rung is the one before with one idea changed.
#[rustfmt::skip] // a table
pub const LADDER: &[Rung] = &[
    rung!("one_thread", one_thread,
        "one thread keeps what is to be kept, in order").up_to(MOST_OF_ONE_THREAD),
    // Several kernels, with chapter 3's scan between them.
    rung!("scan_then_scatter", |s| scan_then_scatter_by(s, Kind::Exclusive),
        "flags, their scan by chapter 3, and a scatter"),
    rung!("ballot", ballot,
        "warps vote: flags are bits in a register, and only blocks' counts are scanned"),
    // One kernel.
    rung!("unordered", unordered,
        "each warp takes its places by one atomic addition: the order is lost"),
    rung!("lookback", lookback,
        "one pass in order: blocks look back over the counts before them"),
    rung!("staged", lookback,
        "kept elements meet in shared memory, so that stores coalesce"),
    rung!("warp_specialized", warp_specialized,
        "warps with roles: scouts count the mask tiles ahead of the data", ["warp_specialized.compute_90.ptx"]),
    rung!("read_back", |s| read_back(s, host_number(s)?),
        "warp_specialized, and the number kept is copied to the host", ["warp_specialized.compute_90.ptx"]),

    // Siblings.
    rung!("partition", lookback,
        "staged; what is not kept goes to the end, last first"),
    rung!("rows", rows,
        "rows of a matrix, a warp for each that is kept"),
];

/// All rungs: the ladder, then the broken ones.
pub const RUNGS: Rungs = Rungs(&[LADDER, broken::BROKEN]);

/// A launch of one thread.
const ONE: LaunchConfig = kernel::grid(1, 1);

/// Roundings on the way to a result.
const EXACT: u64 = 0;

/// The entry point for what a case keeps, by what: `mask_b32`, `predicate_f32`.
pub fn entry(case: &Case) -> String {
    match layout::by(case) {
        By::Predicate => format!("predicate_{}", case.dtype),
        by => format!("{by}_b{}", 8 * case.dtype.size()),
    }
}

fn own_kernel(s: &Setup<'_>) -> Result<CudaFunction, Error> {
    s.entry(&entry(&s.case))
}

// ---- One thread ---------------------------------------------------------------------------------

fn one_thread(s: &Setup<'_>) -> Result<Ready, Error> {
    let kernel = own_kernel(s)?;
    let (stream, function, layout) = (s.stream(), kernel.clone(), Layout::of(&s.case));
    Ok(Ready::new(kernel, ONE, EXACT, move |input, out| {
        let mut memory = layout.split(input, out);
        let mut launch = memory.launch(&stream, &function);
        // SAFETY: one_thread.cu reads in[0 .. n] and the mask, writes *kept and out[0 .. capacity] at
        // most; all are that large.
        unsafe { launch.launch(ONE)? };
        Ok(())
    }))
}

// ---- Scan, then scatter -------------------------------------------------------------------------

/// Threads of a block, but for the persistent ones.
const THREADS: u32 = 256;

// ANCHOR: scan_then_scatter
fn scan_then_scatter_by(s: &Setup<'_>, kind: Kind) -> Result<Ready, Error> {
    let layout = Layout::of(&s.case);
    let config = kernel::grid(layout.n.div_ceil(THREADS.into()), THREADS);
    let mut flags = s.scratch(4 * layout.n)?;
    let mut before = s.scratch(4 * layout.n)?;
    let flag = s.entry(&format!("flags_{}", entry(&s.case)))?;
    let mut scan = chapter_3_scan::as_step(s, kind, Dtype::U32, layout.n)?;
    let kernel = own_kernel(s)?;
    let (stream, scatter) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        let mut memory = layout.split(input, out);
        if layout.n == 0 {
            return memory.keep_none(&stream);
        }
        let mut launch = stream.launch_builder(&flag);
        launch.arg(&memory.data).arg(&mut flags).arg(&layout.n);
        launch.arg(&memory.mask).arg(&layout.pivot);
        // SAFETY: reads in[0 .. n] and the mask, writes flags[0 .. n].
        unsafe { launch.launch(config)? };
        (scan.launch)(&flags.as_view(), &mut before.as_view_mut())?;
        let mut launch = memory.launch(&stream, &scatter);
        launch.arg(&before);
        // SAFETY: reads in[0 .. n], the mask and before[0 .. n], writes *kept and out[0 .. capacity]
        // at most.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}
// ANCHOR_END: scan_then_scatter

// ---- Ballots --------------------------------------------------------------------------------------

/// Elements of a block of ballot.cu.
pub(crate) const BALLOT_BLOCK: u64 = 2048;

/// What ballot.cu counts, and chapter 3's scan of it.
pub(crate) struct Counts {
    count: CudaFunction,
    counts: CudaSlice<u8>,
    /// What is kept before each block.
    pub(crate) before: CudaSlice<u8>,
    scan: Ready,
    layout: Layout,
    config: LaunchConfig,
}

impl Counts {
    pub(crate) fn new(s: &Setup<'_>, count: CudaFunction) -> Result<Self, Error> {
        let layout = Layout::of(&s.case);
        let blocks = layout.n.div_ceil(BALLOT_BLOCK);
        Ok(Self {
            count,
            counts: s.scratch(8 * blocks)?,
            before: s.scratch(8 * blocks)?,
            scan: chapter_3_scan::as_step(s, Kind::Exclusive, Dtype::I64, blocks)?,
            layout,
            config: kernel::grid(blocks, THREADS),
        })
    }

    /// Enqueues the counting and the scan.
    pub(crate) fn launch(
        &mut self,
        stream: &std::sync::Arc<cudarc::driver::CudaStream>,
        memory: &layout::Memory<'_>,
    ) -> Result<(), cudarc::driver::DriverError> {
        let mut launch = stream.launch_builder(&self.count);
        launch.arg(&memory.data).arg(&self.layout.n);
        launch.arg(&mut self.counts);
        launch.arg(&memory.mask).arg(&self.layout.pivot);
        // SAFETY: reads in[0 .. n], if at all, and the mask; writes a count for each block.
        unsafe { launch.launch(self.config)? };
        (self.scan.launch)(&self.counts.as_view(), &mut self.before.as_view_mut())
    }
}

fn ballot(s: &Setup<'_>) -> Result<Ready, Error> {
    let layout = Layout::of(&s.case);
    let mut counts = Counts::new(s, s.entry(&format!("count_{}", entry(&s.case)))?)?;
    let config = counts.config;
    let kernel = own_kernel(s)?;
    let (stream, scatter) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        let mut memory = layout.split(input, out);
        if layout.n == 0 {
            return memory.keep_none(&stream);
        }
        counts.launch(&stream, &memory)?;
        let mut launch = memory.launch(&stream, &scatter);
        launch.arg(&counts.before);
        // SAFETY: reads in[0 .. n], the mask and before[b] for each block b, writes *kept and
        // out[0 .. capacity] at most.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}

// ---- Without order --------------------------------------------------------------------------------

fn unordered(s: &Setup<'_>) -> Result<Ready, Error> {
    let layout = Layout::of(&s.case);
    let config = kernel::grid(layout.n.div_ceil(THREADS.into()), THREADS);
    let kernel = own_kernel(s)?;
    let (stream, function) = (s.stream(), kernel.clone());
    Ok(Ready::new(kernel, config, EXACT, move |input, out| {
        let mut memory = layout.split(input, out);
        memory.keep_none(&stream)?;
        if layout.n == 0 {
            return Ok(());
        }
        let mut launch = memory.launch(&stream, &function);
        // SAFETY: reads in[0 .. n] and the mask, adds to *kept, which is 0, and writes
        // out[0 .. capacity] at most.
        unsafe { launch.launch(config)? };
        Ok(())
    }))
}
