//! Repeats a run on the simulator with weak memory, in which a load may return an older value than the
//! newest, and finds out which stale reads make it fail.

use std::ops::RangeInclusive;

pub use simt_report::{WeakFailure, WeakRun};

use crate::{Error, simulator::Simulator};

/// Repeats a run with weak memory for each seed, until it fails. If it never does, repeats it with barriers
/// that order no more than PTX promises. If no thread waits for, counts or polls others, a few seeds are enough.
/// `run` starts from the same state each time.
///
/// # Errors
/// The errors of `run`, and [`Error::BadSimulator`] if the simulator has no weak memory.
pub fn try_seeds<E: From<Error>>(
    simulator: &Simulator,
    seeds: RangeInclusive<u64>,
    mut run: impl FnMut() -> Result<WeakRun, E>,
) -> Result<Option<WeakFailure>, E> {
    let session = simulator.session(|_| ()).map_err(Error::from)?;
    simt_report::try_seeds(seeds, |memory| {
        let chosen = session.change(|options| options.weak_memory = Some(memory.clone()));
        chosen.map_err(Error::from)?;
        run()
    })
}
