//! Cases, and what runs them.

use chapter_8_multi_gpu::{Case, DeviceParameters, Task, chapter::MultiGpu};
use harness::{Dtype, Op, Shape};
use report::Row;

/// The sum of `n` floats of each of some devices.
pub fn of(devices: usize, n: u64) -> Case {
    doing(Task::AllReduce, devices, n)
}

/// A task of some devices with arrays of `n` floats; of the transposition, a matrix of nearly `n` floats.
pub fn doing(task: Task, devices: usize, n: u64) -> Case {
    let rows = n.isqrt();
    let shape = match task {
        Task::Transpose => Shape::Matrix { rows, cols: n / rows.max(1) },
        _ => Shape::Vector { n },
    };
    let parameters = DeviceParameters::new(task, devices);
    Case { shape, ..Case::vector(n, Dtype::F32, Op::Sum) }.with(parameters)
}

/// Runs the correct rungs.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    testing::run(&MultiGpu, cases, &|rung, _| !rung.is_broken())
}
