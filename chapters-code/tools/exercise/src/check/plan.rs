//! On what a submission is run, in which order.

use std::path::PathBuf;

use harness::{Input, Shape};
use serde::{Deserialize, Serialize};

use super::{bench::Bench, weak};
use crate::{
    course::{Declaration, Exercise, Long, Range},
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
    /// Larger sizes are left out, except those that a demand is counted on; none if it is not given.
    pub max_elements: Option<u64>,
    /// Seeds with which a kernel that is right is also run with weak memory, if its threads wait for, count or
    /// poll others.
    pub weak_seeds: u64,
    /// A large problem that is run in other orders has this part of the most elements, at most.
    pub ordered: u64,
    /// Where the report goes.
    pub report: PathBuf,
    /// Seconds of processor time that it may take, where the system can limit that.
    pub seconds: u64,
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
            max_elements: None,
            weak_seeds: weak::SEEDS,
            ordered: ORDERED,
            report: PathBuf::new(),
            seconds: u64::MAX,
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
    /// Blocks that are resident at a time; 0 for as many as a GPU holds.
    pub resident: u64,
}

impl Trial {
    /// A run in the plain order.
    pub fn plain(case: Case) -> Self {
        Self { case, schedule: 0, resident: 0 }
    }

    /// Whether it runs in the plain order.
    pub fn is_plain(&self) -> bool {
        (self.schedule, self.resident) == (0, 0)
    }

    /// The order in words: nothing for the plain one.
    pub fn order(&self) -> String {
        let order = match self.schedule {
            0 => String::new(),
            order => format!(" in order {order} of warps and blocks"),
        };
        let comma = if order.is_empty() { "" } else { "," };
        match self.resident {
            0 => order,
            1 => format!("{order}{comma} with one block resident at a time"),
            count => format!("{order}{comma} with {count} blocks resident at a time"),
        }
    }
}

/// The seeds of inputs, where a check is to be the same every time.
pub const SEEDS: [u64; 1] = [1];

/// Returns a random seed, another one for each call.
pub fn fresh_seed() -> u64 {
    let random = std::hash::RandomState::new();
    std::hash::BuildHasher::hash_one(&random, ()) % 1_000_000
}

/// An order of warps and blocks, beside the plain one.
#[derive(Clone, Copy)]
enum Order {
    /// Blocks start in the order of their numbers, so many resident at a time.
    Plain(u64),
    /// An order that the seed draws, with so many blocks resident at a time, or 0 for as many as a GPU holds.
    Drawn(u64),
}
use Order::{Drawn, Plain};

/// The orders of small sizes.
const ORDERS: [Order; 10] = [
    Drawn(0),
    Drawn(1),
    Plain(1),
    Drawn(0),
    Drawn(2),
    Plain(2),
    Drawn(0),
    Drawn(1),
    Drawn(3),
    Drawn(0),
];

/// Those of large sizes, each on another size.
const ORDERS_OF_LARGE: [Order; 4] = [Drawn(1), Drawn(2), Drawn(0), Plain(1)];

/// Drawn orders are some of so many.
const DIFFERENT_ORDERS: u64 = 1 << 20;

/// A problem of more elements is run once or twice with each kind of input.
pub const SMALL: u64 = 1 << 14;

/// The most elements of a problem of several devices that is run by detectors that take long.
const MOST_OF_SEVERAL: u64 = 1 << 10;

/// Numbers k for which k times the float nearest to 1/k is below 1.
const ROUNDED_RECIPROCALS: [u64; 4] = [41, 47, 55, 61];

/// The most elements of a problem.
pub const LARGEST: u64 = 1 << 22;

/// A large problem that is run in other orders has this part of the most elements, at most, where blocks may learn of each
/// other: no other kernel can depend on their order without a race.
pub const ORDERED: u64 = 8;

/// One on which detectors look that take long has this part.
pub const DETECTED: u64 = 32;

/// Sizes that every further schedule and seed is tried on.
const TRIED_AGAIN: usize = 3;

/// Small sizes that are drawn for each check.
const DRAWN: u64 = 3;

/// From what the runs of one check are drawn.
struct Plan<'d> {
    declaration: &'d Declaration,
    seed: u64,
    /// The sizes of which some are drawn.
    range: Range,
    inputs: Vec<Input>,
    /// Elements of a problem at most.
    most: u64,
    /// Elements of a small problem at most.
    small: u64,
}

impl<'d> Plan<'d> {
    fn new(declaration: &'d Declaration, job: &Job) -> Self {
        let operation = &declaration.operation;
        let most = declaration.limit.unwrap_or(LARGEST / operation.elements_of_one());
        Self {
            declaration,
            seed: job.seeds.first().copied().unwrap_or(SEEDS[0]),
            range: declaration.drawn.clone().unwrap_or_else(|| operation.random_sizes()),
            inputs: match declaration.inputs.is_empty() {
                true => vec![Input::Uniform],
                false => declaration.inputs.clone(),
            },
            most: job.max_elements.unwrap_or(u64::MAX).min(most),
            small: small(declaration),
        }
    }

