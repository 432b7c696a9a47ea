//! Cases, and what runs them.

use chapter_8_multi_gpu::{DeviceParameters, chapter::MultiGpu};
use harness::{Case, Dtype, Op};
use report::{Row, testing};

/// The sum of `n` floats of each of some devices.
pub fn of(devices: usize, n: u64) -> Case {
    let parameters = DeviceParameters { devices: Some(devices), ..Default::default() }.into();
    Case { parameters, ..Case::vector(n, Dtype::F32, Op::Sum) }
}

/// Runs the correct rungs.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    testing::run(&MultiGpu, cases, &|rung, _| !rung.is_broken())
}
