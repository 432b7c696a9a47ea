//! Executes a recorded run again: with another order of warps, without some barriers, on other digits.

use std::ops::Range;
use std::sync::Arc;

use ptx::ir::Module;
use serde::{Deserialize, Serialize};
use simt_report::{Counters, LaunchReport, Link, WeakMemory};

use crate::content::{Expected, hash};
use crate::data::{Operation, Run};
use crate::devices::Devices;
use crate::group;
use crate::reports::Reported;
use crate::value;
use crate::weak::{self, Weak};

/// Differences of a result that are listed.
const LISTED: usize = 4;

/// How a run is executed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Options {
    /// The index of the run.
    pub run: usize,
    /// The seed of the order of warps and blocks; 0 is in order.
    pub seed: u64,
    /// What digits are drawn from, if it is not what the book's were.
    pub input_seed: Option<u64>,
    /// With how many seeds the run is also executed with weak memory; 0 for none.
    pub weak_seeds: u64,
    /// How memory is weak; none for memory in which each store is visible at once.
    #[serde(skip)]
    pub weak_memory: Option<WeakMemory>,
    /// Blocks that may be resident at a time; 0 for as many as an H200 holds.
    pub resident_blocks: usize,
    /// Whether races are looked for.
    pub races: bool,
    /// Whether all that each warp does is kept, in order.
    pub trace: bool,
    /// Warp instructions after which a launch is stopped; 0 for no limit.
    pub instruction_limit: u64,
    /// The lines of which something is left out, as `file.cu:12`; see [`crate::remove::removable`].
    pub removed: Vec<String>,
}

impl Options {
    /// The options of each launch.
    pub(crate) fn of_machine(&self) -> simt::Options {
        simt::Options::default().with(|options| {
            options.weak_memory.clone_from(&self.weak_memory);
            options.seed = self.seed;
            // As in the figures of the page.
            options.starts_in_order = true;
            options.counters = true;
            options.races = self.races;
            options.trace = self.trace;
            options.trace_registers = self.trace;
            options.instruction_limit = self.instruction_limit;
            options.resident_blocks = self.resident_blocks;
            // So that the first race reported is the same one everywhere: a page has no other thread.
            options.threads = 1;
        })
    }
}

/// Ranges of memory, each with its address and its content.
pub(crate) type Memory = Vec<(u64, Vec<u8>)>;

/// What a run did.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Its launches, each with its counters, races, trace and fault.
    pub launches: Vec<LaunchReport>,
    /// The counters of all launches together.
    pub counters: Counters,
    /// What kernels and copies moved from device to device.
    #[serde(skip)]
    pub links: Vec<Link>,
    /// The races of all launches with names and repairs, the most helpful first.
    #[serde(skip)]
    pub reports: Vec<Reported>,
    /// For each allocation of the recorded devices, its range there and its address in this run.
    #[serde(skip)]
    pub(crate) moved: Vec<(Range<u64>, u64)>,
    /// For each launch with a trace, the memory of all devices before it.
    #[serde(skip)]
    pub(crate) before: Vec<Memory>,
    /// Whether the results are right; none if the run was stopped, or nothing is known of the right ones.
    pub is_right: Option<bool>,
    /// Some of the elements that differ from what they should be.
    pub differences: Vec<Difference>,
    /// The number of elements that differ.
    pub different: usize,
    /// The hash of all that the host read.
    pub hash: String,
    /// The result of the runs with weak memory, if the result is right without it.
    #[serde(skip)]
    pub weak: Option<Weak>,
}

/// An element of a result that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The index of the element.
    pub element: usize,
    /// The value.
    pub is: String,
    /// The right value.
    pub should_be: String,
}

/// What the host read, and what it should have read.
struct Read<'a> {
    bytes: Vec<u8>,
    /// The content of the whole allocation before the run.
    before: Option<Vec<u8>>,
    expected: Option<&'a Expected>,
}

