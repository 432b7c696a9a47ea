//! Histogram: how often does each key occur?
//!
//! Here stands the table of rungs. A rung is a file, `rungs/<name>.rs`, which launches the kernel in
//! `kernels/<name>.cu`; each rung is the one before with one idea changed. [`problem`] holds the buffers
//! and the judge, [`inputs`] draws the keys, [`mod@reference`] computes the expected counts.

mod baseline;
pub mod bins;
pub mod broken;
pub mod chapter;
pub mod geometry;
pub mod inputs;
pub mod model;
mod measure;
pub mod parameters;
pub mod problem;
mod recorded;
pub mod reference;

use harness::{Ladder, ladder};

pub use crate::{bins::Bins, parameters::HistogramParameters};
use crate::{problem::Counting, reference::Key};

/// A case of this chapter.
pub type Case = harness::Case<HistogramParameters>;

/// A rung of this chapter.
pub type Rung = harness::Rung<HistogramParameters>;

/// The rungs, one file each. Before the first comes a kernel that is wrong, `racy` of [`broken`].
pub mod rungs {
    pub mod global_atomics;

    // One histogram per block, which chapter 1's columns_block sums.
    pub mod shared_atomics;
    pub mod warp_copies;
    pub mod match_any;

    // Copies in banks.
    pub mod banked;

    // Two other ways to give banked an output of zeros.
    pub mod finish_memset;
    pub mod finish_exchange;

    // For more bins than shared memory has room for.
    pub mod clustered;
    pub mod ranges;
}

/// The rungs, in order.
pub fn keys<K: Key>() -> Ladder<Counting<K>> {
    use rungs::*;
    ladder![
        global_atomics,
        shared_atomics,
        warp_copies,
        match_any,
        banked,
        finish_memset,
        finish_exchange,
        ranges,
        clustered,
    ]
}
