//! Kernels that are shown because they are wrong, as published code really was.
//!
//! Each names the checks that detect its fault, and a test holds it to that. Most are launched as the rung
//! that they are a broken version of.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Dtype, Ladder, Launch, Op, Prepared, broken, kernel::grid, ptx};

use crate::{
    Case, Order, Rung, Task,
    problem::{
        Accesses, Promise, Results, copies_only, offsets_only, particles_only, permutations_only,
    },
    rungs::{copies, permutations, shifts, updates},
};

/// The broken rungs, each with its launch. The last one stops the device.
pub fn broken() -> Ladder<Accesses> {
    vec![
        (STAGED_WITHOUT_BARRIER, updates::aos_staged),
        (SCATTER_REPEATS, permutations::scatter),
        (TAIL_DROPPED, copies::packs),
        (LAST_LANE, shifts::shuffled),
        (IN_PLACE_SHIFT, in_place_shift),
        (MISALIGNED_PACKS, shifts::two_packs),
    ]
}

static TAIL_DROPPED: Rung = broken!(
    "tail_dropped",
    "packs",
    [Result],
    "whole packs and nothing else, which is right for multiples of four"
)
.refuses(copies_only)
.adapts(|case| enlarged(case, 3, Task::Copy));
static LAST_LANE: Rung = broken!(
    "last_lane",
    "shuffled",
    [Result],
    "the last lane of a warp shuffles, too, and gets its own pack"
)
.refuses(offsets_only)
.adapts(|case| enlarged(case, 0, Task::Offset(1)));
static IN_PLACE_SHIFT: Rung = broken!(
    "in_place_shift",
    "offset_loads",
    [Races, Result],
    "a shifted copy of an array onto itself"
)
.refuses(offsets_only)
.adapts(|case| enlarged(case, 0, Task::Offset(1)));
static STAGED_WITHOUT_BARRIER: Rung = broken!(
    "staged_without_barrier",
    "aos_staged",
    [Races, Result],
    "no barrier between filling the tile and reading it"
)
.refuses(particles_only)
.adapts(|case| enlarged(case, 0, Task::Particles));
static SCATTER_REPEATS: Rung = broken!(
    "scatter_repeats",
    "scatter",
    ptx!("kernels/scatter.ptx"),
    [Races, Result],
    "a scatter whose indices repeat: the last store stays, and its order is open"
)
.refuses(permutations_only)
.adapts(|case| enlarged(case, 0, Task::Gather(Order::Random)));
static MISALIGNED_PACKS: Rung =
    broken!("misaligned_packs", "two_packs", [Fault], "packs that are cast to begin at the offset")
        .refuses(offsets_only)
        .adapts(|case| enlarged(case, 0, Task::Offset(1)));

/// A case of several blocks, of about the size that was asked for, with the task that brings out a
/// fault. A case that asks for another kind of task stays as it is, for the rung is refused there.
fn enlarged(case: &Case, more: u64, task: Task) -> Case {
    if !case.task.is_like(task) {
        return *case;
    }
    let n = case.elements().max(4096) / 4096 * 4096 + more;
    Case { seed: case.seed, task, ..Case::vector(n, Dtype::F32, Op::Sum) }
}

/// Accesses the input, and launches the kernel on the copy with one thread per element.
fn in_place_shift(p: &Accesses, rung: &Rung) -> Prepared<Accesses> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function("in_place_shift")?;
    let config = grid(p.n.div_ceil(256).max(1), 256);
    let promise = Promise { result: Results::InPlace, traffic: shifts::traffic_of_offset_loads };
    Ok(Launch::new(kernel.clone(), config, promise, move |p: &mut Accesses| {
        let mut data = p.spread.view_mut();
        p.device.stream.memcpy_dtod(&*p.input, &mut data)?;
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&mut data).arg(&p.n).arg(&p.offset);
        // SAFETY: in_place_shift.cu is `(float* data, size_t n, size_t offset)`. It reads and writes within
        // data[0 .. n + offset]. Which elements it reads depends on the order of the threads, and the judge
        // expects a wrong result.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