    /// The problem of a size.
    fn case(&self, shape: Shape, input: Input) -> Case {
        Case { shape, input, seed: self.seed }
    }

    /// A size that was drawn; where only squares will do, a square.
    fn accepted(&self, shape: Shape) -> Shape {
        match shape {
            Shape::Matrix { .. } if !self.declaration.operation.accepts(shape) => {
                let side = shape.elements().isqrt();
                Shape::Matrix { rows: side, cols: side }
            }
            _ => shape,
        }
    }

    fn spread(&self, number: u64, ends: (u64, u64), long: Long) -> Shape {
        self.accepted(self.range.spread(self.seed, number, ends, long))
    }

    /// The small sizes: those that are always run, and those that the seed draws.
    fn small(&self, job: &Job) -> anyhow::Result<Vec<Shape>> {
        let mut shapes = match self.declaration.sizes.is_empty() {
            true => self.declaration.operation.sizes(),
            false => self.declaration.sizes.clone(),
        };
        shapes.extend((1..=DRAWN).map(|number| self.accepted(self.range.draw(self.seed, number))));
        shapes.retain(|shape| shape.elements() <= self.small.min(self.most));
        shapes.extend(self.own(job)?.into_iter().filter(|shape| shape.elements() <= self.small));
        // What goes wrong shows better with elements than without any.
        shapes.sort_by_key(|shape| (shape.elements() == 0, shape.elements()));
        shapes.dedup();
        Ok(shapes)
    }

    /// The sizes that a teacher adds.
    fn own(&self, job: &Job) -> anyhow::Result<Vec<Shape>> {
        job.sizes.iter().map(|size| Ok(size.parse()?)).collect()
    }

    /// The large problems: with each kind of input one of any size, and one or two that are as large as can
    /// be, a matrix once with many rows and once with many columns. All of any size have together half as many
    /// elements as the largest at most, so that a check takes seconds.
    fn large(&self, job: &Job) -> anyhow::Result<Vec<Case>> {
        let mut own = self.own(job)?;
        own.retain(|shape| shape.elements() > self.small);
        let mut cases: Vec<Case> =
            own.into_iter().map(|shape| self.case(shape, self.inputs[0])).collect();
        if self.most <= 2 * self.small {
            return Ok(cases);
        }
        let share = (self.most / 4 / self.inputs.len() as u64).max(2 * self.small);
        for (number, &input) in (0..).zip(&self.inputs) {
            cases.push(self.case(self.spread(number, (self.small, share), Long::Any), input));
        }
        let largest = self.declaration.largest_input.unwrap_or(self.inputs[0]);
        match self.range.is_free_matrix() {
            true => {
                let long = [(Long::Rows, self.most / 2), (Long::Cols, self.most / 4)];
                let shape = |(at, (long, least))| self.spread(at, (least, 5 * least / 4), long);
                let shapes = (50..).zip(long).map(shape);
                cases.extend(shapes.map(|shape| self.case(shape, largest)));
            }
            false => {
                let shape = self.spread(50, (self.most, self.most), Long::Any);
                cases.push(self.case(shape, largest));
            }
        }
        cases.extend(self.of_rounded_reciprocals());
        cases.sort_by_key(|case| case.shape.elements());
        Ok(cases)
    }

    /// Matrices of as many tiles in a row, or in a column, as show whether an index is divided by a rounded reciprocal.
    fn of_rounded_reciprocals(&self) -> impl Iterator<Item = Case> {
        let across = ROUNDED_RECIPROCALS.map(|tiles| 32 * tiles);
        let wide = across.map(|cols| (33, cols));
        let high = across.map(|rows| (rows, 33));
        let shape = |(rows, cols)| self.range.at_least(rows, cols);
        let is_of_any_sides = self.range.is_free_matrix();
        let fits = move |shape: &Shape| {
            is_of_any_sides
                && shape.elements() <= self.most
                && self.declaration.operation.accepts(*shape)
        };
        let shapes = wide.into_iter().chain(high).filter_map(shape).filter(fits);
        shapes.map(|shape| self.case(shape, self.inputs[0]))
    }

    /// One of the orders of warps and blocks other than the plain one, another one for each of a run's numbers.
    fn order(&self, number: u64) -> u64 {
        1 + harness::inputs::bits(self.seed ^ 0x6f72_6465, number) % DIFFERENT_ORDERS
    }

    /// A problem of a middle size, up to a part of the most elements, that the seed draws; for number 0 the largest of
    /// them. None if all are small.
    fn of_middle_size(&self, number: u64, part: u64) -> Option<Case> {
        let input = self.inputs[number as usize % self.inputs.len()];
        let most = (self.most / part).max(2 * self.small);
        let least = if number == 0 { most } else { self.small };
        let shape = self.spread(1000 + number, (least, most), Long::Any);
        (self.most >= most).then(|| self.case(shape, input))
    }
}

