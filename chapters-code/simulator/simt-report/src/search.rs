//! The search for a run that fails with weak memory, and for the stale reads that make it fail.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::{Report, StaleRead, StaleReads};

/// How memory is weak in a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WeakMemory {
    /// Chooses the stale reads, and the schedule if the launch has no seed of its own.
    pub seed: u64,
    /// The stale reads that may happen, by their numbers in [`StaleReads`]. `None` leaves the choice to
    /// the seed.
    pub only: Option<BTreeSet<u64>>,
    /// What a barrier orders.
    pub barriers: BarrierOrder,
    /// Whether plain loads that may miss a store are reported, also those that miss it only where a barrier
    /// orders no more than PTX promises.
    pub reports: bool,
}

/// What a barrier of a block orders if a thread has read another block's flag before it, without a
/// fence or an acquire in between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BarrierOrder {
    /// What the other block has published happens before the barrier's end. NVIDIA's examples rest on
    /// that.
    #[default]
    AsOnGpus,
    /// It does not, because PTX's memory model does not promise it.
    AsInPtx,
}

/// A run with weak memory.
#[derive(Clone, Debug)]
pub struct WeakRun {
    /// Whether its result is right.
    pub is_right: bool,
    /// Whether it was stopped, after which the device takes no more work.
    pub is_stopped: bool,
    /// What the simulator reported of it.
    pub report: Report,
}

/// Why a run with weak memory fails.
#[derive(Clone, Debug, PartialEq)]
pub struct WeakFailure {
    /// How memory is weak in the run: its seed, and a smallest set of stale reads with which it fails.
    pub memory: WeakMemory,
    /// These stale reads. If the run was stopped, the first of all its stale reads.
    pub stale_reads: Vec<StaleRead>,
}

impl WeakFailure {
    /// Whether the run fails only because a barrier orders no more than PTX promises. On GPUs a barrier
    /// also acquires what its threads have read of other blocks.
    pub fn is_promised_by_gpus(&self) -> bool {
        self.memory.barriers == BarrierOrder::AsInPtx
    }

    /// Returns the failure in words, a sentence for each stale read; for those of flags, only if there are no others.
    pub fn message(&self) -> String {
        if self.memory.only.as_ref().is_some_and(BTreeSet::is_empty) {
            return "no stale read is needed, only this order of warps and blocks".into();
        }
        let (flags, data): (Vec<_>, Vec<_>) = self.stale_reads.iter().partition(|r| r.is_strong);
        let named = if data.is_empty() { flags } else { data };
        named.iter().map(|read| read.message.as_str()).collect::<Vec<_>>().join("; ")
    }
}

/// Seeds after which the others are left out, if no run has had a read of another thread's store that
/// nothing orders.
const PROBES: u64 = 3;

/// Runs with weak memory for each seed, until a run fails. If none does, runs with barriers that order
/// no more than PTX promises. If no thread waits for, counts or polls others, a few seeds are enough.
/// `run` starts from the same state each time. The last run that failed is the one that is returned.
///
/// # Errors
/// Those of `run`.
pub fn try_seeds<E>(
    seeds: RangeInclusive<u64>,
    mut run: impl FnMut(&WeakMemory) -> Result<WeakRun, E>,
) -> Result<Option<WeakFailure>, E> {
    let mut is_ordered = true;
    for barriers in [BarrierOrder::AsOnGpus, BarrierOrder::AsInPtx] {
        for seed in seeds.clone() {
            let memory = WeakMemory { seed, barriers, ..WeakMemory::default() };
            let found = failure(memory, &mut run, &mut is_ordered)?;
            if found.is_some() || (is_ordered && seed >= seeds.start() + (PROBES - 1)) {
                return Ok(found);
            }
        }
    }
    Ok(None)
}

/// Returns why a run fails with this seed, if it does. Clears `is_ordered` if a read of another thread's
/// store is not ordered.
fn failure<E>(
    any: WeakMemory,
    run: &mut impl FnMut(&WeakMemory) -> Result<WeakRun, E>,
    is_ordered: &mut bool,
) -> Result<Option<WeakFailure>, E> {
    let first = run(&any)?;
    *is_ordered &= stale_reads(&first.report).all(|reads| reads.unordered == 0);
    if first.is_right {
        return Ok(None);
    }
    if first.is_stopped {
        return Ok(Some(because_of(any, &first.report)));
    }
    let numbers = stale_reads(&first.report).flat_map(|all| all.numbers.clone()).collect();
    let all = StaleReads { numbers, ..StaleReads::default() };
    let mut error = None;
    let smallest =
        all.smallest(|only| match run(&WeakMemory { only: Some(only.clone()), ..any.clone() }) {
            Ok(again) => !again.is_right,
            Err(caused) => {
                error.get_or_insert(caused);
                true
            }
        });
    if let Some(error) = error {
        return Err(error);
    }
    let Some(only) = smallest else {
        return Ok(Some(because_of(any, &first.report)));
    };
    let memory = WeakMemory { only: Some(only), ..any };
    let last = run(&memory)?;
    Ok(Some(because_of(memory, &last.report)))
}

fn because_of(memory: WeakMemory, report: &Report) -> WeakFailure {
    let stale_reads = stale_reads(report).flat_map(|all| all.first.clone()).collect();
    WeakFailure { memory, stale_reads }
}

fn stale_reads(report: &Report) -> impl Iterator<Item = &StaleReads> {
    report.launches.iter().filter_map(|launch| launch.stale_reads.as_ref())
}
