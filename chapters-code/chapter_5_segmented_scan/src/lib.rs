//! Segmented scan: many arrays one behind the other, each scanned by itself.
//!
//! Here stands the ladder, a line a rung: conversions between the two ways to say where segments are;
//! scans; folds of whole segments; and the product of a sparse matrix and a vector, whose rows are
//! segments. A rung is a kernel file of its own, `kernels/<rung>.cu`, compiled to PTX beside it; its
//! launch, in plain cudarc, is in [`convert`], [`by_segment`], [`levels`], [`single_pass`] or
//! [`merge_path`].
//!
//! Where an input's arrays lie behind one another, [`input`] knows.

mod baseline;
pub mod broken;
pub mod by_segment;
pub mod chapter;
pub mod convert;
pub mod input;
pub mod levels;
pub mod market;
pub mod merge_path;
pub mod reference;
pub mod segments;
pub mod single_pass;
pub mod sparse;

use cudarc::driver::CudaFunction;
pub use harness::rung::{Launch, Ready, Rung, Setup};
use harness::{Case, Conversion, Error, Kind, Parameters, rung, rung::Rungs};

use crate::{
    by_segment::{
        block_per_segment, multiply_thread_per_row, multiply_warp_per_row, thread_per_segment,
        warp_per_segment,
    },
    convert::{offsets_of_bits, offsets_of_flags, to_flags},
    levels::{HILLIS_STEELE, SHUFFLE, VECTORIZED, scan_then_add},
    merge_path::{multiply_merge_path, reduce_by_length, reduce_merge_path},
    single_pass::{lookback, warp_specialized},
};

/// The conversions from offsets to head flags.
#[rustfmt::skip] // a table
pub const TO_FLAGS: &[Rung] = &[
    rung!("flags_of_offsets", to_flags,
        "a byte an element: every segment stores its own"),
    rung!("bits_of_offsets", to_flags,
        "a bit an element: words are shared, so it takes atomics"),
];

/// The conversions from head flags to offsets.
#[rustfmt::skip] // a table
pub const TO_OFFSETS: &[Rung] = &[
    rung!("offsets_of_flags", offsets_of_flags,
        "of bytes: chapter 3's scan of them, and a scatter of places"),
    rung!("offsets_of_bits", offsets_of_bits,
        "of bits: words of 32 flags are counted, and blocks' counts scanned"),
];

/// The scans: each rung is the one before with one idea changed.
#[rustfmt::skip] // a table
pub const SCANS: &[Rung] = &[
    rung!("thread_per_segment", thread_per_segment,
        "every segment has a thread, which scans it in order"),
    rung!("block_per_segment", block_per_segment,
        "every segment has a block"),
    // Work is divided by elements, whatever the segments: what is scanned are pairs.
    rung!("hillis_steele", |s| scan_then_add(s, HILLIS_STEELE),
        "log2 B steps over pairs of a flag and a value"),
    rung!("shuffle", |s| scan_then_add(s, SHUFFLE),
        "warps scan in registers, with the flags from one ballot"),
    rung!("vectorized", |s| scan_then_add(s, VECTORIZED),
        "16 bytes a load, and flags as bits"),
    // One pass.
    rung!("lookback", lookback,
        "a block looks back as far as the last head"),
    rung!("warp_specialized", warp_specialized,
        "warps with roles, and tiles that wait in shared memory", ["warp_specialized.compute_90.ptx"]),
];

/// The segmented reductions.
#[rustfmt::skip] // a table
pub const REDUCTIONS: &[Rung] = &[
    rung!("reduce_thread_per_segment", thread_per_segment,
        "every segment has a thread, which folds it in order"),
    rung!("reduce_warp_per_segment", warp_per_segment,
        "every segment has a warp"),
    rung!("reduce_block_per_segment", block_per_segment,
        "every segment has a block"),
    rung!("reduce_merge_path", reduce_merge_path,
        "every warp has as many elements and ends of segments as any other"),
    rung!("reduce_by_length", reduce_by_length,
        "a block a segment where they are long and many, otherwise the merge path", ["reduce_merge_path.ptx"]),
];

/// The products of a sparse matrix and a vector.
#[rustfmt::skip] // a table
pub const PRODUCTS: &[Rung] = &[
    rung!("spmv_thread_per_row", multiply_thread_per_row,
        "every row of the matrix has a thread"),
    rung!("spmv_warp_per_row", multiply_warp_per_row,
        "every row has a warp"),
    rung!("spmv_merge_path", multiply_merge_path,
        "reduce_merge_path, whose elements are products"),
];

/// All rungs: the ladders, then the broken ones.
pub const RUNGS: Rungs = Rungs(&[
    TO_FLAGS,
    TO_OFFSETS,
    SCANS,
    REDUCTIONS,
    PRODUCTS,
    broken::BROKEN,
]);

/// What a case asks for, and a rung does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Where segments are, told in another way.
    Convert(Conversion),
    /// A scan of each segment.
    Scan(Kind),
    /// The fold of each segment.
    Reduce,
    /// A sparse matrix times a vector.
    Multiply,
}

impl Task {
    /// A product where the case has a matrix, otherwise a conversion where it has one, otherwise a scan
    /// where it has a kind.
    pub fn of(case: &Case) -> Self {
        let Parameters {
            matrix,
            convert,
            kind,
            ..
        } = case.parameters;
        match (matrix, convert, kind) {
            (Some(_), ..) => Self::Multiply,
            (_, Some(conversion), _) => Self::Convert(conversion),
            (.., Some(kind)) => Self::Scan(kind),
            _ => Self::Reduce,
        }
    }

    /// Whether a rung does it.
    pub fn is_of(self, rung: &str) -> bool {
        let among = |rungs: &[Rung]| rungs.iter().any(|other| other.name == rung);
        match self {
            Self::Convert(Conversion::ToFlags) => among(TO_FLAGS),
            Self::Convert(Conversion::ToOffsets) => among(TO_OFFSETS),
            Self::Scan(_) => among(SCANS) || among(broken::BROKEN),
            Self::Reduce => among(REDUCTIONS),
            Self::Multiply => among(PRODUCTS),
        }
    }
}

/// The name of a case's entry point, such as `inclusive_sum_f32`, `sum_f32`, `multiply_f32` or `to_flags`.
pub fn entry_name(case: &Case) -> String {
    let Case { op, dtype, .. } = case;
    match Task::of(case) {
        Task::Convert(conversion) => conversion.name().replace('-', "_"),
        Task::Scan(kind) => format!("{kind}_{op}_{dtype}"),
        Task::Reduce => format!("{op}_{dtype}"),
        Task::Multiply => format!("multiply_{dtype}"),
    }
}

/// The entry point of the rung's kernel file for its case.
fn kernel_of(s: &Setup<'_>) -> Result<CudaFunction, Error> {
    s.entry(&entry_name(&s.case))
}
