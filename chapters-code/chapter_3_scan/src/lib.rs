//! Scan: every element becomes the fold of all up to it, by an associative operator.
//!
//! Here stands the ladder, a line a rung. A rung is a kernel file of its own, `kernels/<rung>.cu`,
//! compiled to PTX beside it; its launch, in plain cudarc, is below, in [`levels`] where a scan of
//! blocks is followed by a scan of their folds, or in [`persistent`] where one kernel does it all.
//!
//! Every kernel is made for several types and operators and both kinds, under names such as
//! `inclusive_sum_f32`, so the host handles elements as bytes.

mod baseline;
pub mod broken;
pub mod chapter;
pub mod levels;
pub mod persistent;
pub mod reference;

use cudarc::driver::{CudaFunction, LaunchConfig, PushKernelArg};
pub use harness::rung::{Launch, Ready, Rung, Setup};
use harness::{
    Case, Dtype, Error, Kind, Op, Parameters, Shape, kernel, rung,
    rung::{MOST_OF_ONE_THREAD, Rungs},
};

use crate::{
    levels::{
        BLELLOCH, BLELLOCH_PADDED, HILLIS_STEELE, SHUFFLE, VECTORIZED, reduce_then_scan,
        scan_then_add,
    },
    persistent::{all_gather, by_size, lookback, warp_specialized},
};

/// The ladder: each rung is the one before with one idea changed.
#[rustfmt::skip] // a table
pub const LADDER: &[Rung] = &[
    rung!("one_thread", one_thread,
        "one thread folds everything, in order").up_to(MOST_OF_ONE_THREAD),
    // Blocks are scanned one by one; then their folds are, and each is put before its successors.
    rung!("hillis_steele", |s| scan_then_add(s, HILLIS_STEELE),
        "log2 B steps, in which every thread works"),
    rung!("blelloch", |s| scan_then_add(s, BLELLOCH),
        "up a tree and down again: fewer operations, and bank conflicts"),
    rung!("blelloch_padded", |s| scan_then_add(s, BLELLOCH_PADDED),
        "the same with a word skipped after every 32"),
    rung!("shuffle", |s| scan_then_add(s, SHUFFLE),
        "warps scan in registers"),
    rung!("vectorized", |s| scan_then_add(s, VECTORIZED),
        "16 bytes a load: a thread scans its own elements first"),
    rung!("reduce_then_scan", |s| reduce_then_scan(s, VECTORIZED),
        "the first pass only folds: three quarters of the traffic"),
    // One pass.
    rung!("lookback", lookback,
        "a block looks back over the blocks before it"),
    rung!("all_gather", all_gather,
        "in rounds: every block reads the folds of all"),
    rung!("warp_specialized", warp_specialized,
        "warps with roles, and tiles that wait in shared memory", ["warp_specialized.compute_90.ptx"]),
];

/// What a library would offer: the kernel that is best for the size.
#[rustfmt::skip] // a table
pub const CHOOSING: &[Rung] = &[
    rung!("by_size", by_size,
        "all_gather up to 32 MiB of input, warp_specialized beyond", ["all_gather.ptx"]),
];

/// All rungs: the ladder, what chooses from it, then the broken ones.
pub const RUNGS: Rungs = Rungs(&[LADDER, CHOOSING, broken::BROKEN]);

/// A launch of one thread.
const ONE: LaunchConfig = kernel::grid(1, 1);

/// The entry point of a kind, such as `inclusive_sum_f32`.
fn scan_kernel(s: &Setup<'_>, kind: Kind) -> Result<CudaFunction, Error> {
    s.entry(&format!("{kind}_{}_{}", s.case.op, s.case.dtype))
}

/// The scan of n integers that are on the device already, by look-back: as a step of another rung.
///
/// # Errors
/// As [`Rung::ready`].
pub fn as_step(s: &Setup<'_>, kind: Kind, dtype: Dtype, n: u64) -> Result<Ready, Error> {
    let case = Case {
        shape: Shape::Vector { n },
        dtype,
        op: Op::Sum,
        parameters: Parameters::of_kind(kind),
        ..s.case
    };
    RUNGS.find("lookback")?.ready(s.device, case)
}

// ---- One thread ---------------------------------------------------------------------------------

fn one_thread(s: &Setup<'_>) -> Result<Ready, Error> {
    let kernel = scan_kernel(s, s.case.kind())?;
    let (stream, function, n) = (s.stream(), kernel.clone(), s.case.elements());
    Ok(Ready::new(kernel, ONE, n, move |input, out| {
        let mut launch = stream.launch_builder(&function);
        launch.arg(input).arg(out).arg(&n);
        // SAFETY: one_thread.cu reads in[0 .. n] and writes out[0 .. n], which both are that large.
        unsafe { launch.launch(ONE)? };
        Ok(())
    }))
}
