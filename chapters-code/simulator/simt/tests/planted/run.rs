//! Runs one kernel of the list on the machine.

use simt::{FaultKind, Options};
use simt_report::RaceKind;

use super::list::{Planted, SCRATCH, input};
use crate::device::{Device, Shape, pointer, scalar, shape};

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

/// Runs a kernel with options to which the race check and the limit are added. Its arguments are `in`, `out`, `scratch`,
/// `fresh` and `n`.
pub fn run_with(planted: &Planted, kernel: &str, options: Options) -> Vec<Found> {
    let device = Device::of(planted.ptx);
    let (bytes, values) = (4 * planted.n as usize, (0..planted.n).map(input));
    let arrays = [
        device.array(&values.collect::<Vec<i32>>()),
        device.array(&vec![0u8; bytes]),
        device.array(&[0u32; SCRATCH as usize]),
        device.unwritten(bytes),
    ];
    if planted.frees() {
        device.memory.free(arrays[3].address).expect("it is allocated");
    }
    let mut arguments = arrays.map(pointer).to_vec();
    arguments.push(scalar(planted.n));
    let shape =
        Shape { dynamic_shared: planted.dynamic_shared(), ..shape(planted.grid, planted.block) };
    let options = options.with(|options| {
        options.races = true;
        options.instruction_limit = LIMIT;
    });
    let report = device.launch(kernel, shape, &arguments, &options);
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
