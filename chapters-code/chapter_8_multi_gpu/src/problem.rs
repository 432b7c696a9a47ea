//! What the rungs of each task solve: the buffers on all devices, the expected result, and the judge.

use std::borrow::Cow;

use harness::{Case, Dtype, Op, Refusal, Rung, Shape};

use crate::{Task, task};

pub mod all_reduce;
pub mod compact;
pub mod devices;
pub mod histogram;
pub mod scan;
pub mod spread;
pub mod sum;

pub use all_reduce::AllReduce;
pub use devices::{Addresses, Devices, MOST, Shared, join_all};

/// Refuses cases of other tasks than `task`, matrices, and operators other than the sum of f32.
pub fn refuses(_rung: &Rung, case: &Case, task: Task) -> Option<Refusal> {
    if task::of(case) != task {
        let reason = format!("is for the task {task}: give --task {task}");
        return Some(Refusal::Unsuited(Cow::Owned(reason)));
    }
    match case.shape {
        Shape::Matrix { .. } => Some(Refusal::wants_vector()),
        Shape::Vector { .. } => {
            (case.op != Op::Sum || case.dtype != Dtype::F32).then_some(Refusal::NoKernel)
        }
    }
}
