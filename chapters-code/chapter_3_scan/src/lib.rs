//! Scan: every element becomes the combination of all elements up to it, by an associative operator.
//!
//! Here stands the table of rungs, each with the function that launches its kernel, `kernels/<name>.cu`; each rung is
//! the one before with one idea changed. Rungs that are launched alike share a file. [`problem`] holds the buffers, the
//! inputs and the judge, [`mod@reference`] the expected results.

pub mod broken;
pub mod chapter;
mod measure;
pub mod parameters;
pub mod problem;
mod recorded;
pub mod reference;

use harness::{Element, Ladder};
pub use parameters::ScanParameters;
use problem::PrefixScan;

/// A case of this chapter.
pub type Case = harness::Case<ScanParameters>;

/// A rung of this chapter.
pub type Rung = harness::Rung<ScanParameters>;

/// The rungs, those that are launched alike in one file.
pub mod rungs {
    pub mod one_thread;

    // Blocks are scanned, then the aggregates of the blocks, level by level.
    pub mod levels;
    pub mod reduce_then_scan;

    // One pass.
    pub mod lookback;
    pub mod rounds;

    // Chooses all_gather or warp_specialized by the size.
    pub mod by_size;
}

/// The rungs, in order.
pub fn ladder<T: Element>() -> Ladder<PrefixScan<T>> {
    use rungs::*;
    vec![
        (one_thread::RUNG, one_thread::prepare),
        (levels::HILLIS_STEELE, levels::hillis_steele),
        (levels::BLELLOCH, levels::blelloch),
        (levels::BLELLOCH_PADDED, levels::blelloch_padded),
        (levels::SHUFFLE, levels::shuffle),
        (levels::VECTORIZED, levels::vectorized),
        (reduce_then_scan::RUNG, reduce_then_scan::prepare),
        (lookback::CHAINED, lookback::chained),
        (lookback::LOOKBACK, lookback::lookback),
        (rounds::ALL_GATHER, rounds::all_gather),
        (rounds::PRODUCER_CONSUMER, rounds::producer_consumer),
        (rounds::WARP_SPECIALIZED, rounds::warp_specialized),
        (by_size::RUNG, by_size::prepare),
    ]
}