/// The runs of a submission: small sizes first, in the plain order; then other
/// orders; then large sizes.
pub fn trials(declaration: &Declaration, job: &Job) -> anyhow::Result<Vec<Trial>> {
    let plan = Plan::new(declaration, job);
    let small = plan.small(job)?;
    let plain = Trial::plain;
    let mut trials = Vec::new();
    for &input in &plan.inputs {
        for &shape in &small {
            let seeds = 0..declaration.operation.seeds();
            let seeds = seeds.map(|more| plan.seed.wrapping_add(more));
            trials.extend(seeds.map(|seed| plain(Case { shape, input, seed })));
        }
    }
    let some: Vec<Shape> = small.iter().copied().filter(|shape| shape.elements() > 0).collect();
    // Blocks of several devices wait for each other: all of them must be resident.
    let waits = declaration.is_of_several_devices();
    let is_ordered = job.target == Target::Simulator;
    let ordered = |number: u64, case: Case, order: Order| {
        let (schedule, resident) = match order {
            Plain(resident) => (0, resident),
            Drawn(resident) => (plan.order(number), resident),
        };
        let trial = Trial { case, schedule, resident: if waits { 0 } else { resident } };
        (is_ordered && !trial.is_plain()).then_some(trial)
    };
    for (number, &shape) in (0..).zip(&some[some.len().saturating_sub(TRIED_AGAIN)..]) {
        let case = plan.case(shape, plan.inputs[0]);
        let others = job.seeds.iter().skip(1);
        trials.extend(others.map(|&seed| plain(Case { seed, ..case })));
        let numbers = 100 * number..;
        trials.extend(numbers.zip(ORDERS).filter_map(|(at, order)| ordered(at, case, order)));
    }
    for (number, order) in (0..).zip(ORDERS_OF_LARGE) {
        let case = plan.of_middle_size(number, job.ordered);
        // What is wrong in the plain order, too, does not depend on it.
        trials.extend(case.map(plain));
        trials.extend(case.and_then(|case| ordered(1000 + number, case, order)));
    }
    for case in plan.large(job)? {
        let seeds = 0..declaration.operation.large_seeds();
        let seeds = seeds.map(|more| plan.seed.wrapping_add(more));
        trials.extend(seeds.map(|seed| plain(Case { seed, ..case })));
    }
    Ok(trials)
}

/// The most elements of a small problem.
fn small(declaration: &Declaration) -> u64 {
    (SMALL / declaration.operation.elements_of_one().next_power_of_two()).max(1 << 10)
}

/// Whether a problem is a small one, of which many are run.
pub fn is_small(declaration: &Declaration, case: &Case) -> bool {
    case.shape.elements() <= small(declaration)
}

/// The largest problem, if it is none of the small ones.
pub fn largest(declaration: &Declaration, job: &Job) -> anyhow::Result<Option<Case>> {
    Ok(Plan::new(declaration, job).large(job)?.pop())
}

/// Problems for which the first launch has few blocks: with two at least, or one where kernels of several devices run, and
/// with some more.
pub fn of_few_blocks(
    declaration: &Declaration,
    job: &Job,
    bench: &Bench,
) -> anyhow::Result<Vec<Case>> {
    let mut cases: Vec<Case> = trials(declaration, job)?.iter().map(|trial| trial.case).collect();
    cases.retain(|case| case.shape.elements() > 0 && is_small(declaration, case));
    cases.sort_by_key(|case| case.shape.elements());
    let mut chosen: Vec<Case> = Vec::new();
    for least in [if declaration.is_of_several_devices() { 1 } else { 2 }, 5] {
        for &case in &cases {
            if bench.geometry(&declaration.operation.problem(&case))?.0 >= least {
                chosen.extend((!chosen.contains(&case)).then_some(case));
                break;
            }
        }
    }
    Ok(chosen)
}

/// On what detectors look that take long, and that a kernel meets when it is right: small sizes with few blocks and with
/// many, the largest of the middle sizes, and one of these that is drawn. Of several devices, where every block waits
/// for others, only small sizes.
pub fn detected(declaration: &Declaration, job: &Job) -> anyhow::Result<Vec<Case>> {
    let plan = Plan::new(declaration, job);
    let waits = declaration.is_of_several_devices();
    let most = if waits { plan.small.min(MOST_OF_SEVERAL) } else { plan.small };
    let mut cases: Vec<Case> = trials(declaration, job)?.iter().map(|trial| trial.case).collect();
    cases.retain(|case| case.shape.elements() <= most);
    cases.sort_by_key(|case| case.shape.elements());
    let mut chosen: Vec<Case> = cases.get(cases.len() / 2).into_iter().copied().collect();
    let few_blocks = cases.iter().rfind(|case| case.shape.elements() <= most / 2);
    for case in few_blocks.into_iter().chain(cases.last()) {
        if !chosen.contains(case) {
            chosen.push(*case);
        }
    }
    if !waits {
        let middle = [50, 0].into_iter();
        chosen.extend(middle.filter_map(|number| plan.of_middle_size(number, DETECTED)));
    }
    Ok(chosen)
}
