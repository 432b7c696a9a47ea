//! Runs a kernel that is right once more with weak memory, in which a load may return an older value than
//! the newest: a fence that is missing between volatile or relaxed accesses shows in no other way.

use anyhow::{Context, Result};
use harness::{
    simulator::{Cure, RaceAccess, Report, StaleRead},
    weak::{self, WeakFailure, WeakRun},
};

use super::{Failure, Place, bench::Bench, place};
use crate::{diagnosis::Diagnosis, operation::Instance};

/// The number of seeds, each of which chooses other stale reads.
pub const SEEDS: u64 = 12;

/// Elements of a problem at most that has all seeds.
pub const FEW_ELEMENTS: u64 = 1 << 13;

/// The seeds of a larger one that is still small.
pub const SEEDS_OF_MIDDLE: u64 = 12;

/// The seeds of a problem of many elements.
pub const SEEDS_OF_LARGE: u64 = 2;

/// What the instructions of PTX have by which a thread can learn what another one has done, without a barrier.
const STRONG: [&str; 8] =
    ["volatile", "relaxed", "acquire", "release", "acq_rel", "atom", "red", "mbarrier"];

/// Whether threads of a kernel may learn of each other otherwise than at a barrier. What ordinary accesses alone do without
/// an order are races, which are found in any run.
pub fn is_strong(ptx: &str) -> bool {
    let instructions = ptx.lines().map(str::trim).filter(|line| !line.starts_with("//"));
    let mut parts =
        instructions.flat_map(|line| line.split(|c: char| c == '.' || c.is_whitespace()));
    parts.any(|part| STRONG.contains(&part))
}

/// What is said of a kernel that is right on GPUs only.
const PROMISE: &str = "on GPUs it is right, but PTX's memory model does not promise that: a barrier does not stand for \
                       the fence between reading the counter or flag and reading the data";

/// Runs an instance with weak memory, with the seeds from 1 to `seeds`. Returns a note on a kernel that is right on GPUs
/// only. `name` is the submission's name.
///
/// # Errors
/// Outside, what no submission can do; inside, what is wrong.
pub fn check(
    bench: &Bench,
    instance: &Instance,
    name: &str,
    seeds: u64,
) -> Result<Result<Option<String>, Failure>> {
    let simulator = bench.device.simulator().context("only the simulator has weak memory")?;
    let mut stopped = None;
    bench.schedule(0, 0)?;
    let session = simulator.session(|options| options.torn_vectors = true)?;
    let found = weak::try_seeds(simulator, 1..=seeds, || -> Result<WeakRun> {
        Ok(match bench.run(instance)? {
            Ok(ran) => WeakRun {
                is_right: ran.damage.is_none() && ran.comparisons.iter().all(|c| c.is_right()),
                is_stopped: false,
                report: ran.report,
            },
            Err(failure) => {
                stopped = Some(failure);
                WeakRun { is_right: false, is_stopped: true, report: Report::default() }
            }
        })
    });
    drop(session);
    Ok(match (stopped, found?) {
        (Some(failure), _) => {
            Err(failure.note("this run had weak memory: a load may return an older value"))
        }
        (None, None) => Ok(None),
        (None, Some(found)) if found.is_promised_by_gpus() => {
            Ok(Some(format!("{PROMISE}. {}", found.message())))
        }
        (None, Some(found)) => Err(failure(&found, name)),
    })
}

fn failure(found: &WeakFailure, name: &str) -> Failure {
    let diagnosis = diagnosis(&found.stale_reads);
    let mut failure = Failure::new(diagnosis, found.message());
    let sides = found.stale_reads.iter().flat_map(|read| [read.store.as_ref(), Some(&read.load)]);
    let place = |side: &RaceAccess| -> Option<Place> { place::side(side, name) };
    failure.places = sides.flatten().filter_map(place).collect();
    failure.places.dedup();
    failure.note("this run had weak memory: a load may return an older value than the newest")
}

fn diagnosis(stale_reads: &[StaleRead]) -> Diagnosis {
    let is_update =
        |read: &StaleRead| read.store.as_ref().is_some_and(|s| s.line == read.load.line);
    if stale_reads.iter().any(|read| read.cure == Cure::OneWord) {
        Diagnosis::TornVector
    } else if stale_reads.iter().any(is_update) {
        Diagnosis::LostUpdate
    } else {
        Diagnosis::MissingFence
    }
}

#[cfg(test)]
mod tests {
    use super::is_strong;

    #[test]
    fn shared_memory_alone_is_not_strong() {
        assert!(!is_strong("ld.shared.u32 %r1, [%r2];\n// red.global.add.u32"));
        assert!(!is_strong("cp.reduce_only_a_name.f32"));
        for line in [
            "@%p1 red.global.add.u32 [%rd1], 1;",
            "\tatom.shared.add.u32 %r1, [a], 1;",
            "ld.volatile.shared.u32 %r1, [a];",
        ] {
            assert!(is_strong(line), "{line}");
        }
    }
}
