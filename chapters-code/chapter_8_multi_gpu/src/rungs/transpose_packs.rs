//! As before, with 16 bytes per access to the memory of a device.

use harness::{Prepared, Refusal, ptx};

use super::transpose_push;
use crate::{
    Case, Rung,
    problem::{Collective, Task, matrix},
};

/// The rung `transpose_packs`.
pub static RUNG: Rung = Rung::new(
    "transpose_packs",
    "tiles of 64 x 64 elements, and 16 bytes per access to the memory of a device",
    ptx!("kernels/transpose_packs.ptx"),
)
.refuses(whole_packs_only);

/// One kernel per device. Before them and after them, all streams meet.
pub fn prepare(p: &Collective, rung: &Rung) -> Prepared<Collective> {
    transpose_push::in_tiles("transpose_packs", 64, p, rung)
}

fn whole_packs_only(_rung: &Rung, case: &Case) -> Option<Refusal> {
    let (rows, cols) = matrix(case);
    let has_whole_packs = rows.is_multiple_of(4) && cols.is_multiple_of(4);
    Task::Transpose.refusal(case).or_else(|| {
        let reason = "is for matrices whose rows and columns are multiples of 4";
        (!has_whole_packs).then_some(Refusal::because(reason))
    })
}
