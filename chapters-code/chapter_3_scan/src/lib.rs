//! Scan: every element becomes the combination of all elements up to it, by an associative operator.
//!
//! Here stands the table of rungs. A rung is a file, `rungs/<name>.rs`, which launches the kernel in
//! `kernels/<name>.cu`; each rung is the one before with one idea changed. [`problem`] holds the buffers,
//! the inputs and the judge, [`mod@reference`] the expected results.

mod baseline;
pub mod broken;
pub mod chapter;
mod levels;
mod measure;
pub mod parameters;
pub mod problem;
mod recorded;
pub mod reference;

use harness::{Element, Ladder, ladder};
pub use parameters::ScanParameters;
use problem::PrefixScan;

/// A case of this chapter.
pub type Case = harness::Case<ScanParameters>;

/// A rung of this chapter.
pub type Rung = harness::Rung<ScanParameters>;

/// The rungs.
pub mod rungs {
    pub mod one_thread;

    // Blocks are scanned, then the aggregates of the blocks, level by level.
    pub mod hillis_steele;
    pub mod blelloch;
    pub mod blelloch_padded;
    pub mod shuffle;
    pub mod vectorized;
    pub mod reduce_then_scan;

    // One pass.
    pub mod chained;
    pub mod lookback;
    pub mod all_gather;
    pub mod producer_consumer;
    pub mod warp_specialized;

    // Chooses all_gather or warp_specialized by the size.
    pub mod by_size;
}

/// The rungs, in order.
pub fn ladder<T: Element>() -> Ladder<PrefixScan<T>> {
    use rungs::*;
    ladder![
        one_thread,
        hillis_steele,
        blelloch,
        blelloch_padded,
        shuffle,
        vectorized,
        reduce_then_scan,
        chained,
        lookback,
        all_gather,
        producer_consumer,
        warp_specialized,
        by_size,
    ]
}
