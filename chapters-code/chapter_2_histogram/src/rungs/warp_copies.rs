//! Every warp counts in a histogram of its own.

use harness::{Prepared, ptx};

use super::shared_atomics;
use crate::{
    Rung,
    bins::EXTRA,
    geometry::{EVERYWHERE, WARPS},
    problem::{Counting, refuses},
    reference::Key,
};

/// The rung `warp_copies`.
pub static RUNG: Rung =
    Rung::new("warp_copies", "one histogram per warp", ptx!("kernels/warp_copies.ptx"))
        .refuses(|rung, case| refuses(rung, case, MOST_BINS));

/// The largest number of bins for which every device gives a block enough shared memory, for one copy per warp.
pub const MOST_BINS: u32 = EVERYWHERE / WARPS - EXTRA;

/// Launched as `shared_atomics`, with a copy of the counters per warp.
pub fn prepare<K: Key>(p: &Counting<K>, rung: &Rung) -> Prepared<Counting<K>> {
    shared_atomics::with_copies(WARPS, p, rung)
}