/// What each read of a run should give, in full where that is known.
pub(crate) type Right = Vec<Option<Vec<u8>>>;

/// A run with these modules.
#[derive(Clone, Copy)]
pub(crate) struct Execution<'a> {
    pub run: &'a Run,
    pub modules: &'a [Arc<Module>],
    /// The right results on digits that are not the book's.
    pub right: Option<&'a Right>,
    pub options: &'a Options,
}

/// Executes a run with these modules, of which `unchanged` are the book's. A kernel that is stopped ends the run. Where
/// a run with weak memory fails, a trace is that run's.
///
/// # Errors
/// Why the run cannot be executed: it does not fit its modules.
pub fn replay(
    run: &Run,
    modules: &[Arc<Module>],
    unchanged: &[Arc<Module>],
    options: &Options,
) -> Result<Outcome, String> {
    let has_other_digits = options.input_seed.is_some_and(|seed| seed != run.seed);
    let right =
        has_other_digits.then(|| results(run, unchanged, options.input_seed)).transpose()?;
    let execution = Execution { run, modules, right: right.as_ref(), options };
    let mut outcome = execution.outcome()?;
    if options.weak_seeds == 0 || outcome.is_right != Some(true) {
        return Ok(outcome);
    }
    let weak = weak::search(&execution)?;
    if let (true, Some(failed)) = (options.trace, &weak.failed) {
        let weak_memory = Some(failed.failure.memory.clone());
        let options = Options { weak_memory, ..options.clone() };
        let traced = Execution { options: &options, ..execution }.outcome()?;
        for (launch, traced) in outcome.launches.iter_mut().zip(traced.launches) {
            launch.trace = traced.trace;
        }
        outcome.before = traced.before;
    }
    outcome.weak = Some(weak);
    Ok(outcome)
}

impl Execution<'_> {
    /// Executes the run once.
    pub(crate) fn outcome(&self) -> Result<Outcome, String> {
        let Self { run, modules, right, options } = *self;
        let executed = execute(run, modules, options)?;
        let links = executed.links();
        let Executed { launches, reads, devices, before, .. } = executed;
        let mut counters = Counters::default();
        launches
            .iter()
            .filter_map(|launch| launch.counters)
            .for_each(|counted| counters += counted);
        let ended = launches.iter().all(|launch| launch.fault.is_none());
        let mut outcome = Outcome {
            launches,
            counters,
            links,
            reports: Vec::new(),
            moved: devices.into_moved(),
            before,
            is_right: None,
            differences: Vec::new(),
            different: 0,
            hash: hash(
                &reads.iter().flat_map(|read| read.bytes.iter().copied()).collect::<Vec<_>>(),
            ),
            weak: None,
        };
        if !ended {
            return Ok(outcome);
        }
        if let Some(right) = right.cloned().or_else(|| expected(&reads)) {
            judge(&mut outcome, run, &reads, &right);
        }
        Ok(outcome)
    }
}

/// The results on other digits. The kernel without changes was judged right on the book's.
fn results(run: &Run, unchanged: &[Arc<Module>], digits: Option<u64>) -> Result<Right, String> {
    let plain = Options { input_seed: digits, ..Options::default() };
    let Executed { reads, .. } = execute(run, unchanged, &plain)?;
    Ok(reads.into_iter().map(|read| Some(read.bytes)).collect())
}

