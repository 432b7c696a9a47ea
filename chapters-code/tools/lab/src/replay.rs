//! Executes a recorded run again: with another order of warps, without some barriers, on other digits.

use std::sync::Arc;

use ptx::ir::Module;
use serde::{Deserialize, Serialize};
use simt::{LoadedModule, Memory};
use simt_report::{Counters, LaunchReport, WeakMemory};

use crate::content::{Content, Expected, hash};
use crate::data::{Operation, Run};
use crate::value;
use crate::weak::{self, Weak};

/// Bytes of the simulated device.
const CAPACITY: u64 = 1 << 30;
/// The structure through which the blocks of a cooperative launch meet, with a barrier at which no block has arrived
/// (`cooperative_groups/details/driver_abi.h`).
const GRID_WORKSPACE: [u32; 2] = [8, 0];
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

/// What a run did.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Its launches, each with its counters, races, trace and fault.
    pub launches: Vec<LaunchReport>,
    /// The counters of all launches together.
    pub counters: Counters,
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
    }
    outcome.weak = Some(weak);
    Ok(outcome)
}

impl Execution<'_> {
    /// Executes the run once.
    pub(crate) fn outcome(&self) -> Result<Outcome, String> {
        let Self { run, modules, right, options } = *self;
        let (launches, reads) = execute(run, modules, options)?;
        let mut counters = Counters::default();
        launches
            .iter()
            .filter_map(|launch| launch.counters)
            .for_each(|counted| counters += counted);
        let ended = launches.iter().all(|launch| launch.fault.is_none());
        let mut outcome = Outcome {
            launches,
            counters,
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
    let (_, reads) = execute(run, unchanged, &plain)?;
    Ok(reads.into_iter().map(|read| Some(read.bytes)).collect())
}

/// The right results that were recorded; none where nothing is known of one read.
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

/// Runs the operations up to the first fault. Gives the launches, and what the host read.
fn execute<'a>(
    run: &'a Run,
    modules: &[Arc<Module>],
    options: &Options,
) -> Result<(Vec<LaunchReport>, Vec<Read<'a>>), String> {
    let device = Device::new(run, modules, options)?;
    let (mut launches, mut reads) = (Vec::new(), Vec::new());
    for operation in &run.operations {
        match operation {
            Operation::Launch { .. } => {
                let report = device.launch(operation, options)?;
                let is_stopped = report.fault.is_some();
                launches.push(report);
                if is_stopped {
                    break;
                }
            }
            Operation::Copy { to, from, bytes } => {
                let [to, from] = [device.address(*to), device.address(*from)];
                device.memory.copy(to, from, *bytes).map_err(in_words)?;
            }
            Operation::Fill { address, pattern, count } => {
                let address = device.address(*address);
                device.memory.fill(address, &pattern.0, *count).map_err(in_words)?;
            }
            Operation::Write { address, content } => {
                let content = device.content(content).bytes();
                device.memory.write(device.address(*address), &content).map_err(in_words)?;
            }
            Operation::Read { address, content: expected } => {
                let bytes = expected.as_ref().map_or(0, Expected::len);
                let mut bytes = vec![0; bytes];
                device.memory.read(device.address(*address), &mut bytes).map_err(in_words)?;
                let before = run.allocations.iter().find(|known| known.address == *address);
                let before = before.map(|known| device.content(&known.content).bytes());
                let expected = expected.as_ref();
                reads.push(Read { bytes, before, expected });
            }
        }
    }
    Ok((launches, reads))
}

fn in_words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// A device with the allocations of a run.
struct Device {
    memory: Memory,
    modules: Vec<LoadedModule>,
    /// For each allocation of the recorded device, its range there and its address here.
    allocations: Vec<(std::ops::Range<u64>, u64)>,
    input_seed: Option<u64>,
}

impl Device {
    fn new(run: &Run, modules: &[Arc<Module>], options: &Options) -> Result<Self, String> {
        let memory = Memory::new(CAPACITY);
        let modules = modules
            .iter()
            .map(|module| LoadedModule::load(module.clone(), &memory).map_err(in_words));
        let modules = modules.collect::<Result<_, _>>()?;
        let input_seed = options.input_seed;
        let mut device = Self { memory, modules, allocations: Vec::new(), input_seed };
        for allocation in &run.allocations {
            let content = device.content(&allocation.content).bytes();
            let address = device.memory.allocate(content.len() as u64).map_err(in_words)?;
            device.memory.write(address, &content).map_err(in_words)?;
            let end = allocation.address + content.len() as u64;
            device.allocations.push((allocation.address..end, address));
        }
        Ok(device)
    }

    fn content(&self, content: &Content) -> Content {
        self.input_seed.map_or_else(|| content.clone(), |seed| content.with_seed(seed))
    }

    /// The address here of what had `address` on the recorded device; any other number is as it is.
    fn address(&self, address: u64) -> u64 {
        let found = self.allocations.iter().find(|(range, _)| range.contains(&address));
        found.map_or(address, |(range, here)| here + (address - range.start))
    }

    fn launch(&self, operation: &Operation, options: &Options) -> Result<LaunchReport, String> {
        let Operation::Launch { module, kernel, parameters, cooperative, .. } = operation else {
            return Err("this is no launch".into());
        };
        let Operation::Launch { grid, block, dynamic_shared, .. } = *operation else {
            return Err("this is no launch".into());
        };
        let module =
            self.modules.get(*module).ok_or("a launch names a module that is not there")?;
        let kernel = module.kernel(kernel).ok_or_else(|| format!("there is no kernel {kernel}"))?;
        let mut params = parameters.0.clone();
        for word in params.chunks_exact_mut(8) {
            let address = u64::from_le_bytes(word.try_into().unwrap_or_default());
            word.copy_from_slice(&self.address(address).to_le_bytes());
        }
        let grid_workspace = match cooperative {
            true => self.grid_workspace()?,
            false => 0,
        };
        let options = simt::Options {
            weak_memory: options.weak_memory.clone(),
            active_masks: 0,
            seed: options.seed,
            counters: true,
            races: options.races,
            trace: options.trace,
            trace_registers: options.trace,
            instruction_limit: options.instruction_limit,
            resident_blocks: options.resident_blocks,
            grid_workspace,
            // So that the first race reported is the same one everywhere: a page has no other thread.
            threads: 1,
        };
        let launch = simt::Launch {
            kernel: &kernel,
            grid,
            block,
            cluster: None,
            dynamic_shared,
            params: &params,
        };
        Ok(simt::launch(&self.memory, &launch, &options))
    }

    fn grid_workspace(&self) -> Result<u64, String> {
        let content = GRID_WORKSPACE.map(u32::to_le_bytes);
        let content = content.as_flattened();
        let address = self.memory.allocate(content.len() as u64).map_err(in_words)?;
        self.memory.write(address, content).map_err(in_words)?;
        Ok(address)
    }
}
