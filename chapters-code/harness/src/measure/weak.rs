//! Repeats a run on the simulator with weak memory, in which a load may return an older value than the
//! newest, and finds out which stale reads make it fail.

use std::ops::RangeInclusive;

use simt_report::{BarrierOrder, WeakMemory};
pub use simt_report::{WeakFailure, WeakRun};

use crate::simulator::Simulator;

/// Repeats a run with weak memory for each seed, until it fails. If it never does, repeats it with barriers
/// that order no more than PTX promises. Where no thread waits for, counts or polls others, a few seeds are enough.
/// `run` starts from the same state each time.
///
/// # Errors
/// The errors of `run`.
pub fn try_seeds<E>(
    simulator: &Simulator,
    seeds: RangeInclusive<u64>,
    mut run: impl FnMut() -> Result<WeakRun, E>,
) -> Result<Option<WeakFailure>, E> {
    let found = simt_report::try_seeds(seeds, |memory| {
        choose(simulator, memory);
        run()
    });
    simulator.set(c"weak_memory", 0);
    found
}

/// Sets the options for the next run.
fn choose(simulator: &Simulator, memory: &WeakMemory) {
    let WeakMemory { seed, only, barriers, .. } = memory;
    simulator.set(c"weak_memory", *seed as i64);
    simulator.set(c"ptx_barriers", (*barriers == BarrierOrder::AsInPtx).into());
    simulator.set(c"only_stale_reads", only.is_some().into());
    for number in only.iter().flatten() {
        simulator.set(c"stale_read", *number as i64);
    }
}
