//! Counts that an exercise bounds or asks for.

use anyhow::{Context, Result};
use harness::{Input, Shape, simulator::Counters};

use super::{
    Counted, Failure, Job,
    bench::{Bench, Ran},
    plan::{self, Trial},
};
use crate::{
    course::{Declaration, Demand, LongestWarp, task},
    diagnosis::Diagnosis,
    operation::{Case, Instance},
};

/// What is counted, divided by what, on what.
pub struct Wanted<'w> {
    /// The counter.
    pub counter: &'w str,
    /// What to divide it by.
    pub per: Option<&'w str>,
}

impl Wanted<'_> {
    /// In words: `barriers per warp`.
    pub fn name(&self) -> String {
        task::count(self.counter, self.per)
    }

    /// The count, of what a run counted.
    pub fn of(&self, counters: &Counters, bench: &Bench, instance: &Instance) -> Result<f64> {
        let counted = value(counters, self.counter)?;
        let Some(per) = self.per else {
            return Ok(counted);
        };
        let divisor = match per {
            "blocks" => bench.geometry(instance)?.0 as f64,
            "warps" => bench.warps(instance)? as f64,
            other => match instance.dimensions.get(other) {
                Some(dimension) => *dimension as f64,
                None => value(counters, other)?,
            },
        };
        Ok(if counted == 0.0 { 0.0 } else { counted / divisor })
    }
}

/// A counter by its name. An atomic that returns a value is a load as well, whatever it does beside; its
/// sectors are not counted, so it counts as one that touches as many as it can.
fn value(counters: &Counters, name: &str) -> Result<f64> {
    let count = counters.get(name).with_context(|| format!("there is no counter `{name}`"))?;
    let of_atomics = match name {
        "global_load_requests" => counters.global_atomic_requests,
        "global_load_sectors" => 32 * counters.global_atomic_requests,
        _ => 0,
    };
    Ok((count + of_atomics) as f64)
}

/// The problem on which a question is asked.
pub fn problem(shape: Shape) -> Case {
    Case { shape, input: Input::Uniform, seed: 1 }
}

/// A count that is bounded, as a right run has it.
struct Bounded {
    /// The count.
    counted: Counted,
    /// Why it does not pass, if it does not.
    failure: Option<Failure>,
}

/// What a demand counts in a run.
///
/// # Errors
/// Where there is no such counter.
fn demanded(bench: &Bench, demand: &Demand, ran: &Ran, instance: &Instance) -> Result<Bounded> {
    let wanted = Wanted { counter: &demand.counter, per: demand.per.as_deref() };
    let counters = ran.report.counters().unwrap_or_default();
    let value = wanted.of(&counters, bench, instance)?;
    Ok(bounded(wanted.name(), value, demand.most, &demand.hint))
}

/// How long the longest warp of a run worked.
fn longest_warp(bound: LongestWarp, ran: &Ran, shape: Shape) -> Bounded {
    let value = ran.report.longest_warps() as f64;
    let hint = "one warp, or one lane, does what many should share: which threads have no work?";
    bounded("instructions of the longest warp".into(), value, bound.at(shape), hint)
}

fn bounded(name: String, value: f64, most: f64, hint: &str) -> Bounded {
    let failure = (value > most + 1e-9).then(|| {
        let seen = format!("{name}: {}; at most {} allowed", short(value), short(most));
        Failure { hint: Some(hint.to_owned()), ..Failure::new(Diagnosis::Cost, seen) }
    });
    Bounded { counted: Counted { name, value, most: Some(most) }, failure }
}

/// A count that is this many times its bound ends the check: no later run can bring it down.
const HOPELESS: f64 = 8.0;

/// What the runs of a submission cost, as far as the exercise bounds it.
pub struct Costs<'c> {
    declaration: &'c Declaration,
    /// On what each demand is counted.
    cases: Vec<Case>,
    /// Each demand's count, once it is known.
    counted: Vec<Option<Counted>>,
    /// That of the run in which the longest warp was nearest to its bound.
    longest: Option<Counted>,
    failure: Option<(Failure, Trial)>,
}

impl<'c> Costs<'c> {
    /// Before the first run.
    pub fn new(job: &Job, declaration: &'c Declaration) -> Self {
        let cases = plan::counted(declaration, job);
        let counted = vec![None; cases.len()];
        Self { declaration, cases, counted, longest: None, failure: None }
    }

    /// Counts a run.
    ///
    /// # Errors
    /// Where a demand names no counter.
    pub fn add(
        &mut self,
        bench: &Bench,
        trial: &Trial,
        ran: &Ran,
        instance: &Instance,
    ) -> Result<()> {
        for (at, demand) in self.declaration.demand.iter().enumerate() {
            if trial.schedule == 0 && trial.case == self.cases[at] {
                let bounded = demanded(bench, demand, ran, instance)?;
                self.counted[at] = Some(bounded.counted);
                self.note(bounded.failure, trial);
            }
        }
        if let Some(bound) = self.declaration.longest_warp {
            let Bounded { counted, failure } = longest_warp(bound, ran, trial.case.shape);
            if self.longest.as_ref().is_none_or(|longest| longest.of_bound() < counted.of_bound()) {
                self.longest = Some(counted);
            }
            self.note(failure, trial);
        }
        Ok(())
    }

    fn note(&mut self, failure: Option<Failure>, trial: &Trial) {
        if let (None, Some(failure)) = (&self.failure, failure) {
            self.failure = Some((failure, *trial));
        }
    }

    /// Whether the longest warp works so long that larger sizes would only take time.
    pub fn are_hopeless(&self) -> bool {
        self.longest.as_ref().is_some_and(|longest| longest.of_bound() > HOPELESS)
    }

    /// The first bound that is broken, and on what.
    pub fn failure(&mut self) -> Option<(Failure, Trial)> {
        self.failure.take()
    }

    /// All counts.
    pub fn counted(self) -> Vec<Counted> {
        self.counted.into_iter().flatten().chain(self.longest).collect()
    }
}

/// A number with two decimals at most, and below 1 with four.
pub fn short(value: f64) -> String {
    match value {
        _ if value.fract() == 0.0 => format!("{value:.0}"),
        // A bound such as 0.0084 requests an element would be 0.01 otherwise.
        _ if value.abs() < 1.0 => format!("{value:.4}"),
        _ => format!("{value:.2}"),
    }
}
