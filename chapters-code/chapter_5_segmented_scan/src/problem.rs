//! What the rungs solve: for each group of rungs the buffers on the device, the inputs and the judge.

pub mod reduce;
pub mod scan;
pub mod spmv;
pub mod to_flags;
pub mod to_offsets;

use harness::{Case, ChapterParameters, Error, Op, Refusal, Rung, Shape};

use crate::{
    Matrix, SegmentParameters, Segments,
    segments::{self, Offsets, SegmentsError},
    task::{Task, entry_name},
};

/// One of the two ways to store head flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// One byte per element.
    Bytes,
    /// One bit per element, in words of 32.
    Bits,
}

/// The segments of a case.
///
/// # Errors
/// [`Error::Usage`] where there are more elements than offsets of 32 bits reach.
pub fn division(case: &Case) -> Result<Offsets, Error> {
    segments::of_case(case).map_err(too_many)
}

/// The error for segments that cannot be made.
pub(crate) fn too_many(error: SegmentsError) -> Error {
    Error::Usage(format!("{error}\n  remedy: give -n, up to 4294901760"))
}

/// Checks that another case has as many segments as the buffers were made for.
///
/// # Errors
/// [`Error::Usage`] where it has more or fewer.
pub(crate) fn same_count(own: &Offsets, other: &Offsets) -> Result<(), Error> {
    match (own.count(), other.count()) {
        (own, other) if own == other => Ok(()),
        (own, other) => Err(Error::Usage(format!(
            "the buffers are for {own} segments, and the case has {other}\n  remedy: choose cases with one \
             number of segments"
        ))),
    }
}

/// Refuses matrices of elements, other tasks, and what the rung has no kernel for.
pub fn refuses(rung: &Rung, case: &Case, is_own: fn(Task) -> bool) -> Option<Refusal> {
    let task = Task::of(case);
    let has_operator = !matches!(task, Task::Multiply(_)) || case.op == Op::Sum;
    match case.shape {
        Shape::Matrix { .. } => Some(Refusal::wants_vector()),
        Shape::Vector { .. } if !is_own(task) => {
            Some(Refusal::because("does something else; see --list"))
        }
        Shape::Vector { .. } => {
            (!rung.has_entry(&entry_name(case)) || !has_operator).then_some(Refusal::NoKernel)
        }
    }
}

/// Refuses segments, or rows, of more than `most` elements, which one thread or block would take too long
/// for.
pub fn too_long(case: &Case, most: u64) -> Option<Refusal> {
    let n = case.elements();
    let SegmentParameters { matrix, segments, .. } = SegmentParameters::of(case);
    let longest = match (matrix, segments) {
        (Some(Matrix::LongRow | Matrix::File), _) => n - n / 2,
        (Some(Matrix::PowerLaw), _) => segments::longest(Segments::PowerLaw, n),
        (Some(Matrix::Banded), _) => 0,
        (None, segments) => segments::longest(segments.unwrap_or(Segments::Of(64)), n),
    };
    (longest > most).then(|| {
        Refusal::LeftOut(
            format!("is left out of segments longer than {most} elements, where it takes long")
                .into(),
        )
    })
}
