//! What a recorded run has of this chapter: a recording of its own, on all devices and on two.

use harness::{Device, Dtype, Op, Shape};
use report::{Planned, Scope};

use crate::{Case, DeviceParameters, Task};

/// All-reduces over the sizes; then the other collectives, and arrays that are spread over the devices.
pub(crate) fn planned(scope: Scope) -> Vec<Planned<DeviceParameters>> {
    let sizes = match scope {
        // Small arrays, and those between which the choice by size changes.
        Scope::Full => {
            [28, 26, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 12, 10, 8].map(|k| 1 << k).into()
        }
        _ => scope.sizes(),
    };
    let of = |devices, n| planned_task(devices, Task::AllReduce, Shape::Vector { n });
    let all = Device::count();
    let mut planned: Vec<_> = sizes.into_iter().map(|n| of(all, n)).collect();
    if all > 2 {
        planned.extend([28, 24, 20, 16, 12, 8].map(|k| of(2, 1 << k)));
    }
    planned.extend(collectives(scope, all));
    planned.extend(spread(scope, all));
    planned
}

fn planned_task(devices: usize, task: Task, shape: Shape) -> Planned<DeviceParameters> {
    let parameters = DeviceParameters::new(task, devices);
    let case = Case { shape, ..Case::vector(1, Dtype::F32, Op::Sum).with(parameters) };
    Planned { is_of_several: true, ..Planned::all(case) }
}

/// The other collectives, on all devices.
fn collectives(scope: Scope, devices: usize) -> Vec<Planned<DeviceParameters>> {
    let logs: &[u32] = if scope == Scope::Full { &[28, 24, 20, 16, 12, 8] } else { &[16] };
    let vectors = [Task::ReduceScatter, Task::AllGather, Task::AllToAll].into_iter();
    let vectors =
        vectors.flat_map(|task| logs.iter().map(move |&k| (task, Shape::Vector { n: 1 << k })));
    let side = |k: u32| Shape::Matrix { rows: 1 << (k / 2), cols: 1 << (k / 2) };
    let matrices = logs.iter().map(|&k| (Task::Transpose, side(k)));
    vectors.chain(matrices).map(|(task, shape)| planned_task(devices, task, shape)).collect()
}

/// Arrays that are spread over all devices.
fn spread(scope: Scope, devices: usize) -> Vec<Planned<DeviceParameters>> {
    let sizes = match scope {
        Scope::Full => [30, 28, 26, 24, 22, 20, 16, 12].map(|k| 1 << k).into(),
        _ => scope.sizes(),
    };
    let of = |task, n| planned_task(devices, task, Shape::Vector { n });
    let tasks = [Task::Reduce, Task::Histogram, Task::Scan, Task::Compact];
    tasks.into_iter().flat_map(|task| sizes.iter().map(move |&n| of(task, n))).collect()
}
