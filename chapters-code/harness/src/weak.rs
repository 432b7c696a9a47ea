//! Repeats a run on the simulator with weak memory, in which a load may return an older value than the
//! newest, and finds out which stale reads make it fail.

use std::{
    collections::BTreeSet,
    ops::{ControlFlow, RangeInclusive},
};

use crate::simulator::{Report, Simulator, StaleRead, StaleReads};

/// Seeds after which the others are left out, if no run has had a read of another thread's store that nothing
/// orders.
const PROBES: u64 = 3;

/// A run with weak memory.
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
    /// The seed with which it fails.
    pub seed: u64,
    /// A smallest set of stale reads with which it fails. If the run was stopped, the first stale reads.
    pub stale_reads: Vec<StaleRead>,
    /// Whether it fails only because a barrier orders no more than PTX promises. On GPUs a barrier also
    /// acquires what its threads have read of other blocks.
    pub is_promised_by_gpus: bool,
}

impl WeakFailure {
    /// Returns the failure in words, a sentence for each stale read.
    pub fn message(&self) -> String {
        let reads: Vec<_> = self.stale_reads.iter().map(|read| read.message.as_str()).collect();
        reads.join("; ")
    }
}

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
    let of_barriers = |ptx_barriers| seeds.clone().map(move |seed| (ptx_barriers, seed));
    let mut is_ordered = true;
    let mut next = |(ptx_barriers, seed)| {
        let failure = Search { simulator, seed, ptx_barriers }.failure(&mut run, &mut is_ordered);
        let is_enough = is_ordered && seed >= seeds.start() + (PROBES - 1);
        match failure {
            Ok(None) if !is_enough => ControlFlow::Continue(()),
            ended => ControlFlow::Break(ended),
        }
    };
    let ended = [false, true].into_iter().flat_map(of_barriers).try_for_each(&mut next);
    simulator.set(c"weak_memory", 0);
    ended.break_value().unwrap_or(Ok(None))
}

/// The search for the reason why a run fails with a seed.
struct Search<'s> {
    simulator: &'s Simulator,
    seed: u64,
    ptx_barriers: bool,
}

impl Search<'_> {
    /// Runs it, and returns why it fails. Clears `is_ordered` if a read of another thread's store is not ordered.
    fn failure<E>(
        &self,
        run: &mut impl FnMut() -> Result<WeakRun, E>,
        is_ordered: &mut bool,
    ) -> Result<Option<WeakFailure>, E> {
        self.choose(None);
        let first = run()?;
        *is_ordered &= stale_reads(&first.report).all(|reads| reads.unordered == 0);
        if first.is_right {
            return Ok(None);
        }
        if first.is_stopped {
            return Ok(Some(self.because_of(&first.report)));
        }
        let numbers = stale_reads(&first.report).flat_map(|all| all.numbers.clone()).collect();
        let all = StaleReads { numbers, ..StaleReads::default() };
        let mut error = None;
        let smallest = all.smallest(|only| {
            self.choose(Some(only));
            match run() {
                Ok(again) => !again.is_right,
                Err(caused) => {
                    error.get_or_insert(caused);
                    true
                }
            }
        });
        if let Some(error) = error {
            return Err(error);
        }
        let last = match &smallest {
            Some(only) => {
                self.choose(Some(only));
                run()?
            }
            None => first,
        };
        Ok(Some(self.because_of(&last.report)))
    }

    /// Sets the options for the next run, with these stale reads or any.
    fn choose(&self, only: Option<&BTreeSet<u64>>) {
        self.simulator.set(c"weak_memory", self.seed as i64);
        self.simulator.set(c"ptx_barriers", self.ptx_barriers.into());
        self.simulator.set(c"only_stale_reads", only.is_some().into());
        for number in only.into_iter().flatten() {
            self.simulator.set(c"stale_read", *number as i64);
        }
    }

    fn because_of(&self, report: &Report) -> WeakFailure {
        WeakFailure {
            seed: self.seed,
            stale_reads: stale_reads(report).flat_map(|all| all.first.clone()).collect(),
            is_promised_by_gpus: self.ptx_barriers,
        }
    }
}

fn stale_reads(report: &Report) -> impl Iterator<Item = &StaleReads> {
    report.launches.iter().filter_map(|launch| launch.stale_reads.as_ref())
}
