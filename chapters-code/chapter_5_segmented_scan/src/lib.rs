//! Segmented scan: arrays that lie one after another, each processed by itself.
//!
//! Here stands the table of rungs, in four groups: conversions between the two ways to describe segments,
//! scans, reductions, and the product of a sparse matrix and a vector, whose rows are segments. It names the function
//! that launches each rung's kernel, `kernels/<name>.cu`; each rung is the one before with one idea changed. Rungs that
//! are launched alike share a file. [`problem`] holds the buffers and the judge of each group, [`mod@reference`] the
//! expected results. [`task`] says which group a case belongs to, [`parameters`] what their values mean, [`segments`]
//! where its segments begin, and [`pairs`] is the second level of the scans that have several launches.

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

use harness::{Element, Ladder};
pub use parameters::{Conversion, Matrix, Segments};
use problem::{Product, SegmentedReduce, SegmentedScan, ToFlags, ToOffsets};
use rungs::*;
pub use task::Task;

/// A case of this chapter.
pub type Case = harness::Case<Task>;

/// A rung of this chapter.
pub type Rung = harness::Rung<Task>;

/// The rungs, those that are launched alike in one file.
pub mod rungs {
    // Conversions from offsets to head flags, and back.
    pub mod head_flags;
    pub mod offsets;

    // Scans. From `levels` on, work is divided by elements, whatever the segments are.
    pub mod scan_per_segment;
    pub mod levels;
    pub mod lookback;
    pub mod cooperative;

    // Reductions.
    pub mod reduce_per_segment;
    pub mod merge_path;
    pub mod reduce_by_length;
    pub mod reduce_one_length;

    // Products of a sparse matrix and a vector.
    pub mod spmv_per_row;
    pub mod spmv_tiles;
}

/// The conversions from offsets to head flags.
pub fn to_flags() -> Ladder<ToFlags> {
    vec![
        (head_flags::FLAGS_OF_OFFSETS, head_flags::flags_of_offsets),
        (head_flags::BITS_OF_OFFSETS, head_flags::bits_of_offsets),
        (head_flags::BITS_TILED, head_flags::bits_tiled),
    ]
}

/// The conversions from head flags to offsets.
pub fn to_offsets() -> Ladder<ToOffsets> {
    vec![
        (offsets::OF_FLAGS, offsets::of_flags),
        (offsets::OF_BITS, offsets::of_bits),
        (offsets::SINGLE_PASS, offsets::single_pass),
    ]
}

/// The segmented scans.
pub fn scans<T: Element>() -> Ladder<SegmentedScan<T>> {
    vec![
        (scan_per_segment::THREAD, scan_per_segment::thread),
        (scan_per_segment::BLOCK, scan_per_segment::block),
        (levels::HILLIS_STEELE, levels::hillis_steele),
        (levels::SHUFFLE, levels::shuffle),
        (levels::VECTORIZED, levels::vectorized),
        (lookback::RUNG, lookback::prepare),
        (cooperative::WARP_SPECIALIZED, cooperative::warp_specialized),
        (cooperative::SMALL_TILES, cooperative::small_tiles),
    ]
}

/// The segmented reductions.
pub fn reductions<T: Element>() -> Ladder<SegmentedReduce<T>> {
    vec![
        (reduce_per_segment::THREAD, reduce_per_segment::thread),
        (reduce_per_segment::WARP, reduce_per_segment::warp),
        (reduce_per_segment::LANES, reduce_per_segment::lanes),
        (reduce_per_segment::BLOCK, reduce_per_segment::block),
        (merge_path::REDUCE, merge_path::reduce),
        (reduce_by_length::RUNG, reduce_by_length::prepare),
        (reduce_one_length::RUNG, reduce_one_length::prepare),
    ]
}

/// The products of a sparse matrix and a vector.
pub fn products() -> Ladder<Product> {
    vec![
        (spmv_per_row::THREAD, spmv_per_row::thread),
        (spmv_per_row::WARP, spmv_per_row::warp),
        (spmv_per_row::LANES, spmv_per_row::lanes),
        (merge_path::MULTIPLY, merge_path::multiply),
        (spmv_tiles::RUNG, spmv_tiles::prepare),
    ]
}