/// The right results that were recorded; none if nothing is known of one read.
fn expected(reads: &[Read<'_>]) -> Option<Right> {
    let right = reads.iter().map(|read| match read.expected? {
        Expected::Content(content) => Some(Some(content.bytes())),
        Expected::Unchanged { .. } => Some(read.before.clone()),
        Expected::Hash { hash: of, .. } => {
            Some((hash(&read.bytes) == *of).then(|| read.bytes.clone()))
        }
    });
    right.collect()
}

/// Compares what was read with what is right; of what is not known in full, it is known that it differs.
fn judge(outcome: &mut Outcome, run: &Run, reads: &[Read<'_>], right: &[Option<Vec<u8>>]) {
    outcome.is_right = Some(true);
    for (read, right) in reads.iter().zip(right) {
        let Some(right) = right else {
            outcome.is_right = Some(false);
            continue;
        };
        let size = value::size(&run.dtype);
        let elements = read.bytes.chunks(size).zip(right.chunks(size)).enumerate();
        for (element, (is, should_be)) in elements.filter(|(_, (is, right))| is != right) {
            outcome.is_right = Some(false);
            outcome.different += 1;
            if outcome.differences.len() < LISTED {
                let [is, should_be] =
                    [is, should_be].map(|bytes| value::of_bytes(&run.dtype, bytes));
                outcome.differences.push(Difference { element, is, should_be });
            }
        }
    }
}

/// What has been executed of a run.
pub(crate) struct Executed<'a> {
    run: &'a Run,
    pub options: &'a Options,
    pub devices: Devices,
    /// The launches that have ended.
    pub launches: Vec<LaunchReport>,
    /// The memory before each launch that has begun, if launches are traced.
    before: Vec<Memory>,
    /// What copies moved from device to device.
    copied: Vec<Link>,
    /// What the host read.
    reads: Vec<Read<'a>>,
}

/// Runs the operations up to the first fault.
fn execute<'a>(
    run: &'a Run,
    modules: &[Arc<Module>],
    options: &'a Options,
) -> Result<Executed<'a>, String> {
    let devices = Devices::new(run, modules, options.input_seed)?;
    let (launches, before, copied, reads) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut executed = Executed { run, options, devices, launches, before, copied, reads };
    let mut next = 0;
    while let Some(operation) = run.operations.get(next) {
        match operation {
            Operation::Launch { group: Some(group), .. } => {
                next = group::run(&mut executed, &run.operations, next, group.number)?;
            }
            Operation::Launch { .. } => {
                executed.keep_memory();
                executed.launches.push(executed.devices.launch(operation, options)?);
                next += 1;
            }
            _ => {
                executed.transfer(operation)?;
                next += 1;
            }
        }
        if executed.launches.iter().any(|launch| launch.fault.is_some()) {
            break;
        }
    }
    Ok(executed)
}

impl<'a> Executed<'a> {
    /// Keeps the memory as it is before a launch, for its steps.
    pub fn keep_memory(&mut self) {
        if self.options.trace {
            self.before.push(self.devices.contents());
        }
    }

    /// Executes an operation that is no launch.
    pub fn transfer(&mut self, operation: &'a Operation) -> Result<(), String> {
        let devices = &self.devices;
        match operation {
            Operation::Launch { .. } => return Err("a launch is no transfer".into()),
            Operation::Copy { to, from, bytes } => {
                if let Some(link) = devices.copy(*to, *from, *bytes)? {
                    link.add_to(&mut self.copied);
                }
            }
            Operation::Fill { address, pattern, count } => {
                devices.fill(*address, &pattern.0, *count)?;
            }
            Operation::Write { address, content } => {
                devices.write(*address, &devices.content(content).bytes())?;
            }
            Operation::Read { address, content: expected } => {
                let expected = expected.as_ref();
                let bytes = devices.read(*address, expected.map_or(0, Expected::len))?;
                let before = self.run.allocations.iter().find(|known| known.address == *address);
                let before = before.map(|known| devices.content(&known.content).bytes());
                self.reads.push(Read { bytes, before, expected });
            }
        }
        Ok(())
    }

    /// What kernels and copies moved from device to device.
    fn links(&self) -> Vec<Link> {
        let mut links = self.copied.clone();
        let of_kernels = self.launches.iter().flat_map(|launch| &launch.links);
        of_kernels.for_each(|link| link.add_to(&mut links));
        links
    }
}
