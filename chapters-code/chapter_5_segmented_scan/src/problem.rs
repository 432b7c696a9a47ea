//! What the rungs solve: for each group of rungs the buffers on the device, the inputs and the judge.

pub(crate) mod reduce;
pub(crate) mod scan;
pub(crate) mod spmv;
pub(crate) mod to_flags;
pub(crate) mod to_offsets;

pub use reduce::{Reduced, SegmentedReduce};
pub use scan::SegmentedScan;
pub use spmv::Product;
pub use to_flags::ToFlags;
pub use to_offsets::ToOffsets;

use harness::{Error, Op, Refusal, Shape};

use crate::{
    Case, Conversion, Matrix, Rung, Segments, Task,
    segments::{self, Offsets},
    task::entry_name,
};

/// One of the two ways to store head flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// One byte per element.
    Bytes,
    /// One bit per element, in words of 32.
    Bits,
}

impl Form {
    /// Bytes of the flags of `n` elements.
    pub fn bytes(self, n: u64) -> u64 {
        match self {
            Self::Bytes => n,
            Self::Bits => 4 * n.div_ceil(32),
        }
    }
}

/// The segments of another case, as many as the buffers were made for.
///
/// # Errors
/// [`Error::Usage`] if the case has more or fewer.
pub(crate) fn as_many(own: &Offsets, other: Offsets) -> Result<Offsets, Error> {
    match (own.count(), other.count()) {
        (own, count) if own == count => Ok(other),
        (own, count) => Err(Error::Usage(format!(
            "the buffers are for {own} segments, and the case has {count}\n  remedy: choose cases with one \
             number of segments"
        ))),
    }
}

/// Refuses all that is no conversion to head flags.
pub fn to_flags_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    unsuited(matches!(case.task, Task::Convert(Conversion::ToFlags, _)), rung, case)
}

/// Refuses all that is no conversion to offsets.
pub fn to_offsets_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    unsuited(matches!(case.task, Task::Convert(Conversion::ToOffsets, _)), rung, case)
}

/// Refuses all that is no segmented scan.
pub fn scans_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    unsuited(matches!(case.task, Task::Scan(..)), rung, case)
}

/// Refuses all that is no segmented reduction.
pub fn reductions_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    unsuited(matches!(case.task, Task::Reduce(_)), rung, case)
}

/// Refuses all that is no product.
pub fn products_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    unsuited(matches!(case.task, Task::Multiply(_)), rung, case)
}

/// Refuses matrices of elements, tasks that are not the rung's own, and what the rung has no kernel for.
fn unsuited(is_own: bool, rung: &Rung, case: &Case) -> Option<Refusal> {
    let has_operator = !matches!(case.task, Task::Multiply(_)) || case.op == Op::Sum;
    match case.shape {
        Shape::Matrix { .. } => Some(Refusal::wants_vector()),
        Shape::Vector { .. } if !is_own => Some(Refusal::another_task()),
        Shape::Vector { .. } => {
            (!rung.has_entry(&entry_name(case)) || !has_operator).then_some(Refusal::NoKernel)
        }
    }
}

/// Leaves out segments, or rows, of more than `most` elements, which one thread or block would take too long for.
pub fn longer_than(most: u64, case: &Case) -> Option<Refusal> {
    let n = case.elements();
    let longest = match case.task {
        Task::Multiply(Matrix::LongRow | Matrix::File) => n - n / 2,
        Task::Multiply(Matrix::PowerLaw) => segments::longest(Segments::PowerLaw, n),
        Task::Multiply(Matrix::Banded) => 0,
        task => segments::longest(task.segments(), n),
    };
    let left_out = || {
        let why = "is left out of segments longer than";
        Refusal::LeftOut(format!("{why} {most} elements, where it takes long").into())
    };
    (longest > most).then(left_out)
}
