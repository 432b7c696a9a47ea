//! Several devices: what they do together is a [`Task`], such as all-reduce.
//!
//! Here stands the table of rungs, by task. A rung is a file, `rungs/<name>.rs`, which launches the kernel in
//! `kernels/<name>.cu`; each rung is the one before with one idea changed. [`problem`] has the devices, and the buffers and
//! the judge of each task.

mod baseline;
pub mod broken;
pub mod chapter;
mod measure;
pub mod parameters;
pub mod problem;
mod recorded;
pub mod task;

use harness::{Element, Ladder, ladder};
pub use parameters::DeviceParameters;
use problem::{Collective, SpreadCompact, SpreadHistogram, SpreadScan, SpreadSum};
pub use task::Task;

/// A case of this chapter.
pub type Case = harness::Case<DeviceParameters>;

/// A rung of this chapter.
pub type Rung = harness::Rung<DeviceParameters>;

/// The rungs, one file each.
pub mod rungs {
    // All-reduce.
    pub mod gather;
    pub mod ring;
    pub mod two_shot;
    pub mod flags;
    pub mod push;
    pub mod one_shot;
    pub mod low_latency;
    pub mod by_size;

    // Reduce-scatter.
    pub mod reduce_scatter_ring;
    pub mod reduce_scatter_pull;
    pub mod reduce_scatter_push;

    // All-gather.
    pub mod all_gather_ring;
    pub mod all_gather_push;

    // All-to-all.
    pub mod all_to_all_copies;
    pub mod all_to_all_push;

    // Transposition.
    pub mod transpose_exchange;
    pub mod transpose_push;
    pub mod transpose_packs;

    // The sum of an array that is spread over the devices.
    pub mod reduce_by_host;
    pub mod reduce_links;

    // Its histogram.
    pub mod histogram_gather;
    pub mod histogram_parts;

    // Its scan.
    pub mod scan_then_carry;
    pub mod sums_first;
    pub mod lookback_devices;

    // Its compaction.
    pub mod compact_parts;
    pub mod compact_copies;
    pub mod compact_direct;
}

use rungs::*;

/// The all-reduces.
pub fn all_reduces() -> Ladder<Collective> {
    ladder![gather, ring, two_shot, flags, push, one_shot, low_latency, by_size]
}

/// The reduce-scatters.
pub fn reduce_scatters() -> Ladder<Collective> {
    ladder![reduce_scatter_ring, reduce_scatter_pull, reduce_scatter_push]
}

/// The all-gathers.
pub fn all_gathers() -> Ladder<Collective> {
    ladder![all_gather_ring, all_gather_push]
}

/// The all-to-alls.
pub fn all_to_alls() -> Ladder<Collective> {
    ladder![all_to_all_copies, all_to_all_push]
}

/// The transpositions.
pub fn transpositions() -> Ladder<Collective> {
    ladder![transpose_exchange, transpose_push, transpose_packs]
}

/// The sums of an array that is spread over the devices.
pub fn sums<T: Element<Acc = T>>() -> Ladder<SpreadSum<T>> {
    ladder![reduce_by_host, reduce_links]
}

/// The histograms of such an array.
pub fn histograms() -> Ladder<SpreadHistogram> {
    ladder![histogram_gather, histogram_parts]
}

/// The scans of such an array.
pub fn scans<T: Element<Acc = T>>() -> Ladder<SpreadScan<T>> {
    ladder![scan_then_carry, sums_first, lookback_devices]
}

/// The compactions of such an array.
pub fn compactions() -> Ladder<SpreadCompact> {
    ladder![compact_parts, compact_copies, compact_direct]
}
