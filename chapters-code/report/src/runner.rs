//! Rungs on cases, one after another, on one device: what the chapters' programs and the recorder
//! have in common.

use std::path::PathBuf;

use anyhow::Context;

use crate::{AnyCase, AnyChapter, AnyRung, Row, progress::Progress, replay};
use harness::{
    AnyProblem, Device, DeviceChoice, Error,
    baselines::Baselines,
    timing::Bench,
    verify::{Checker, Failure},
    weak::{self, WeakFailure, WeakRun},
};

/// A device and what is needed to run on it.
pub struct Runner {
    /// The device.
    pub device: Device,
    /// What measures; none on the simulator, which has no time.
    pub bench: Option<Bench>,
    /// Libraries to compare with, each operation with the first that has it.
    pub baselines: Vec<Baselines>,
    /// Seeds with which each rung also runs with weak memory, on the simulator.
    pub weak_seeds: Option<u64>,
}

/// A rung on the case that suits it.
#[derive(Clone, Debug)]
pub struct Step {
    /// The rung.
    pub rung: AnyRung,
    /// What it is run on.
    pub case: AnyCase,
}

impl Runner {
    /// Opens the device, measures its ceilings with `samples` samples each, and opens the baseline libraries.
    ///
    /// # Errors
    /// If there is no such device or library, with the remedy.
    pub fn open(
        choice: DeviceChoice,
        samples: usize,
        baselines: &[PathBuf],
    ) -> Result<Self, Error> {
        let device = Device::open(choice)?;
        if device.is_simulated() && !baselines.is_empty() {
            let reason = "baselines are timed, and the simulator has no time";
            return Err(Error::usage(reason, "leave --baseline out"));
        }
        let baselines =
            baselines.iter().map(|path| Baselines::open(path)).collect::<Result<_, _>>()?;
        let bench = match device.is_simulated() {
            true => None,
            false => Some(Bench::new(&device, samples)?),
        };
        Ok(Self { device, bench, baselines, weak_seeds: None })
    }

    /// Runs the steps in order; `done` gets each row as soon as it is there. Steps of the same case
    /// in a row share their input.
    ///
    /// # Errors
    /// What `done` returns; [`Error`] where a step could not be run; and a kernel after which the
    /// driver takes no more work. A kernel that is wrong is a row.
    pub fn run_steps(
        &mut self,
        chapter: &dyn AnyChapter,
        steps: &[Step],
        progress: &Progress,
        done: &mut dyn FnMut(Row) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut problem: Option<(&AnyCase, Box<dyn AnyProblem>)> = None;
        for (i, Step { rung, case }) in steps.iter().enumerate() {
            progress.doing(&format!("{} {case}", rung.name));
            if problem.as_ref().is_none_or(|(of, _)| *of != case) {
                // Its memory must be free before the next one is allocated.
                drop(problem.take());
                problem = Some((case, chapter.problem(&self.device, case)?));
            }
            let Some((_, problem)) = &mut problem else {
                continue;
            };
            let outcome = problem.run_rung(rung.name, self.bench.as_mut(), &self.baselines);
            let mut outcome = outcome.with_context(|| format!("{} on {case}", rung.name))?;
            if let (Some(seeds), Some(simulator)) = (self.weak_seeds, self.device.simulator())
                && outcome.report.fault().is_none()
            {
                let name = rung.name;
                let failed =
                    weak::try_seeds(simulator, 1..=seeds, || weak_run(&mut **problem, name))?;
                outcome.verdict.failures.extend(failed.and_then(|failed| failure(name, &failed)));
            }
            if rung.caught_by.contains(&Checker::Replay) && outcome.report.fault().is_none() {
                let failed = replay::failure(chapter, &self.device, rung.name, case)?;
                outcome.verdict.failures.extend(failed);
            }
            let row = Row::new(chapter, rung, case, &self.device, outcome);
            let stopped = row.found.iter().any(|failure| failure.by == Checker::Fault);
            done(row)?;
            progress.step();
            let more = i + 1 < steps.len();
            if stopped && more && self.device.stream.synchronize().is_err() {
                anyhow::bail!(
                    "{} was stopped, and the driver takes no more work from this process\n  remedy: \
                     run what is left with --kernel",
                    rung.name
                );
            }
        }
        Ok(())
    }
}

/// Runs a rung once with the weak memory that the simulator is set to.
fn weak_run(problem: &mut dyn AnyProblem, name: &str) -> Result<WeakRun, Error> {
    let outcome = problem.run_rung(name, None, &[])?;
    let wrong = outcome.verdict.failures.iter().filter(|failure| failure.by != Checker::Races);
    Ok(WeakRun {
        is_right: wrong.count() == 0,
        is_stopped: outcome.report.fault().is_some(),
        report: outcome.report,
    })
}

/// Returns what is wrong with a rung that fails with weak memory. If it is right on GPUs and PTX only does not
/// promise that, prints a note.
fn failure(name: &str, failed: &WeakFailure) -> Option<Failure> {
    let message = format!("seed {} gives a wrong result: {}", failed.memory.seed, failed.message());
    if failed.is_promised_by_gpus() {
        eprintln!("note: {name} is right on GPUs, but PTX does not promise that; {message}");
        return None;
    }
    Some(Failure { by: Checker::WeakMemory, message })
}
