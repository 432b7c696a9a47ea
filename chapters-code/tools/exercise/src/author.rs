//! Holds exercises to what they promise: the skeleton compiles and fails, the solution and its
//! variants pass, and each mutant is caught and called what it is.

use anyhow::{Context, Result};
use rayon::prelude::*;

use crate::{
    check::{Job, Outcome, Supervisor, Target, bench::Bench, compile, predict},
    course::Exercise,
    diagnosis::Diagnosis,
};

/// A submission whose outcome is known beforehand.
#[derive(Clone, Debug)]
pub struct Specimen {
    /// What it is: `solution`, `variant shuffles`, `mutant local_index`.
    pub name: String,
    /// Its text.
    pub source: String,
    /// What must come of it.
    pub promise: Promise,
}

/// What must come of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// It passes.
    Passes,
    /// It compiles, and fails.
    Fails,
    /// It fails, and for this reason.
    FailsWith(Diagnosis),
}

impl Specimen {
    /// Whether what came of it is what must.
    pub fn is_kept_by(&self, outcome: &Outcome) -> bool {
        match (self.promise, outcome.failure()) {
            (Promise::Passes, failure) => failure.is_none(),
            (Promise::Fails, Some(failure)) => failure.diagnosis != Diagnosis::Compile,
            (Promise::FailsWith(wanted), Some(failure)) => failure.diagnosis == wanted,
            (_, None) => false,
        }
    }
}

/// Every submission of an exercise whose outcome is known.
///
/// # Errors
/// If a file cannot be read, or a mutant does not fit.
pub fn specimens(exercise: &Exercise) -> Result<Vec<Specimen>> {
    match exercise.has_kernel() {
        true => kernels(exercise),
        false => sheets(exercise),
    }
}

fn kernels(exercise: &Exercise) -> Result<Vec<Specimen>> {
    let cut = exercise.cut()?;
    let specimen = |name: String, source, promise| Specimen { name, source, promise };
    let mut all = vec![specimen("skeleton".into(), exercise.file_at_first()?, Promise::Fails)];
    let solution = cut.solution.with_context(|| {
        let (number, name) = (exercise.number(), &exercise.name);
        format!(
            "this copy of the course has no solution of {number} {name}, so nothing can be verified"
        )
    })?;
    all.push(specimen("solution".into(), solution, Promise::Passes));
    for (name, source) in exercise.variants()? {
        all.push(specimen(format!("variant {name}"), source, Promise::Passes));
    }
    for mutant in exercise.mutants()? {
        let promise = Promise::FailsWith(mutant.diagnosis);
        all.push(specimen(format!("mutant {}", mutant.name), mutant.source, promise));
    }
    Ok(all)
}

/// Sheets of predictions: all right, as a run counts; and each of them wrong in turn.
fn sheets(exercise: &Exercise) -> Result<Vec<Specimen>> {
    let right = answers(exercise)?;
    let sheet = |answers: &[(String, f64)]| -> String {
        let line = |(name, value): &(String, f64)| format!("{name} = {value}\n");
        answers.iter().map(line).collect()
    };
    let mut all = vec![Specimen {
        name: "predictions as counted".into(),
        source: sheet(&right),
        promise: Promise::Passes,
    }];
    for at in 0..right.len() {
        for (how, change) in [("+ 1", 1.0), ("- 1", -1.0), ("* 32", 31.0 * right[at].1)] {
            let mut wrong = right.clone();
            wrong[at].1 += change;
            all.push(Specimen {
                name: format!("prediction {} {how}", right[at].0),
                source: sheet(&wrong),
                promise: match change == 0.0 {
                    true => Promise::Passes,
                    false => Promise::FailsWith(Diagnosis::Prediction),
                },
            });
        }
    }
    all.push(Specimen {
        name: "the empty sheet".into(),
        source: exercise.file_at_first()?,
        promise: Promise::FailsWith(Diagnosis::Unanswered),
    });
    Ok(all)
}

/// What a run counts for each question.
///
/// # Errors
/// If the kernel does not compile or does not run.
pub fn answers(exercise: &Exercise) -> Result<Vec<(String, f64)>> {
    let declaration = &exercise.declaration;
    let name = format!("{}.cu", exercise.name);
    let ptx = compile::compile(&exercise.questioned_kernel()?, &name, &declaration.architecture)?;
    let ptx = ptx.map_err(|failure| anyhow::anyhow!("{}", failure.seen))?;
    let mut bench = Bench::open(Target::Simulator, declaration)?;
    let loaded = bench.load(&ptx, &declaration.launch)?;
    loaded.map_err(|failure| anyhow::anyhow!("{}", failure.seen))?;
    let count = |question| {
        let counted = predict::count(&bench, declaration, question)?;
        Ok((counted.name, (counted.value * 100.0).round() / 100.0))
    };
    declaration.question.iter().map(count).collect()
}

/// Checks specimens, one per core at a time, each as a student's submission but for what `change` changes.
///
/// # Errors
/// What is not the fault of a specimen.
pub fn examine(
    exercise: &Exercise,
    specimens: &[Specimen],
    supervisor: &Supervisor,
    change: impl Fn(Job) -> Job + Sync,
) -> Result<Vec<Outcome>> {
    let check = |specimen: &Specimen| {
        let name = exercise.file_name();
        let source = specimen.source.clone();
        let job = Job::new(exercise, source, &name, Target::Simulator);
        supervisor
            .check(change(job))
            .with_context(|| format!("{} {}", exercise.name, specimen.name))
    };
    specimens.par_iter().map(check).collect()
}
