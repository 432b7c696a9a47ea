//! Reduce: n elements become one, by an associative operator.
//!
//! Here stands the table of rungs. A rung is a file, `rungs/<name>.rs`, which launches the kernel in
//! `kernels/<name>.cu`; each rung is the one before with one idea changed. [`problem`] holds the buffers,
//! the inputs and the judge, [`mod@reference`] the expected results.

mod baseline;
pub mod broken;
pub mod chapter;
mod measure;
mod passes;
pub mod problem;
mod recorded;
pub mod reference;

use harness::{Element, Ladder, ladder};
use problem::{MatrixReduction, Reduction};

/// The rungs that reduce a vector.
pub mod rungs {
    pub mod one_thread;
    pub mod interleaved_modulo;
    pub mod interleaved_mask;
    pub mod interleaved_strided;
    pub mod sequential;
    pub mod first_add;
    pub mod unrolled_warp;
    pub mod unrolled;
    pub mod grid_stride;
    pub mod shuffle;
    pub mod block_reduce;
    pub mod vectorized;
    pub mod single_pass_tiled;

    // Three ways to combine the results of blocks, all after the kernel of block_reduce.
    pub mod finish_second_kernel;
    pub mod finish_atomic;
    pub mod finish_last_block;

    // This rung exists for 32-bit integers.
    pub mod redux;

    // Rows and columns of a matrix.
    pub mod rows_thread;
    pub mod rows_warp;
    pub mod rows_block;
    pub mod rows_coarsened;
    pub mod columns_thread;
    pub mod columns_block;
    pub mod columns_coarsened;
}

/// The rungs for vectors, in order.
pub fn vectors<T: Element>() -> Ladder<Reduction<T>> {
    use rungs::*;
    ladder![
        one_thread,
        interleaved_modulo,
        interleaved_mask,
        interleaved_strided,
        sequential,
        first_add,
        unrolled_warp,
        unrolled,
        grid_stride,
        shuffle,
        block_reduce,
        vectorized,
        single_pass_tiled,
        finish_second_kernel,
        finish_atomic,
        finish_last_block,
        redux,
    ]
}

/// The rungs for matrices.
pub fn matrices() -> Ladder<MatrixReduction> {
    use rungs::*;
    ladder![
        rows_thread,
        rows_warp,
        rows_block,
        rows_coarsened,
        columns_thread,
        columns_block,
        columns_coarsened,
    ]
}
