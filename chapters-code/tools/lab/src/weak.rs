//! Executes a recorded run with weak memory, in which a load may return an older value than the newest.

use simt_report::{Report, WeakFailure, WeakRun, try_seeds};

use crate::replay::{Execution, Options, Outcome};

/// The result of the runs with weak memory.
#[derive(Clone, Debug)]
pub struct Weak {
    /// The number of seeds, which are those from 1 on.
    pub seeds: u64,
    /// The first run that fails, if one does: the others are then not tried.
    pub failed: Option<Failed>,
}

/// A run with weak memory that fails.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The reason.
    pub failure: WeakFailure,
    /// What the run did.
    pub outcome: Box<Outcome>,
}

/// Executes a run, whose result is right without weak memory, with it.
///
/// # Errors
/// If the run cannot be executed.
pub(crate) fn search(execution: &Execution<'_>) -> Result<Weak, String> {
    let seeds = execution.options.weak_seeds;
    let mut last = None;
    let failure = try_seeds(1..=seeds, |memory| {
        let weak_memory = Some(memory.clone());
        let options =
            Options { weak_memory, races: false, trace: false, ..execution.options.clone() };
        let outcome = Execution { options: &options, ..*execution }.outcome()?;
        let report =
            Report { launches: outcome.launches.iter().cloned().collect(), ..Report::default() };
        let is_right = outcome.is_right == Some(true);
        if !is_right {
            last = Some(Box::new(outcome));
        }
        // A run that is stopped can be repeated: each has a device of its own.
        Ok::<_, String>(WeakRun { is_right, is_stopped: false, report })
    })?;
    let failed = failure.zip(last).map(|(failure, outcome)| Failed { failure, outcome });
    Ok(Weak { seeds, failed })
}
