//! The process that checks one submission.

use std::{
    io::{Read as _, Write as _},
    time::Instant,
};

use anyhow::{Context, Result};

use super::{
    Failure, Job, Outcome, Passed, Target,
    bench::{Bench, Ran},
    compile,
    cost::Costs,
    judge::{self, Judged, Pattern},
    newer, place, plan, predict, vet, weak,
};
use crate::{
    course::{Exercise, Launch, task},
    diagnosis::Diagnosis,
    operation::{Case, Instance},
};

/// Reads a job from standard input, does it, and writes the outcome to the job's report.
///
/// # Errors
/// What no submission can be blamed for: no compiler, no device, an exercise that makes no sense.
pub fn work() -> Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let job: Job = serde_json::from_str(&text)?;
    super::supervise::limit_processor_time(job.seconds);
    let exercise = Exercise::open(&job.exercise)?;
    let outcome = Worker { job: &job, exercise: &exercise }.outcome()?;
    let mut report = std::fs::File::create(&job.report).context("cannot write the report")?;
    report.write_all(&serde_json::to_vec(&outcome)?)?;
    Ok(())
}

/// The most elements of a run that is traced to find out who wrote one of them.
const TRACED_FOR_A_WRITER: u64 = 1 << 16;

/// The most elements of runs of a right kernel that are made again, and traced.
const TRACED: u64 = 1 << 10;

/// The counter that counts no atomics, so that these are counted in a trace.
const CONFLICTS: &str = "shared_bank_conflicts";

/// A run in the plain order.
fn plain(case: Case) -> plan::Trial {
    plan::Trial::plain(case)
}

struct Worker<'j> {
    job: &'j Job,
    exercise: &'j Exercise,
}

/// What to do with a submission that fails.
type Step<T> = Result<Result<T, Failure>>;

/// Goes on where a step was right, and returns its failure otherwise.
macro_rules! right {
    ($step:expr) => {
        match $step {
            Ok(value) => value,
            Err(failure) => return Ok(Err(failure)),
        }
    };
}

mod modes;

