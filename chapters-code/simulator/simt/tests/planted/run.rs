//! Runs one kernel of the list on the machine.

use simt::{FaultKind, Launch, LoadedModule, Memory, Options};
use simt_report::RaceKind;

use super::list::{Planted, SCRATCH, input};

/// The kind of a race or a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Race(RaceKind),
    Fault(FaultKind),
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Race(kind) => kind.fmt(f),
            Self::Fault(kind) => kind.fmt(f),
        }
    }
}

/// Something that the machine said.
pub struct Found {
    pub kind: Kind,
    pub message: String,
}

/// Warp instructions after which a kernel counts as hung.
const LIMIT: u64 = 1 << 24;

/// Runs a kernel, and returns what was found.
pub fn run(planted: &Planted, kernel: &str, seed: u64) -> Vec<Found> {
    // With seed 0 what is found is the same every time; the others have real threads too.
    let threads = usize::from(seed == 0);
    run_with(
        planted,
        kernel,
        Options::default().with(|options| {
            options.seed = seed;
            options.threads = threads;
        }),
    )
}

/// Runs a kernel with options to which the race check and the limit are added.
pub fn run_with(planted: &Planted, kernel: &str, options: Options) -> Vec<Found> {
    let memory = Memory::new(1 << 20);
    let module = ptx::parse(planted.ptx).unwrap_or_else(|e| panic!("{}: {e}", planted.file));
    let module = LoadedModule::load(module, &memory).expect("there is room");
    let kernel = module.kernel(kernel).expect("the file has it");
    let params = arguments(&memory, planted);
    let launch = Launch {
        kernel: &kernel,
        grid: [planted.grid, 1, 1],
        block: [planted.block, 1, 1],
        cluster: None,
        dynamic_shared: planted.dynamic_shared(),
        params: &params,
    };
    let options = options.with(|options| {
        options.races = true;
        options.instruction_limit = LIMIT;
    });
    let report = simt::launch(&memory, &launch, &options);
    let races = report
        .races
        .into_iter()
        .chain(report.notes)
        .map(|race| Found { kind: Kind::Race(race.kind), message: race.message });
    let fault = report
        .fault
        .into_iter()
        .map(|fault| Found { kind: Kind::Fault(fault.kind), message: fault.message });
    races.chain(fault).collect()
}

/// `in`, `out`, `scratch`, `fresh`, `n`.
fn arguments(memory: &Memory, planted: &Planted) -> Vec<u8> {
    let bytes = 4 * u64::from(planted.n);
    let allocate = |bytes| memory.allocate(bytes).expect("there is room");
    let values: Vec<u8> = (0..planted.n).flat_map(|i| input(i).to_le_bytes()).collect();
    let from = allocate(bytes);
    memory.write(from, &values).expect("it is mapped");
    let out = allocate(bytes);
    memory.fill(out, &[0], bytes).expect("it is mapped");
    let scratch = allocate(4 * u64::from(SCRATCH));
    memory.fill(scratch, &[0], 4 * u64::from(SCRATCH)).expect("it is mapped");
    let fresh = allocate(bytes);
    if planted.frees() {
        memory.free(fresh).expect("it is allocated");
    }
    let mut params: Vec<u8> =
        [from, out, scratch, fresh].iter().flat_map(|p| p.to_le_bytes()).collect();
    params.extend(planted.n.to_le_bytes());
    params
}
