//! On what a submission is run, in which order.

use std::path::PathBuf;

use harness::{Input, Shape};
use serde::{Deserialize, Serialize};

use super::weak;
use crate::{
    course::{Declaration, Demand, Exercise},
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
    /// Larger sizes are left out, except those that a demand is counted on; none where it is not given.
    pub most_elements: Option<u64>,
    /// Seeds with which a kernel that is right is also run with weak memory, if its threads wait for, count or
    /// poll others.
    pub weak_seeds: u64,
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
            most_elements: None,
            weak_seeds: weak::SEEDS,
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

/// The seeds of inputs, where a check is to be the same every time.
pub const SEEDS: [u64; 1] = [1];

/// Returns a random seed, another one for each call.
pub fn fresh_seed() -> u64 {
    let random = std::hash::RandomState::new();
    std::hash::BuildHasher::hash_one(&random, ()) % 1_000_000
}

/// Orders of warps and blocks beside the plain one.
const SCHEDULES: [u64; 8] = [1, 2, 3, 4, 5, 6, 7, 8];

/// A problem of more elements is run once with each kind of input for large sizes, in the plain order.
pub const SMALL: u64 = 1 << 14;

/// Sizes that every further schedule and seed is tried on.
const TRIED_AGAIN: usize = 3;

/// Sizes that are drawn for each check.
const DRAWN: u64 = 3;

/// The problem on which each demand is counted: a size that is drawn by the seed.
pub fn counted(declaration: &Declaration, job: &Job) -> Vec<Case> {
    let seed = job.seeds.first().copied().unwrap_or(SEEDS[0]);
    let case = |demand: &Demand| {
        let shape = accepted(declaration, demand.at.draw(seed, 0));
        Case { shape, input: demand.input.unwrap_or(Input::Uniform), seed }
    };
    declaration.demand.iter().map(case).collect()
}

/// A size that was drawn; where only squares will do, a square.
fn accepted(declaration: &Declaration, shape: Shape) -> Shape {
    match shape {
        Shape::Matrix { rows, .. } if !declaration.operation.accepts(shape) => {
            Shape::Matrix { rows, cols: rows }
        }
        _ => shape,
    }
}

/// A large size and up to a quarter more: a kernel can be right up to the largest size that it knows
/// of, and wrong beyond it.
fn beyond(shape: Shape, seed: u64) -> Shape {
    match shape {
        Shape::Vector { n } if n > SMALL => {
            Shape::Vector { n: n + harness::inputs::bits(!seed, n) % (n / 4) }
        }
        _ => shape,
    }
}

/// The sizes of a check, in order: those that are always run, and those that the seed draws.
fn shapes(declaration: &Declaration, job: &Job, seed: u64) -> anyhow::Result<Vec<Shape>> {
    let mut shapes = match declaration.sizes.is_empty() {
        true => {
            let sizes = declaration.operation.sizes().into_iter();
            sizes.map(|shape| beyond(shape, seed)).collect()
        }
        false => declaration.sizes.clone(),
    };
    for size in &job.sizes {
        shapes.push(size.parse()?);
    }
    let range = declaration.drawn.clone().unwrap_or_else(|| declaration.operation.drawn());
    let drawn = (1..=DRAWN).map(|number| accepted(declaration, range.draw(seed, number)));
    shapes.extend(drawn);
    // What goes wrong shows better with elements than without any.
    shapes.sort_by_key(|shape| (shape.elements() == 0, shape.elements()));
    shapes.dedup();
    Ok(shapes)
}

/// The runs of a submission: small sizes first, in the plain order; then those that are counted; then
/// other orders; then large sizes.
pub fn trials(declaration: &Declaration, job: &Job) -> anyhow::Result<Vec<Trial>> {
    let (first, others) = job.seeds.split_first().map_or((SEEDS[0], &[][..]), |(f, o)| (*f, o));
    let shapes = shapes(declaration, job, first)?;
    let inputs = match declaration.inputs.is_empty() {
        true => vec![Input::Uniform],
        false => declaration.inputs.clone(),
    };
    let large_inputs = match declaration.large_inputs.is_empty() {
        true => &inputs[..1],
        false => &declaration.large_inputs,
    };
    let (small, large): (Vec<Shape>, Vec<Shape>) = shapes
        .into_iter()
        .filter(|shape| job.most_elements.is_none_or(|most| shape.elements() <= most))
        .partition(|shape| shape.elements() <= SMALL);
    let some: Vec<Shape> = small.iter().copied().filter(|shape| shape.elements() > 0).collect();
    let again = &some[some.len().saturating_sub(TRIED_AGAIN)..];
    let trial =
        |shape, input, seed, schedule| Trial { case: Case { shape, input, seed }, schedule };
    let mut trials = Vec::new();
    for &input in &inputs {
        for &shape in &small {
            let seeds = (0..declaration.operation.seeds()).map(|more| first.wrapping_add(more));
            trials.extend(seeds.map(|seed| trial(shape, input, seed, 0)));
        }
    }
    if job.target == Target::Simulator {
        for case in counted(declaration, job) {
            let counted = Trial { case, schedule: 0 };
            if !trials.contains(&counted) {
                trials.push(counted);
            }
        }
    }
    for &shape in again {
        trials.extend(others.iter().map(|&seed| trial(shape, inputs[0], seed, 0)));
        if job.target == Target::Simulator {
            trials.extend(SCHEDULES.map(|schedule| trial(shape, inputs[0], first, schedule)));
        }
    }
    for &shape in &large {
        for &input in large_inputs {
            let seeds = 0..declaration.operation.large_seeds();
            let seeds = seeds.map(|more| first.wrapping_add(more));
            trials.extend(seeds.map(|seed| trial(shape, input, seed, 0)));
        }
    }
    Ok(trials)
}
