//! Compact: the elements of an array that a mask or a predicate selects, side by side.
//!
//! Here stands the table of rungs, each with the function that launches its kernel, `kernels/<name>.cu`; each rung is
//! the one before with one idea changed. Rungs that are launched alike share a file. [`problem`] holds the buffers and
//! the judge, [`inputs`] the masks, [`mod@reference`] the expected results.
//!
//! A kernel that selects by a mask moves bits, whatever they mean, so there is one per size of an element,
//! such as `mask_b32`. A kernel that selects by a predicate compares, and has a type, as `predicate_f32`.

pub mod broken;
pub mod chapter;
pub mod inputs;
pub mod mask_file;
mod measure;
pub mod parameters;
pub mod problem;
mod recorded;
pub mod reference;

use harness::{Element, Ladder};
pub use parameters::{By, Density, Pattern, SelectionParameters};
use problem::Compaction;

/// A case of this chapter.
pub type Case = harness::Case<SelectionParameters>;

/// A rung of this chapter.
pub type Rung = harness::Rung<SelectionParameters>;

/// The rungs, those that are launched alike in one file.
pub mod rungs {
    pub mod one_thread;

    // Several kernels, with chapter 3's scan between them.
    pub mod scan_then_scatter;
    pub mod ballot;

    // One kernel.
    pub mod unordered;
    pub mod lookback;
    pub mod warp_specialized;
    pub mod read_back;

    // Rows of a matrix.
    pub mod rows;
}

/// The rungs, in order.
pub fn ladder<T: Element>() -> Ladder<Compaction<T>> {
    use rungs::*;
    vec![
        (one_thread::RUNG, one_thread::prepare),
        (scan_then_scatter::RUNG, scan_then_scatter::prepare),
        (ballot::RUNG, ballot::prepare),
        (unordered::RUNG, unordered::prepare),
        (lookback::LOOKBACK, lookback::selected),
        (lookback::STAGED, lookback::selected),
        (warp_specialized::RUNG, warp_specialized::prepare),
        (read_back::RUNG, read_back::prepare),
        (lookback::PARTITION, lookback::partition),
        (rows::RUNG, rows::prepare),
    ]
}