impl Worker<'_> {
    fn outcome(&self) -> Result<Outcome> {
        let begin = Instant::now();
        let compiled = self.compiled()?;
        let compile_seconds = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let verdict = match compiled {
            Ok(ptx) => self.check(&ptx)?.map_err(|failure| self.warned(failure, &ptx)),
            Err(failure) => Err(failure),
        };
        Ok(Outcome {
            verdict,
            compile_seconds,
            check_seconds: begin.elapsed().as_secs_f64(),
            printed: String::new(),
        })
    }

    /// With what the compiler warns of, which may tell why a kernel is wrong.
    fn warned(&self, failure: Failure, ptx: &str) -> Failure {
        let says =
            |failure: Failure, warning: &str| failure.note(format!("the compiler: {warning}"));
        compile::warnings(ptx).fold(failure, says)
    }

    fn launches(&self) -> &[Launch] {
        &self.exercise.declaration.launch
    }

    /// The kernel's PTX: the submission's, or that which the questions are about.
    fn compiled(&self) -> Step<String> {
        let source = match self.exercise.has_kernel() {
            true => {
                right!(vet::includes(&self.job.source, &[]));
                self.job.source.clone()
            }
            false => self.exercise.questioned_kernel()?,
        };
        let architecture = &self.exercise.declaration.architecture;
        let ptx = right!(compile::compile(&source, &self.job.name, architecture)?);
        right!(newer::instructions(&ptx, architecture, &self.job.name));
        let module = right!(compile::parse(&ptx));
        for launch in self.launches() {
            right!(compile::entry(&module, launch, &launch.parameters()?));
        }
        Ok(Ok(ptx))
    }

    fn check(&self, ptx: &str) -> Step<Passed> {
        let declaration = &self.exercise.declaration;
        let mut bench = Bench::open(self.job.target, declaration)?;
        if self.job.target == Target::Gpu
            && let Some(note) = bench.is_too_old(ptx)
        {
            return Ok(Ok(Passed { notes: vec![note], ..Passed::default() }));
        }
        right!(bench.load(ptx, self.launches())?.map_err(|failure| self.placed(failure)));
        if !self.exercise.has_kernel() {
            return predict::predict(&bench, declaration, &self.job.source);
        }
        let mut costs = Costs::new(declaration);
        let mut passed =
            Passed { runs: right!(self.runs(&bench, &mut costs, ptx)?), ..Passed::default() };
        match self.job.target {
            Target::Simulator => {
                bench.protect(true);
                right!(self.again(&bench, &mut costs, ptx)?);
                passed.notes.extend(right!(self.weakly(&bench, ptx)?));
                right!(self.with_parts_of_active_masks(&bench, ptx)?);
                right!(self.with_independent_lanes(&bench, ptx)?);
                right!(self.with_a_block_held_back(&bench, ptx)?);
            }
            Target::Gpu => passed.time = Some(self.time(&bench)?),
        }
        // That it is right is said only of what a right kernel must pass.
        if let Some((failure, trial)) = costs.failure() {
            return Ok(Err(self.costly(failure, &trial)?));
        }
        passed.counted = costs.counted();
        Ok(Ok(passed))
    }

    /// Every trial. The first that a detector objects to, or that is stopped, ends it; where results
    /// are wrong, all sizes are seen first, because their pattern tells why. Returns how many runs were right.
    fn runs(&self, bench: &Bench, costs: &mut Costs<'_>, ptx: &str) -> Step<usize> {
        let declaration = &self.exercise.declaration;
        let ordered = if weak::is_strong(ptx) { self.job.ordered } else { plan::DETECTED };
        let trials = plan::trials(declaration, &Job { ordered, ..self.job.clone() })?;
        let mut judged: Vec<Judged> = Vec::new();
        let mut is_wrong = false;
        // A race within a warp, until a larger size shows one between warps.
        let mut of_a_warp: Option<Failure> = None;
        for trial in trials {
            // Once something is wrong, other orders and seeds tell nothing new.
            let first_of_all = trial.is_plain() && plan::is_small(declaration, &trial.case);
            if (is_wrong || of_a_warp.is_some()) && !first_of_all {
                continue;
            }
            let instance = declaration.operation.problem(&trial.case);
            bench.schedule(trial.schedule, trial.resident)?;
            // Of a kernel that is right on small sizes the results tell little more.
            bench.protect(!first_of_all);
            let ran = match bench.run(&instance)? {
                Ok(ran) => ran,
                Err(failure) => {
                    let fault = self.placed(self.on(failure, &trial));
                    return Ok(Err(of_a_warp.unwrap_or(fault)));
                }
            };
            let objection = match is_wrong && of_a_warp.is_none() {
                true => Ok(()),
                false => self.objections(&ran, &trial),
            };
            if self.job.target == Target::Simulator {
                costs.add(bench, &trial, &ran, &instance)?;
            }
            let (blocks, threads) = bench.geometry(&instance)?;
            let this = Judged { trial, comparisons: ran.comparisons, covered: blocks * threads };
            match objection {
                Ok(()) => {}
                Err(failure) if failure.diagnosis == Diagnosis::WriteConflict => {
                    return Ok(Err(self.by_index(bench, failure, this)?));
                }
                Err(failure) if failure.diagnosis == Diagnosis::Uninitialised => {
                    return Ok(Err(self.by_another_size(bench, failure, this)?));
                }
                Err(failure) if failure.diagnosis == Diagnosis::MissingSyncwarp => {
                    of_a_warp.get_or_insert(failure);
                }
                Err(failure) => return Ok(Err(failure)),
            }
            is_wrong |= !this.is_right();
            judged.push(this);
        }
        match (of_a_warp, is_wrong) {
            (Some(failure), _) => Ok(Err(failure)),
            (None, true) => Ok(Err(self.explained(bench, &judged)?)),
            (None, false) => Ok(Ok(judged.len())),
        }
    }

    /// Small sizes again, with a kernel that is right: now a store to what must stay as it is stops it, and a trace shows
    /// what atomics on shared memory cost, if that is bounded.
    fn again(&self, bench: &Bench, costs: &mut Costs<'_>, ptx: &str) -> Step<()> {
        let declaration = &self.exercise.declaration;
        let is_bounded = declaration.demand.iter().any(|demand| demand.counter == CONFLICTS);
        let is_traced = is_bounded && (ptx.contains("atom.") || ptx.contains("\tred."));
        for trial in plan::trials(declaration, self.job)? {
            if !trial.is_plain() || trial.case.shape.elements() > TRACED {
                continue;
            }
            let instance = declaration.operation.problem(&trial.case);
            bench.schedule(0, 0)?;
            let ran = match is_traced {
                true => bench.traced(&instance)?,
                false => bench.run(&instance)?,
            };
            let ran = right!(ran.map_err(|failure| self.placed(self.on(failure, &trial))));
            costs.add(bench, &trial, &ran, &instance)?;
        }
        Ok(Ok(()))
    }

    /// Of a kernel that is right and costs too much; or that is the one that was there at first, whatever its
    /// comments and names are now.
    fn costly(&self, failure: Failure, trial: &plan::Trial) -> Result<Failure> {
        let declaration = &self.exercise.declaration;
        let compiled = |source: &str| {
            let ptx = compile::compile(source, &self.job.name, &declaration.architecture)?;
            Ok::<_, anyhow::Error>(ptx.ok().map(|ptx| compile::code(&ptx).join("\n")))
        };
        if compiled(&self.exercise.skeleton()?)? == compiled(&self.job.source)? {
            let (seen, hint) = declaration.form.to_begin();
            return Ok(Failure::new(Diagnosis::NotBegun, seen).hint(hint));
        }
        Ok(self.on(failure, trial))
    }

    /// What a detector or the judge says of a run.
    fn first_failure(
        &self,
        bench: &Bench,
        ran: Ran,
        trial: &plan::Trial,
    ) -> Result<Option<Failure>> {
        if let Err(failure) = self.objections(&ran, trial) {
            return Ok(Some(failure));
        }
        let judged = Judged { trial: *trial, comparisons: ran.comparisons, covered: 0 };
        if judged.is_right() {
            return Ok(None);
        }
        let operation = &self.exercise.declaration.operation;
        let pattern = Pattern { operation, judged: &[judged], threads: bench.threads()? };
        Ok(Some(pattern.explain().0))
    }

    /// What the detectors and the guard zones say of a run.
    fn objections(&self, ran: &Ran, trial: &plan::Trial) -> Result<(), Failure> {
        if let Some(damage) = &ran.damage {
            return Err(self.on(damage.clone(), trial));
        }
        let Some(race) = judge::gravest(&ran.report) else {
            return Ok(());
        };
        let mut failure = Failure::new(
            judge::race(race, &self.exercise.declaration.operation),
            race.message.clone(),
        );
        failure.places = place::sides(race, &self.job.name);
        if ran.comparisons.iter().all(|comparison| comparison.is_right()) {
            failure = failure.note("this time the result was right, by luck");
        }
        Err(self.on(failure, trial))
    }

    /// Where threads write to one place it is mostly an index that is wrong: which one, the results
    /// may tell.
    fn by_index(&self, bench: &Bench, failure: Failure, judged: Judged) -> Result<Failure> {
        if judged.is_right() {
            return Ok(failure);
        }
        let mut explained = self.explained(bench, &[judged])?;
        let is_of_an_index = matches!(
            explained.diagnosis,
            Diagnosis::Transposed
                | Diagnosis::RowLength
                | Diagnosis::OneBlock
                | Diagnosis::BlockOffset
                | Diagnosis::Displaced
        );
        if !is_of_an_index {
            return Ok(failure);
        }
        explained.places = failure.places;
        Ok(explained.note(failure.seen))
    }

    /// Explains a read of uninitialised memory by a wrong index, if a size that has no such read, such
    /// as one of whole tiles, gives results that tell which index it is.
    fn by_another_size(&self, bench: &Bench, failure: Failure, here: Judged) -> Result<Failure> {
        let declaration = &self.exercise.declaration;
        for trial in plan::trials(declaration, self.job)? {
            let is_small = plan::is_small(declaration, &trial.case);
            if !trial.is_plain()
                || !is_small
                || !declaration.operation.can_diagnose(trial.case.shape)
            {
                continue;
            }
            bench.schedule(0, 0)?;
            let instance = declaration.operation.problem(&trial.case);
            let Ok(ran) = bench.run(&instance)? else {
                break;
            };
            if self.objections(&ran, &trial).is_err() {
                continue;
            }
            let judged = Judged { trial, comparisons: ran.comparisons, covered: here.covered };
            if judged.is_right() {
                return Ok(failure);
            }
            let explained = self.explained(bench, &[judged])?;
            return Ok(match explained.diagnosis {
                Diagnosis::Transposed | Diagnosis::TileOrder => explained.note(failure.seen),
                _ => failure,
            });
        }
        Ok(failure)
    }

    /// What wrong results have in common, and who wrote the first of them.
    fn explained(&self, bench: &Bench, judged: &[Judged]) -> Result<Failure> {
        let operation = &self.exercise.declaration.operation;
        let pattern = Pattern { operation, judged, threads: bench.threads()? };
        let (failure, shown) = pattern.explain();
        let mut failure = self.on(failure, &shown.trial);
        bench.schedule(shown.trial.schedule, shown.trial.resident)?;
        let instance = operation.problem(&shown.trial.case);
        failure.places.extend(self.writer(bench, &instance, shown)?);
        Ok(failure)
    }

    fn writer(
        &self,
        bench: &Bench,
        instance: &Instance,
        judged: &Judged,
    ) -> Result<Option<super::Place>> {
        let Some((which, comparison)) = judged.wrong() else {
            return Ok(None);
        };
        let index = comparison.wrong.first().map(|wrong| wrong.index);
        let Some(index) = index.or(comparison.beyond) else {
            return Ok(None);
        };
        // A trace of many elements takes longer than it is worth.
        if judged.trial.case.shape.elements() > TRACED_FOR_A_WRITER {
            return Ok(None);
        }
        // After a fault the device takes no more work; then nobody can say who it was.
        let Ok(Ok(ran)) = bench.traced(instance) else {
            return Ok(None);
        };
        let output = &instance.outputs[which];
        Ok(place::writer(&ran, output, which, index, &self.job.name))
    }

    /// With the line that the message names.
    fn placed(&self, failure: Failure) -> Failure {
        let line = |text: &String| place::line(text, &self.job.name);
        let found = line(&failure.seen).or_else(|| failure.notes.iter().find_map(line));
        failure.at(found)
    }

    /// How long the largest size takes.
    fn time(&self, bench: &Bench) -> Result<(harness::timing::Time, u64)> {
        let trials = plan::trials(&self.exercise.declaration, self.job)?;
        let largest = trials.iter().max_by_key(|trial| trial.case.shape.elements());
        let largest = largest.context("there are runs")?;
        let instance = self.exercise.declaration.operation.problem(&largest.case);
        Ok((bench.time(&instance)?, largest.case.shape.elements()))
    }

    /// With what was run.
    fn on(&self, failure: Failure, trial: &plan::Trial) -> Failure {
        let case = &trial.case;
        let order = match trial.is_plain() {
            true => String::new(),
            false => format!(",{}", trial.order()),
        };
        let of = match case.input {
            harness::Input::Uniform => String::new(),
            input => {
                let operation = &self.exercise.declaration.operation;
                format!(" ({})", operation.input_name(input))
            }
        };
        let size = task::elements(case.shape);
        failure.note(format!("on {size}{of}, seed {}{order}", case.seed))
    }
}
