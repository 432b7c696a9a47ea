//! Kernels that are shown because they are wrong.
//!
//! Each names the checks that detect its fault, and a test holds it to that. It is launched as the rung that it is a
//! broken version of.

use harness::{Dtype, Element, Ladder, Op, Shape, broken};

use crate::{
    Case, DeviceParameters, Rung, Task,
    problem::{Collective, MAX_DEVICES, SpreadScan},
    rungs::{flags, low_latency, push, scans, transpositions},
    task,
};

/// The broken rungs, each with its launch.
pub fn broken() -> Ladder<Collective> {
    vec![
        (GPU_SCOPE, flags::flags),
        (MISSING_RELEASE, push::push),
        (REUSED_SLOT, |p, rung| push::in_blocks(2, p, rung)),
        (EARLY_SUMS, push::reduce_scatter),
        (UNFINISHED_TILE, transpositions::tiles_of_32),
        (COUNTED_BY_HOST, |p, rung| {
            let mut epoch = 0_u32;
            let count = move |d| {
                epoch += u32::from(d == 0);
                epoch
            };
            low_latency::counted(p, rung, count)
        }),
    ]
}

/// The broken scans.
pub fn broken_scans<T: Element<Acc = T>>() -> Ladder<SpreadScan<T>> {
    vec![(LOOKBACK_GPU_SCOPE, scans::lookback), (CARRY_AND_FLAG, scans::sums_first)]
}

static GPU_SCOPE: Rung = broken!(
    "gpu_scope",
    "flags",
    [Races],
    "flags with the scope of one GPU, between threads of several"
)
.refuses(|_, case| Task::AllReduce.refusal(case));
static MISSING_RELEASE: Rung = broken!(
    "missing_release",
    "push",
    [Races],
    "a flag that is stored without a release: nothing orders the elements before it"
)
.refuses(|_, case| Task::AllReduce.refusal(case));
static REUSED_SLOT: Rung = broken!(
    "reused_slot",
    "push",
    [Races, Result],
    "one slot per block for all of its tiles: the next tile is sent before the slot has been read"
)
.refuses(|_, case| Task::AllReduce.refusal(case))
.adapts(several_tiles);
static EARLY_SUMS: Rung = broken!(
    "early_sums",
    "reduce_scatter_push",
    [Races, Result],
    "no meeting between stores and additions: elements are added that may not have arrived"
)
.refuses(|_, case| Task::ReduceScatter.refusal(case))
.adapts(|case| floats(Task::ReduceScatter, case));
static UNFINISHED_TILE: Rung = broken!(
    "unfinished_tile",
    "transpose_push",
    [Races, Result],
    "no barrier between the stores to the tile and the loads from it"
)
.refuses(|_, case| Task::Transpose.refusal(case))
.adapts(|case| floats(Task::Transpose, case));

static COUNTED_BY_HOST: Rung = broken!(
    "counted_by_host",
    "low_latency",
    [Replay],
    "the host counts the launches: a graph that replays one counts none"
)
.refuses(|_, case| Task::AllReduce.refusal(case));

/// A case in which each of two blocks has four tiles.
fn several_tiles(case: &Case) -> Case {
    let devices = case.task.devices.unwrap_or(MAX_DEVICES) as u64;
    Case { shape: Shape::Vector { n: case.elements().max(devices << 16) }, ..*case }
}

static LOOKBACK_GPU_SCOPE: Rung = broken!(
    "lookback_gpu_scope",
    "lookback_devices",
    [Races],
    "look-back over the tiles of several devices, with the scope of one"
)
.refuses(|_, case| Task::Scan.refusal(case))
.adapts(|case| floats(Task::Scan, case));
static CARRY_AND_FLAG: Rung = broken!(
    "carry_and_flag",
    "sums_first",
    [Races],
    "sums and their flags in two words, stored in no order"
)
.refuses(|_, case| Task::Scan.refusal(case))
.adapts(|case| floats(Task::Scan, case));

/// The task with floats.
fn floats(task: Task, case: &Case) -> Case {
    let case = task::doing(task, case);
    let task = DeviceParameters { bins: None, ..case.task };
    Case { task, dtype: Dtype::F32, op: Op::Sum, ..case }
}
