//! Segmented scan: arrays that lie one after another, each processed by itself.
//!
//! Here stands the table of rungs, in four groups: conversions between the two ways to describe segments,
//! scans, reductions, and the product of a sparse matrix and a vector, whose rows are segments. A rung is a
//! file, `rungs/<name>.rs`, which launches the kernel in `kernels/<name>.cu`; each rung is the one before
//! with one idea changed. [`problem`] holds the buffers and the judge of each group, [`mod@reference`] the expected
//! results. [`task`] says which group a case belongs to, [`parameters`] what their values mean, [`segments`] where its
//! segments begin, and [`pairs`] is the second level of the scans that have several launches.

mod baseline;
pub mod broken;
pub mod chapter;
pub mod market;
pub mod pairs;
mod measure;
pub mod parameters;
pub mod problem;
mod recorded;
pub mod reference;
pub mod segments;
pub mod sparse;
pub mod task;

use harness::{Element, Ladder, ladder};
pub use parameters::{Conversion, Matrix, Segments};
use problem::{Product, SegmentedReduce, SegmentedScan, ToFlags, ToOffsets};
use rungs::*;
pub use task::Task;

/// A case of this chapter.
pub type Case = harness::Case<Task>;

/// A rung of this chapter.
pub type Rung = harness::Rung<Task>;

/// The rungs, one file each.
pub mod rungs {
    // Conversions from offsets to head flags, and back.
    pub mod flags_of_offsets;
    pub mod bits_of_offsets;
    pub mod bits_tiled;
    pub mod offsets_of_flags;
    pub mod offsets_of_bits;
    pub mod offsets_single_pass;

    // Scans. From hillis_steele on, work is divided by elements, whatever the segments are.
    pub mod thread_per_segment;
    pub mod block_per_segment;
    pub mod hillis_steele;
    pub mod shuffle;
    pub mod vectorized;
    pub mod lookback;
    pub mod warp_specialized;
    pub mod small_tiles;

    // Reductions.
    pub mod reduce_thread_per_segment;
    pub mod reduce_warp_per_segment;
    pub mod reduce_lanes_per_segment;
    pub mod reduce_block_per_segment;
    pub mod reduce_merge_path;
    pub mod reduce_by_length;
    pub mod reduce_one_length;

    // Products of a sparse matrix and a vector.
    pub mod spmv_thread_per_row;
    pub mod spmv_warp_per_row;
    pub mod spmv_lanes_per_row;
    pub mod spmv_merge_path;
    pub mod spmv_tiles;
}

/// The conversions from offsets to head flags.
pub fn to_flags() -> Ladder<ToFlags> {
    ladder![flags_of_offsets, bits_of_offsets, bits_tiled]
}

/// The conversions from head flags to offsets.
pub fn to_offsets() -> Ladder<ToOffsets> {
    ladder![offsets_of_flags, offsets_of_bits, offsets_single_pass]
}

/// The segmented scans.
pub fn scans<T: Element>() -> Ladder<SegmentedScan<T>> {
    ladder![
        thread_per_segment,
        block_per_segment,
        hillis_steele,
        shuffle,
        vectorized,
        lookback,
        warp_specialized,
        small_tiles,
    ]
}

/// The segmented reductions.
pub fn reductions<T: Element>() -> Ladder<SegmentedReduce<T>> {
    ladder![
        reduce_thread_per_segment,
        reduce_warp_per_segment,
        reduce_lanes_per_segment,
        reduce_block_per_segment,
        reduce_merge_path,
        reduce_by_length,
        reduce_one_length,
    ]
}

/// The products of a sparse matrix and a vector.
pub fn products() -> Ladder<Product> {
    ladder![spmv_thread_per_row, spmv_warp_per_row, spmv_lanes_per_row, spmv_merge_path, spmv_tiles,]
}
