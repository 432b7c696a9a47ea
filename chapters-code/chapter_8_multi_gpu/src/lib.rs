//! Several devices: what they do together is a [`Task`], such as all-reduce.
//!
//! Here stands the table of rungs, by task, each with the function that launches its kernel, `kernels/<name>.cu`; each rung
//! is the one before with one idea changed. Rungs that are launched alike share a file. [`problem`] has the devices, and the
//! buffers and the judge of each task.

mod baseline;
pub mod broken;
pub mod chapter;
mod measure;
pub mod parameters;
pub mod problem;
mod recorded;
pub mod task;

use harness::{Element, Ladder};
pub use parameters::DeviceParameters;
use problem::{Collective, SpreadCompact, SpreadHistogram, SpreadScan, SpreadSum};
pub use task::Task;

/// A case of this chapter.
pub type Case = harness::Case<DeviceParameters>;

/// A rung of this chapter.
pub type Rung = harness::Rung<DeviceParameters>;

/// The rungs, those that are launched alike in one file.
pub mod rungs {
    // Collectives, whose kernels or copies are often alike.
    pub mod gather;
    pub mod copies;
    pub mod two_shot;
    pub mod flags;
    pub mod push;
    pub mod low_latency;
    pub mod by_size;
    pub mod transpose_exchange;
    pub mod transpose_push;

    // The sum of an array that is spread over the devices, its histogram, scan and compaction.
    pub mod sums;
    pub mod histograms;
    pub mod scan_then_carry;
    pub mod sums_first;
    pub mod lookback_devices;
    pub mod compact_parts;
    pub mod compact_copies;
    pub mod compact_direct;
}

use rungs::*;

/// The all-reduces.
pub fn all_reduces() -> Ladder<Collective> {
    vec![
        (gather::RUNG, gather::prepare),
        (copies::RING, copies::ring),
        (two_shot::TWO_SHOT, two_shot::two_shot),
        (flags::FLAGS, flags::flags),
        (push::PUSH, push::push),
        (flags::ONE_SHOT, flags::one_shot),
        (low_latency::RUNG, low_latency::prepare),
        (by_size::RUNG, by_size::prepare),
    ]
}

/// The reduce-scatters.
pub fn reduce_scatters() -> Ladder<Collective> {
    vec![
        (copies::REDUCE_SCATTER_RING, copies::reduce_scatter),
        (two_shot::REDUCE_SCATTER_PULL, two_shot::reduce_scatter),
        (push::REDUCE_SCATTER_PUSH, push::reduce_scatter),
    ]
}

/// The all-gathers.
pub fn all_gathers() -> Ladder<Collective> {
    vec![(copies::ALL_GATHER_RING, copies::all_gather), (flags::ALL_GATHER_PUSH, flags::all_gather)]
}

/// The all-to-alls.
pub fn all_to_alls() -> Ladder<Collective> {
    vec![
        (copies::ALL_TO_ALL_COPIES, copies::all_to_all),
        (flags::ALL_TO_ALL_PUSH, flags::all_to_all),
    ]
}

/// The transpositions.
pub fn transpositions() -> Ladder<Collective> {
    vec![
        (transpose_exchange::RUNG, transpose_exchange::prepare),
        (transpose_push::TRANSPOSE_PUSH, transpose_push::tiles_of_32),
        (transpose_push::TRANSPOSE_PACKS, transpose_push::tiles_of_64),
    ]
}

/// The sums of an array that is spread over the devices.
pub fn sums<T: Element<Acc = T>>() -> Ladder<SpreadSum<T>> {
    vec![(sums::REDUCE_BY_HOST, sums::by_host), (sums::REDUCE_LINKS, sums::by_links)]
}

/// The histograms of such an array.
pub fn histograms() -> Ladder<SpreadHistogram> {
    vec![
        (histograms::HISTOGRAM_GATHER, histograms::gather),
        (histograms::HISTOGRAM_PARTS, histograms::parts),
    ]
}

/// The scans of such an array.
pub fn scans<T: Element<Acc = T>>() -> Ladder<SpreadScan<T>> {
    vec![
        (scan_then_carry::RUNG, scan_then_carry::prepare),
        (sums_first::RUNG, sums_first::prepare),
        (lookback_devices::RUNG, lookback_devices::prepare),
    ]
}

/// The compactions of such an array.
pub fn compactions() -> Ladder<SpreadCompact> {
    vec![
        (compact_parts::RUNG, compact_parts::prepare),
        (compact_copies::RUNG, compact_copies::prepare),
        (compact_direct::RUNG, compact_direct::prepare),
    ]
}
