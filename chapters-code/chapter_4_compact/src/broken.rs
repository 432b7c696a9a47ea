//! Kernels that are shown because they are wrong, as published code really was.
//!
//! Each names the checks that detect its fault, and a test holds it to that. Most are launched as the rung
//! that they are a broken version of.

use cudarc::driver::PushKernelArg;
use cudarc::nvrtc::Ptx;
use harness::{Dtype, Element, Kind, Ladder, Launch, Op, Prepared, kernel::grid};

use crate::{
    By, Case, Pattern, Rung, SelectionParameters,
    problem::{Compaction, Order, small_indices, vectors_only},
    rungs::{lookback, scan_then_scatter, unordered},
};

/// The broken rungs, each with its launch.
pub fn broken<T: Element>() -> Ladder<Compaction<T>> {
    vec![
        (INCLUSIVE_INDEX, |p, rung| scan_then_scatter::with_scan(Kind::Inclusive, p, rung)),
        (FLAG_COUNTED_TWICE, |p, rung| scan_then_scatter::with_scan(Kind::Inclusive, p, rung)),
        (MASK_NOT_NORMALIZED, unordered::prepare),
        (ACTIVE_LANES, unordered::prepare),
        (MISSING_BARRIER, lookback::selected),
        (LAST_TILE_ONLY, lookback::selected),
        (NO_CAPACITY, no_capacity),
    ]
}

macro_rules! broken {
    ($($rung:tt)*) => {
        harness::broken!($($rung)*).refuses(vectors_only).adapts(random_f32)
    };
}

static INCLUSIVE_INDEX: Rung = broken!(
    "inclusive_index",
    "scan_then_scatter",
    scan_then_scatter::RUNG.ptx,
    [Result],
    "the inclusive scan of the flags as indices: all one too large"
)
.refuses(small_indices);
/// A mask that alternates hides the fault.
pub static FLAG_COUNTED_TWICE: Rung = broken!(
    "flag_counted_twice",
    "scan_then_scatter",
    [Result],
    "an exclusive scan made from the inclusive one by adding a flag instead of subtracting it"
)
.refuses(small_indices);
static MASK_NOT_NORMALIZED: Rung = broken!(
    "mask_not_normalized",
    "unordered",
    [Result],
    "the bytes of a mask added up, as if every byte but 0 were 1"
);
static ACTIVE_LANES: Rung = broken!(
    "active_lanes",
    "unordered",
    [Races, Result],
    "ranks among __activemask(), taken in two branches"
);
static MISSING_BARRIER: Rung = broken!(
    "missing_barrier",
    "staged",
    [Races, Result],
    "selected elements read from shared memory before all are there"
);
/// One tile hides the fault.
pub static LAST_TILE_ONLY: Rung = broken!(
    "last_tile_only",
    "staged",
    [Result],
    "the count of the last tile, instead of the count of all tiles"
);
/// After its fault the driver takes no more work from the process.
pub static NO_CAPACITY: Rung = broken!(
    "no_capacity",
    "unordered",
    [Guard, Fault],
    "selected elements are written, whether there is room or not"
);

/// A random part of `f32` in several blocks, by a mask: that brings out all faults.
fn random_f32(case: &Case) -> Case {
    Case {
        seed: case.seed,
        block: case.block,
        ..Case::vector(case.elements().max(20_000) | 1, Dtype::F32, Op::Sum)
    }
    .with(SelectionParameters::new(By::Mask, case.task.density, Pattern::Random))
}

/// The number of elements for which the output of `no_capacity` has no room: they fit into a guard zone.
const LACKING: u64 = 100;

/// Launched as `unordered`. Its output is the end of the buffer, with too little room.
fn no_capacity<T: Element>(p: &Compaction<T>, rung: &Rung) -> Prepared<Compaction<T>> {
    let module = p.device.context.load_module(Ptx::from_src(rung.ptx))?;
    let kernel = module.load_function(&p.entry())?;
    let config = grid(p.n.div_ceil(256), 256);
    Ok(Launch::new(kernel.clone(), config, Order::Any, move |p: &mut Compaction<T>| {
        let room = p.selected_count().saturating_sub(LACKING);
        let (mut out, mut count) = (p.out.view_mut(), p.count.view_mut());
        let mut out = out.slice_mut((p.capacity - room) as usize..);
        p.device.stream.memset_zeros(&mut count)?;
        let mut launch = p.device.stream.launch_builder(&kernel);
        launch.arg(&p.values).arg(&mut out).arg(&p.n).arg(&room);
        launch.arg(&mut count).arg(&p.mask).arg(&p.pivot);
        // SAFETY: no_capacity.cu has the arguments of unordered.cu. It writes up to 100 elements behind the
        // output: on a GPU into the guard zone, and the simulator stops it.
        unsafe { launch.launch(config) }.map(drop)
    }))
}
