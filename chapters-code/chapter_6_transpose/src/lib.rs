//! Transpose: element (r, c) of a matrix goes to (c, r).
//!
//! Here stands the table of rungs. A rung is a file, `rungs/<name>.rs`, which launches the kernel in
//! `kernels/<name>.cu`; each rung is the one before with one idea changed. [`problem`] holds the buffers,
//! the inputs and the judge, [`layout`] the addresses of elements, [`mod@reference`] the expected results.
//!
//! Kernels move elements and compute nothing with them, so a kernel is compiled for a size of elements:
//! `transpose_4` moves elements of 4 bytes.

mod baseline;
mod batches;
pub mod broken;
pub mod chapter;
pub mod layout;
mod measure;
pub mod parameters;
pub mod problem;
mod recorded;
pub mod reference;

use harness::{Element, Ladder, ladder};
pub use parameters::MatrixParameters;
use problem::Matrices;

/// A case of this chapter.
pub type Case = harness::Case<MatrixParameters>;

/// A rung of this chapter.
pub type Rung = harness::Rung<MatrixParameters>;

/// The rungs.
pub mod rungs {
    pub mod by_rows;
    pub mod by_columns;
    pub mod tile;
    pub mod padded;
    pub mod swizzled;
    pub mod coarsened;
    pub mod diagonal;
    pub mod vectorized;
    pub mod column_major_tiles;
    pub mod sectors;

    // This rung exists for square matrices.
    pub mod in_place;
}

/// The rungs in order.
pub fn rungs<T: Element>() -> Ladder<Matrices<T>> {
    use rungs::*;
    ladder![
        by_rows,
        by_columns,
        tile,
        padded,
        swizzled,
        coarsened,
        diagonal,
        vectorized,
        column_major_tiles,
        sectors,
        in_place,
    ]
}
