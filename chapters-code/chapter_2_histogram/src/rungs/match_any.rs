//! Lanes of a warp with the same key combine their increments into one addition.

use harness::{Prepared, ptx};

use super::shared_atomics::{self, MOST_BINS};
use crate::{
    Rung,
    problem::{Counting, refuses},
    reference::Key,
};

/// The rung `match_any`.
pub static RUNG: Rung = Rung::new(
    "match_any",
    "one histogram per block; lanes with the same counter combine their additions",
    ptx!("kernels/match_any.ptx"),
)
.refuses(|rung, case| refuses(rung, case, MOST_BINS));

/// Launched as `shared_atomics`.
pub fn prepare<K: Key>(p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    shared_atomics::prepare(p, rung)
}
