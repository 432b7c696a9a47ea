//! Reduce: n elements become one, by an associative operator.
//!
//! Here stands the table of rungs, each with the function that launches its kernel, `kernels/<name>.cu`; each rung is
//! the one before with one idea changed. Rungs that are launched alike share a file. [`problem`] holds the buffers, the
//! inputs and the judge, [`mod@reference`] the expected results.

pub mod broken;
pub mod chapter;
mod measure;
mod passes;
pub mod problem;
mod recorded;
pub mod reference;

use harness::{Element, Ladder};
use problem::{MatrixReduction, Reduction};

/// The rungs, those that are launched alike in one file.
pub mod rungs {
    // Vectors.
    pub mod one_thread;
    pub mod interleaved;
    pub mod sequential;
    pub mod first_add;
    pub mod grid_stride;
    pub mod vectorized;
    pub mod last_block;
    pub mod finish_second_kernel;
    pub mod finish_atomic;

    // Rows and columns of a matrix.
    pub mod matrices;
}

/// The rungs for vectors, in order. Three of them, all after the kernel of `block_reduce`, are ways to combine the
/// results of blocks. The last one is for 32-bit integers.
pub fn vectors<T: Element>() -> Ladder<Reduction<T>> {
    use rungs::*;
    vec![
        (one_thread::RUNG, one_thread::prepare),
        (interleaved::MODULO, sequential::prepare),
        (interleaved::MASK, sequential::prepare),
        (interleaved::STRIDED, sequential::prepare),
        (sequential::RUNG, sequential::prepare),
        (first_add::FIRST_ADD, first_add::prepare),
        (first_add::UNROLLED_WARP, first_add::prepare),
        (first_add::UNROLLED, first_add::unrolled),
        (grid_stride::GRID_STRIDE, grid_stride::grid_stride),
        (grid_stride::SHUFFLE, grid_stride::shuffle),
        (grid_stride::BLOCK_REDUCE, grid_stride::block_reduce),
        (vectorized::RUNG, vectorized::prepare),
        (last_block::SINGLE_PASS_TILED, last_block::single_pass_tiled),
        (finish_second_kernel::RUNG, finish_second_kernel::prepare),
        (finish_atomic::RUNG, finish_atomic::prepare),
        (last_block::FINISH_LAST_BLOCK, last_block::finish_last_block),
        (grid_stride::REDUX, grid_stride::block_reduce),
    ]
}

/// The rungs for matrices, in order.
pub fn matrices() -> Ladder<MatrixReduction> {
    use rungs::*;
    vec![
        (matrices::ROWS_THREAD, matrices::rows_thread),
        (matrices::ROWS_WARP, matrices::rows_warp),
        (matrices::ROWS_BLOCK, matrices::rows_block),
        (matrices::ROWS_COARSENED, matrices::rows_coarsened),
        (matrices::COLUMNS_THREAD, matrices::columns_thread),
        (matrices::COLUMNS_BLOCK, matrices::columns_block),
        (matrices::COLUMNS_COARSENED, matrices::columns_coarsened),
    ]
}
