//! On what a submission is run, in which order.

use std::path::PathBuf;

use harness::{Input, Shape};
use serde::{Deserialize, Serialize};

use crate::{
    course::{Declaration, Exercise},
    operation::Case,
};

/// What the process that checks is told.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The folder of the exercise.
    pub exercise: PathBuf,
    /// The submission, vetted as text but for its includes.
    pub source: String,
    /// What messages call it.
    pub name: String,
    /// Where it runs.
    pub target: Target,
    /// Of the inputs.
    pub seeds: Vec<u64>,
    /// Sizes beside the exercise's own.
    pub sizes: Vec<String>,
    /// Where the report goes.
    pub report: PathBuf,
}

impl Job {
    /// As students have it: the exercise's own sizes and the usual seeds.
    pub fn new(exercise: &Exercise, source: String, name: &str, target: Target) -> Self {
        Self {
            exercise: exercise.folder.clone(),
            source,
            name: name.to_owned(),
            target,
            seeds: SEEDS.to_vec(),
            sizes: Vec::new(),
            report: PathBuf::new(),
        }
    }
}

/// Where a submission runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// On the simulator, with its detectors and counters.
    Simulator,
    /// On a GPU, and timed.
    Gpu,
}

/// One run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// The problem.
    pub case: Case,
    /// Which order of warps and blocks; 0 is the plain one.
    pub schedule: u64,
}

/// The seeds of inputs, where nobody names others.
pub const SEEDS: [u64; 1] = [1];

/// Orders of warps and blocks beside the plain one.
const SCHEDULES: [u64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// A problem of more elements is run once, in the plain order.
const SMALL: u64 = 1 << 14;

/// Sizes that every further schedule and seed is tried on.
const TRIED_AGAIN: usize = 3;

/// The operation's sizes, up to the largest that the exercise allows.
fn own_sizes(declaration: &Declaration) -> Vec<Shape> {
    let mut sizes = declaration.operation.sizes();
    if let Some(n) = declaration.largest {
        sizes.retain(|shape| shape.elements() < n);
        sizes.push(Shape::Vector { n });
    }
    sizes
}

/// The runs of a submission: small sizes first, in the plain order; then other orders; then large
/// sizes.
pub fn trials(declaration: &Declaration, job: &Job) -> anyhow::Result<Vec<Trial>> {
    let mut shapes = match declaration.sizes.is_empty() {
        true => own_sizes(declaration),
        false => declaration.sizes.clone(),
    };
    for size in &job.sizes {
        shapes.push(size.parse()?);
    }
    // What goes wrong shows better with elements than without any.
    shapes.sort_by_key(|shape| (shape.elements() == 0, shape.elements()));
    shapes.dedup();
    let inputs = match declaration.inputs.is_empty() {
        true => vec![Input::Uniform],
        false => declaration.inputs.clone(),
    };
    let (small, large): (Vec<Shape>, Vec<Shape>) =
        shapes.into_iter().partition(|shape| shape.elements() <= SMALL);
    let some: Vec<Shape> = small.iter().copied().filter(|shape| shape.elements() > 0).collect();
    let again = &some[some.len().saturating_sub(TRIED_AGAIN)..];
    let trial =
        |shape, input, seed, schedule| Trial { case: Case { shape, input, seed }, schedule };
    let (first, others) = job.seeds.split_first().map_or((SEEDS[0], &[][..]), |(f, o)| (*f, o));
    let mut trials = Vec::new();
    for &input in &inputs {
        for &shape in &small {
            let seeds = first..first + declaration.operation.seeds();
            trials.extend(seeds.map(|seed| trial(shape, input, seed, 0)));
        }
    }
    for &shape in again {
        trials.extend(others.iter().map(|&seed| trial(shape, inputs[0], seed, 0)));
        if job.target == Target::Simulator {
            trials.extend(SCHEDULES.map(|schedule| trial(shape, inputs[0], first, schedule)));
        }
    }
    trials.extend(large.iter().map(|&shape| trial(shape, inputs[0], first, 0)));
    Ok(trials)
}
