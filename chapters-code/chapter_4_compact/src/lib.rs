//! Compact: the elements of an array that a mask or a predicate selects, side by side.
//!
//! Here stands the table of rungs. A rung is a file, `rungs/<name>.rs`, which launches the kernel in
//! `kernels/<name>.cu`; each rung is the one before with one idea changed. [`problem`] holds the buffers and
//! the judge, [`inputs`] the masks, [`mod@reference`] the expected results.
//!
//! A kernel that selects by a mask moves bits, whatever they mean, so there is one per size of an element,
//! such as `mask_b32`. A kernel that selects by a predicate compares, and has a type, as `predicate_f32`.

mod baseline;
pub mod broken;
pub mod chapter;
pub mod inputs;
pub mod mask_file;
mod measure;
pub mod parameters;
pub mod problem;
mod recorded;
pub mod reference;

use harness::{Element, Ladder, ladder};
pub use parameters::{By, Density, Pattern, SelectionParameters};
use problem::Compaction;

/// A case of this chapter.
pub type Case = harness::Case<SelectionParameters>;

/// A rung of this chapter.
pub type Rung = harness::Rung<SelectionParameters>;

/// The rungs.
pub mod rungs {
    pub mod one_thread;

    // Several kernels, with chapter 3's scan between them.
    pub mod scan_then_scatter;
    pub mod ballot;

    // One kernel.
    pub mod unordered;
    pub mod lookback;
    pub mod staged;
    pub mod warp_specialized;
    pub mod read_back;

    // Siblings.
    pub mod partition;
    pub mod rows;
}

/// The rungs, in order.
pub fn ladder<T: Element>() -> Ladder<Compaction<T>> {
    use rungs::*;
    ladder![
        one_thread,
        scan_then_scatter,
        ballot,
        unordered,
        lookback,
        staged,
        warp_specialized,
        read_back,
        partition,
        rows,
    ]
}
