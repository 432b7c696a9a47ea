//! Counts that an exercise bounds or asks for.

use anyhow::{Context, Result};
use harness::{Input, Shape, simulator::Counters};

use super::{Counted, Failure, bench::Bench};
use crate::{
    course::{Demand, task},
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

/// A counter by its name.
fn value(counters: &Counters, name: &str) -> Result<f64> {
    let count = counters.get(name);
    let count = count.with_context(|| format!("there is no counter `{name}`"))?;
    Ok(count as f64)
}

/// The problem on which something is counted.
pub fn problem(shape: Shape, input: Option<Input>) -> Case {
    Case { shape, input: input.unwrap_or(Input::Uniform), seed: 1 }
}

/// Counts what is demanded, and fails on the first count that is too large.
///
/// # Errors
/// Outside, what no submission can do; inside, the count.
pub fn demanded(
    bench: &Bench,
    demand: &Demand,
    instance: &Instance,
) -> Result<Result<Counted, Failure>> {
    let ran = match bench.run(instance)? {
        Ok(ran) => ran,
        Err(failure) => return Ok(Err(failure)),
    };
    let wanted = Wanted { counter: &demand.counter, per: demand.per.as_deref() };
    let counters = ran.report.counters().unwrap_or_default();
    let value = wanted.of(&counters, bench, instance)?;
    let name = wanted.name();
    if value <= demand.most + 1e-9 {
        let most = Some(demand.most);
        return Ok(Ok(Counted { name, value, most }));
    }
    let seen = format!(
        "{name}: {}; at most {} allowed (on {})",
        short(value),
        short(demand.most),
        task::elements(demand.at)
    );
    let mut failure = Failure::new(Diagnosis::Cost, seen);
    failure.hint = Some(demand.hint.clone());
    Ok(Err(failure))
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
