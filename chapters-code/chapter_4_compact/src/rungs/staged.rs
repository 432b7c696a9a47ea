//! Selected elements meet in shared memory first, so that stores coalesce.

use harness::{Element, Prepared, ptx};

use super::lookback;
use crate::{
    Rung,
    problem::{Compaction, vectors_only},
};

/// The rung `staged`.
pub static RUNG: Rung = Rung::new(
    "staged",
    "selected elements meet in shared memory, so that stores coalesce",
    ptx!("kernels/staged.ptx"),
)
.refuses(vectors_only);

/// Launched as `lookback`.
pub fn prepare<T: Element>(p: &Compaction<T>, rung: &Rung) -> Prepared<Compaction<T>> {
    lookback::prepare(p, rung)
}
