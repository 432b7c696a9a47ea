//! Histogram: how often does each key occur?
//!
//! Here stands the table of rungs, each with the function that launches its kernel, `kernels/<name>.cu`; each rung is
//! the one before with one idea changed. Rungs that are launched alike share a file. [`problem`] holds the buffers and
//! the judge, [`inputs`] draws the keys, [`mod@reference`] computes the expected counts.

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

use harness::Ladder;

pub use crate::{bins::Bins, parameters::HistogramParameters};
use crate::{problem::Counting, reference::Key};

/// A case of this chapter.
pub type Case = harness::Case<HistogramParameters>;

/// A rung of this chapter.
pub type Rung = harness::Rung<HistogramParameters>;

/// The rungs, those that are launched alike in one file. Before the first comes a kernel that is wrong, `racy` of
/// [`broken`].
pub mod rungs {
    pub mod global_atomics;

    // One histogram per block, which chapter 1's columns_block sums.
    pub mod shared_atomics;

    // Copies in banks, with three ways to give them an output of zeros.
    pub mod banked;

    // For more bins than shared memory has room for.
    pub mod clustered;
    pub mod ranges;
}

/// The rungs, in order.
pub fn keys<K: Key>() -> Ladder<Counting<K>> {
    use rungs::*;
    vec![
        (global_atomics::RUNG, global_atomics::prepare),
        (shared_atomics::SHARED_ATOMICS, shared_atomics::copy_per_block),
        (shared_atomics::WARP_COPIES, shared_atomics::copy_per_warp),
        (shared_atomics::MATCH_ANY, shared_atomics::copy_per_block),
        (banked::BANKED, banked::banked),
        (banked::FINISH_MEMSET, banked::finish_memset),
        (banked::FINISH_EXCHANGE, banked::finish_exchange),
        (ranges::RUNG, ranges::prepare),
        (clustered::RUNG, clustered::prepare),
    ]
}
