//! What the rungs of each task solve: the buffers on all devices, the expected result, and the judge.

use std::borrow::Cow;

use harness::{Case, Dtype, Memory, Op, Refusal, Rung, Shape};

use crate::{Task, task};

pub mod collective;
pub mod compact;
pub mod devices;
pub mod histogram;
pub mod scan;
pub mod spread;
pub mod sum;

pub use collective::{Collective, matrix};
pub use devices::{Addresses, Devices, MOST, Shared};

/// What lies on the devices, one array on each.
pub(crate) fn memory<M: Memory>(arrays: &mut [M]) -> impl Iterator<Item = &mut dyn Memory> {
    arrays.iter_mut().map(|array| array as _)
}

/// Refuses cases of other tasks than `task`, matrices where the task is for vectors, vectors where it is for matrices, and
/// all operators but the sum of f32.
pub fn refuses(_rung: &Rung, case: &Case, task: Task) -> Option<Refusal> {
    if task::of(case) != task {
        let reason = format!("is for the task {task}: give --task {task}");
        return Some(Refusal::Unsuited(Cow::Owned(reason)));
    }
    match (case.shape, task.is_for_matrices()) {
        (Shape::Vector { .. }, true) => Some(Refusal::wants_matrix()),
        (Shape::Matrix { .. }, false) => Some(Refusal::wants_vector()),
        _ => (case.op != Op::Sum || case.dtype != Dtype::F32).then_some(Refusal::NoKernel),
    }
}
