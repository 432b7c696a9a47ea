//! What a case asks for: a conversion, a scan, a reduction or a product.

use crate::{Conversion, Matrix, SegmentParameters};
use harness::{Case, ChapterParameters, Kind};

/// What a case asks for, and a rung does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// To describe the segments in another way.
    Convert(Conversion),
    /// To scan every segment.
    Scan(Kind),
    /// To reduce every segment.
    Reduce,
    /// To multiply a sparse matrix by a vector.
    Multiply(Matrix),
}

impl Task {
    /// The task of a case: a product where the case has a matrix, otherwise a conversion where it has one,
    /// otherwise a scan where it has a kind, otherwise a reduction.
    pub fn of(case: &Case) -> Self {
        let SegmentParameters { matrix, convert, kind, .. } = SegmentParameters::of(case);
        match (matrix, convert, kind) {
            (Some(matrix), ..) => Self::Multiply(matrix),
            (_, Some(conversion), _) => Self::Convert(conversion),
            (.., Some(kind)) => Self::Scan(kind),
            _ => Self::Reduce,
        }
    }
}

/// The name of the kernel for a case, such as `inclusive_sum_f32`, `sum_f32`, `multiply_f32` or `to_flags`.
pub fn entry_name(case: &Case) -> String {
    let Case { op, dtype, .. } = case;
    match Task::of(case) {
        Task::Convert(Conversion::ToFlags) => "to_flags".into(),
        Task::Convert(Conversion::ToOffsets) => "to_offsets".into(),
        Task::Scan(kind) => format!("{kind}_{op}_{dtype}"),
        Task::Reduce => format!("{op}_{dtype}"),
        Task::Multiply(_) => format!("multiply_{dtype}"),
    }
}
