//! Several devices: what they do together is a [`Task`], such as all-reduce.
//!
//! Here stands the table of rungs, by task, each with the function that launches its kernel, `kernels/<name>.cu`; each
//! rung is the one before with one idea changed. Rungs that are launched alike share a file. [`problem`] has the
//! devices, and the buffers and the judge of each task.

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
    pub mod transpositions;

    // The sum of an array that is spread over the devices, its histogram, scan and compaction.
    pub mod sums;
    pub mod histograms;
    pub mod scans;
    pub mod compactions;
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
        (transpositions::TRANSPOSE_EXCHANGE, transpositions::exchange),
        (transpositions::TRANSPOSE_PUSH, transpositions::tiles_of_32),
        (transpositions::TRANSPOSE_PACKS, transpositions::tiles_of_64),
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
        (scans::SCAN_THEN_CARRY, scans::then_carry),
        (scans::SUMS_FIRST, scans::sums_first),
        (scans::LOOKBACK_DEVICES, scans::lookback),
    ]
}

/// The compactions of such an array.
pub fn compactions() -> Ladder<SpreadCompact> {
    vec![
        (compactions::COMPACT_PARTS, compactions::own_parts),
        (compactions::COMPACT_COPIES, compactions::copies),
        (compactions::COMPACT_DIRECT, compactions::direct),
    ]
}
