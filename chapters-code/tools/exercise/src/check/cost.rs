//! Counts that an exercise bounds or asks for.

use anyhow::{Context, Result};
use harness::{
    Shape,
    simulator::{AccessKind, AccessSpace, Counters, Event, Report},
};

use super::{
    Counted, Failure,
    bench::{Bench, Ran},
    plan::Trial,
};
use crate::{
    course::{Declaration, Demand, LongestWarp, Question, task},
    diagnosis::Diagnosis,
    operation::Instance,
};

/// The count that a question asks for, of what a run counted.
pub fn asked(
    question: &Question,
    counters: &Counters,
    bench: &Bench,
    instance: &Instance,
) -> Result<f64> {
    let counted = value(counters, &question.counter)?;
    let Some(per) = &question.per else {
        return Ok(counted);
    };
    let divisor = match dimension(per, bench, instance) {
        Some(dimension) => dimension,
        None => value(counters, per)?,
    };
    Ok(if counted == 0.0 { 0.0 } else { counted / divisor })
}

/// A counter by its name. An atomic is a load and a store as well, whatever it does beside; its sectors are
/// not counted, so it counts as one that touches as many as it can.
fn value(counters: &Counters, name: &str) -> Result<f64> {
    let count = counters.get(name).with_context(|| format!("there is no counter `{name}`"))?;
    let of_atomics = match name {
        "global_load_requests" | "global_store_requests" => counters.global_atomic_requests,
        "global_load_sectors" | "global_store_sectors" => 32 * counters.global_atomic_requests,
        _ => 0,
    };
    Ok((count + of_atomics) as f64)
}

/// A count that is bounded, as a right run has it.
struct Bounded {
    /// The count.
    counted: Counted,
    /// Why it does not pass, if it does not.
    failure: Option<Failure>,
}

/// What a demand counts in a run, and how much it may be there. If it is so many per block or warp, both are
/// divided by their number.
///
/// # Errors
/// If there is no such counter or dimension.
fn demanded(bench: &Bench, demand: &Demand, ran: &Ran, instance: &Instance) -> Result<Bounded> {
    let mut counters = ran.report.counters().unwrap_or_default();
    counters.shared_bank_conflicts += conflicts_of_atomics(&ran.report);
    let terms = demand.most.terms();
    let size = |name: &str| match name {
        "one" => Ok(1.0),
        name => dimension(name, bench, instance).with_context(|| format!("no dimension `{name}`")),
    };
    let per = match terms[..] {
        [(of @ ("blocks" | "warps"), _)] => Some(of),
        _ => None,
    };
    let mut most = 0.0;
    for (of, times) in terms {
        most += times * size(of)?;
    }
    let divisor = per.map_or(Ok(1.0), size)?;
    let value = value(&counters, &demand.counter)? / divisor;
    Ok(bounded(task::count(&demand.counter, per), value, most / divisor, &demand.hint))
}

/// A dimension of a problem by its name, or the blocks or warps of the first launch.
fn dimension(name: &str, bench: &Bench, instance: &Instance) -> Option<f64> {
    match name {
        "blocks" => bench.geometry(instance).ok().map(|(blocks, _)| blocks as f64),
        "warps" => bench.warps(instance).ok().map(|warps| warps as f64),
        name => instance.dimensions.get(name).map(|size| *size as f64),
    }
}

/// How often lanes of an atomic on shared memory wait for other lanes that are at the same bank: these requests are in a
/// trace alone.
fn conflicts_of_atomics(report: &Report) -> u64 {
    let events = report.traces().flat_map(|trace| &trace.events);
    let conflicts = events.map(|event| match event {
        Event::Access { access, .. }
            if access.space == AccessSpace::Shared && access.access == AccessKind::Atomic =>
        {
            let mut lanes = [0u64; 32];
            access.addresses.iter().for_each(|at| lanes[(at / 4 % 32) as usize] += 1);
            lanes.into_iter().max().unwrap_or(0).saturating_sub(1)
        }
        _ => 0,
    });
    conflicts.sum()
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
        Failure::new(Diagnosis::Cost, seen).hint(hint)
    });
    Bounded { counted: Counted { name, value, most: Some(most) }, failure }
}

/// What the runs of a submission cost, as far as the exercise bounds it.
pub struct Costs<'c> {
    declaration: &'c Declaration,
    /// Each demand's count in the run in which it was nearest to its bound, and that of the longest warp.
    counted: Vec<Option<Counted>>,
    /// Of each that is too high somewhere, if it was so first.
    failures: Vec<Option<(Failure, Trial)>>,
}

impl<'c> Costs<'c> {
    /// Before the first run.
    pub fn new(declaration: &'c Declaration) -> Self {
        let count = declaration.demand.len() + 1;
        Self { declaration, counted: vec![None; count], failures: vec![None; count] }
    }

    /// Counts a run.
    ///
    /// # Errors
    /// If a demand names no counter or no dimension.
    pub fn add(
        &mut self,
        bench: &Bench,
        trial: &Trial,
        ran: &Ran,
        instance: &Instance,
    ) -> Result<()> {
        let declaration = self.declaration;
        for (at, demand) in declaration.demand.iter().enumerate().filter(|_| trial.is_plain()) {
            self.note(at, demanded(bench, demand, ran, instance)?, trial);
        }
        if let Some(bound) = declaration.longest_warp {
            let last = declaration.demand.len();
            self.note(last, longest_warp(bound, ran, trial.case.shape), trial);
        }
        Ok(())
    }

    fn note(&mut self, at: usize, bounded: Bounded, trial: &Trial) {
        let Bounded { counted, failure } = bounded;
        let before = &mut self.counted[at];
        if before.as_ref().is_none_or(|before| before.of_bound() <= counted.of_bound()) {
            *before = Some(counted);
        }
        if let (None, Some(failure)) = (&self.failures[at], failure) {
            self.failures[at] = Some((failure, *trial));
        }
    }

    /// Of the bounds that are broken the one that is exceeded most, and on what it was first.
    pub fn failure(&self) -> Option<(Failure, Trial)> {
        let of_bound = |counted: &Option<Counted>| counted.as_ref().map_or(0.0, Counted::of_bound);
        let broken =
            self.counted.iter().zip(&self.failures).filter(|(_, failure)| failure.is_some());
        let worst = broken.max_by(|(a, _), (b, _)| of_bound(a).total_cmp(&of_bound(b)));
        worst.and_then(|(_, failure)| failure.clone())
    }

    /// All counts.
    pub fn counted(self) -> Vec<Counted> {
        self.counted.into_iter().flatten().collect()
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
