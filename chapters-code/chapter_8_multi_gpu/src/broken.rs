//! Kernels that are shown because they are wrong.
//!
//! Each names the checks that detect its fault, and a test holds it to that. It is launched as the rung that it is a
//! broken version of.

use harness::{Case, ChapterParameters, Ladder, Rung, Shape, ptx, verify::Checker};

use crate::{
    DeviceParameters,
    problem::{AllReduce, MOST, vectors_only},
    rungs::{flags, push},
};

/// The broken rungs, each with its launch.
pub fn broken() -> Ladder<AllReduce> {
    vec![
        (GPU_SCOPE, flags::prepare),
        (MISSING_RELEASE, push::prepare),
        (REUSED_SLOT, |p, rung| push::in_blocks(2, p, rung)),
    ]
}

static GPU_SCOPE: Rung = Rung::new(
    "gpu_scope",
    "flags with the scope of one GPU, between threads of several",
    ptx!("kernels/broken/gpu_scope.ptx"),
)
.broken("flags", &[Checker::Races])
.refuses(vectors_only);
static MISSING_RELEASE: Rung = Rung::new(
    "missing_release",
    "a flag that is stored without a release: nothing orders the elements before it",
    ptx!("kernels/broken/missing_release.ptx"),
)
.broken("push", &[Checker::Races])
.refuses(vectors_only);
static REUSED_SLOT: Rung = Rung::new(
    "reused_slot",
    "one slot per block for all of its tiles: the next tile is sent before the slot has been read",
    ptx!("kernels/broken/reused_slot.ptx"),
)
.broken("push", &[Checker::Races, Checker::Result])
.refuses(vectors_only)
.adapts(several_tiles);

/// A case in which each of two blocks has four tiles.
fn several_tiles(case: &Case) -> Case {
    let devices = DeviceParameters::of(case).devices.unwrap_or(MOST) as u64;
    Case { shape: Shape::Vector { n: case.elements().max(devices << 16) }, ..*case }
}
