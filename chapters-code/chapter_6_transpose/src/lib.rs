//! Transpose: element (r, c) of a matrix goes to (c, r).
//!
//! Here stands the table of rungs, each with the function that launches its kernel, `kernels/<name>.cu`; each rung is
//! the one before with one idea changed. Rungs that are launched alike share a file. [`problem`] holds the buffers, the
//! inputs and the judge, [`layout`] the addresses of elements, [`mod@reference`] the expected results.
//!
//! Kernels move elements and compute nothing with them, so a kernel is compiled for a size of elements:
//! `transpose_4` moves elements of 4 bytes.

mod batches;
pub mod broken;
pub mod chapter;
pub mod layout;
mod measure;
pub mod parameters;
pub mod problem;
mod recorded;
pub mod reference;

use harness::{Element, Ladder};
pub use parameters::MatrixParameters;
use problem::Matrices;

/// A case of this chapter.
pub type Case = harness::Case<MatrixParameters>;

/// A rung of this chapter.
pub type Rung = harness::Rung<MatrixParameters>;

/// The rungs, those that are launched alike in one file.
pub mod rungs {
    pub mod tiles;
    pub mod packs;
    pub mod sectors;
    pub mod in_place;
}

/// The rungs in order. The last one is for square matrices.
pub fn rungs<T: Element>() -> Ladder<Matrices<T>> {
    use rungs::*;
    vec![
        (tiles::BY_ROWS, tiles::one_per_thread),
        (tiles::BY_COLUMNS, tiles::one_per_thread),
        (tiles::TILE, tiles::one_per_thread),
        (tiles::PADDED, tiles::one_per_thread),
        (tiles::SWIZZLED, tiles::one_per_thread),
        (tiles::COARSENED, tiles::four_per_thread),
        (tiles::FOUR_LOADS, tiles::four_per_thread),
        (tiles::DIAGONAL, tiles::four_per_thread),
        (packs::VECTORIZED, packs::prepare),
        (packs::COLUMN_MAJOR_TILES, packs::prepare),
        (sectors::RUNG, sectors::prepare),
        (in_place::RUNG, in_place::prepare),
    ]
}
