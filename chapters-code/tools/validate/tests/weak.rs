//! The book's kernels that wait for, count or poll other blocks. Each is right with weak memory, and
//! loses when a fence, a scope, a release or an acquire is taken away.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::Deserialize;
use simt::{BarrierOrder, Launch, LoadedKernel, LoadedModule, Memory, Options, WeakMemory};

/// The programs, with the changes that make each wrong.
const PROGRAMS: &str = include_str!("weak.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    program: Vec<Program>,
}

/// A kernel and what it is launched with. All take `in` and `out`, and most take `n` and two arrays of
/// zeroed scratch.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    name: String,
    /// The file of the kernel, below `chapters-code/`.
    ptx: PathBuf,
    entry: String,
    grid: u32,
    block: u32,
    /// Bytes of dynamic shared memory.
    #[serde(default)]
    shared: u32,
    n: usize,
    task: Task,
    /// The parameter after the scratch, if there is one.
    stages: Option<u32>,
    /// Changes that make it wrong.
    mutants: Vec<Mutant>,
}

/// A text that is replaced by another one in the kernel.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Mutant {
    from: String,
    to: String,
    /// How many occurrences, the first ones, stay.
    #[serde(default)]
    skip: usize,
    /// How the mutant loses.
    #[serde(default)]
    loses: Loses,
}

/// How a mutant loses.
#[derive(Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Loses {
    /// With barriers as on GPUs, and in PTX.
    #[default]
    Everywhere,
    /// With barriers as in PTX only.
    InPtx,
    /// The same, with few seeds. `__threadfence()` is `fence.sc`: the last block's first fence orders what
    /// other blocks wrote before theirs, unless it comes before one of them.
    InPtxSeldom,
}

/// What a kernel computes of numbers of 64 bits.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Task {
    Sum,
    /// The inclusive scan.
    Scan,
    /// The inclusive scan of segments that begin at multiples of [`SEGMENT`], given as bits.
    SegmentedScan,
    /// Counts of keys of 32 bits below 8.
    Histogram,
    /// Rounds of adding 1 and moving by a block, with a barrier of the grid after each.
    Rotate,
}

fn programs() -> Vec<Program> {
    toml::from_str::<File>(PROGRAMS).expect("it lists programs").program
}

/// Elements of a segment of [`Task::SegmentedScan`].
const SEGMENT: usize = 2500;

/// Rounds of [`Task::Rotate`].
const ROUNDS: u32 = 3;

/// A program in memory, and one of its inputs.
struct Loaded<'p> {
    program: &'p Program,
    memory: Memory,
    kernel: Arc<LoadedKernel>,
    input: Vec<u64>,
}

impl<'p> Loaded<'p> {
    fn new(program: &'p Program, ptx: &str) -> Self {
        let memory = Memory::new(1 << 24);
        let module = ptx::parse(ptx).unwrap_or_else(|e| panic!("{}: {e}", program.name));
        let module = LoadedModule::load(module, &memory).expect("there is room");
        let kernel = module.kernel(&program.entry).expect("the file has this kernel");
        let numbers = (0..program.n as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8);
        Self { program, memory, kernel, input: numbers.collect() }
    }

    fn array(&self, bytes: &[u8]) -> u64 {
        self.memory.allocate_with(bytes).expect("there is room")
    }

    /// Returns the bytes of the input and of the expected output.
    fn expected(&self) -> (Vec<u8>, Vec<u8>) {
        let wide =
            |numbers: &[u64]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>();
        let narrow =
            |numbers: &[u32]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>();
        let input = &self.input;
        let scans = |segment: usize| {
            let mut sums = input.clone();
            for segment in sums.chunks_mut(segment) {
                (1..segment.len())
                    .for_each(|i| segment[i] = segment[i].wrapping_add(segment[i - 1]));
            }
            (wide(input), wide(&sums))
        };
        match self.program.task {
            Task::Sum => (wide(input), wide(&[input.iter().fold(0, |x, y| x.wrapping_add(*y))])),
            Task::Scan => scans(input.len()),
            Task::SegmentedScan => scans(SEGMENT),
            Task::Histogram => {
                let keys: Vec<u32> = input.iter().map(|x| (x % 8) as u32).collect();
                let mut counts = [0; 11];
                keys.iter().for_each(|key| counts[*key as usize] += 1);
                (narrow(&keys), narrow(&counts))
            }
            Task::Rotate => {
                let n = self.program.n;
                let moved = |i| ((i + ROUNDS as usize * self.program.block as usize) % n) as u32;
                let start: Vec<u32> = (0..n as u32).map(|i| 100 * i).collect();
                let end: Vec<u32> = (0..n).map(|i| 100 * moved(i) + ROUNDS).collect();
                (narrow(&start), narrow(&end))
            }
        }
    }

    /// The bits of [`Task::SegmentedScan`].
    fn heads(&self) -> Vec<u8> {
        let mut bits = vec![0; self.input.len().div_ceil(32) * 4];
        for head in (0..self.input.len()).step_by(SEGMENT) {
            bits[head / 8] |= 1 << (head % 8);
        }
        bits
    }

    /// Runs it with weak memory. Returns what is wrong.
    fn run(&self, weak: WeakMemory) -> Result<(), String> {
        let (input, expected) = self.expected();
        let Program { grid, block, shared, task, stages, .. } = *self.program;
        let from = self.array(&input);
        let to = self.array(&vec![0xcd; expected.len()]);
        let bits = self.array(&self.heads());
        let scratch = [(); 2].map(|()| self.array(&[0; 256]));
        let workspace = self.memory.allocate_grid_workspace().expect("there is room").start;
        let (n, [first, second]) = (self.program.n as u64, scratch.map(u64::to_le_bytes));
        let (from_bytes, to_bytes, n) = (from.to_le_bytes(), to.to_le_bytes(), n.to_le_bytes());
        let mut params = [from_bytes, to_bytes].concat();
        match task {
            Task::SegmentedScan => {
                params = [from_bytes, bits.to_le_bytes(), to_bytes, n, first, second].concat();
            }
            Task::Sum | Task::Scan => {
                params.extend([n, first, second].concat());
                params.extend(stages.map(u32::to_le_bytes).into_iter().flatten());
            }
            Task::Histogram => {
                params.extend(n);
                // 8 bins, and no range; one copy.
                params.extend([8u32, 0, 0, 0, 0, 0].map(u32::to_le_bytes).concat());
                params.extend(first);
            }
            Task::Rotate => params.extend(ROUNDS.to_le_bytes()),
        }
        let launch = Launch::new(&self.kernel, [grid, 1, 1], [block, 1, 1], &params);
        let launch = Launch { dynamic_shared: shared, ..launch };
        let options = Options::default().with(|options| {
            options.races = true;
            options.instruction_limit = 1 << 26;
            options.grid_workspace = workspace;
            options.weak_memory = Some(weak);
        });
        let report = simt::launch(&self.memory, &launch, &options);
        // An odd number of rounds ends in the second array.
        let found = self.memory.content(to, expected.len()).expect("it is mapped");
        for address in [from, to, bits, workspace].into_iter().chain(scratch) {
            self.memory.free(address).expect("it is allocated");
        }
        if let Some(fault) = report.fault {
            return Err(fault.message);
        }
        if let Some(race) = report.races.first() {
            return Err(race.message.clone());
        }
        let wrong = found.iter().zip(&expected).position(|(found, expected)| found != expected);
        wrong.map_or(Ok(()), |at| Err(format!("byte {at} of the output is wrong")))
    }

    /// Returns the first seed with which it fails, and why.
    fn fails(&self, seeds: u64, barriers: BarrierOrder) -> Option<(u64, String)> {
        (1..=seeds).find_map(|seed| {
            let weak = WeakMemory { seed, barriers, ..WeakMemory::default() };
            self.run(weak).err().map(|why| (seed, why))
        })
    }
}

impl Program {
    /// The PTX of the file.
    fn ptx(&self) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(&self.ptx);
        fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// Returns the PTX with a mutant's replacement in the kernel.
    fn mutated(&self, Mutant { from, to, skip, .. }: &Mutant) -> String {
        let ptx = self.ptx();
        let begin = ptx.find(&format!(".entry {}(", self.entry)).expect("it has the kernel");
        let end = ptx[begin + 1..].find(".entry").map_or(ptx.len(), |at| begin + 1 + at);
        let body = &ptx[begin..end];
        let nth = body.match_indices(from).nth(*skip);
        let at = nth.unwrap_or_else(|| panic!("{}: no {from}", self.name)).0;
        let changed = body[at..].replace(from, to);
        [&ptx[..begin], &body[..at], &changed, &ptx[end..]].concat()
    }
}

const BOTH: [BarrierOrder; 2] = [BarrierOrder::AsOnGpus, BarrierOrder::AsInPtx];

fn right_kernels_stay_right(seeds: u64, which: impl Fn(&Program) -> bool) {
    for program in programs().iter().filter(|program| which(program)) {
        let loaded = Loaded::new(program, &program.ptx());
        for barriers in BOTH {
            assert_eq!(loaded.fails(seeds, barriers), None, "{}: {barriers:?}", program.name);
        }
    }
}

fn mutants_lose(seeds: u64, which: impl Fn(&Mutant) -> bool) {
    let mut wrong = Vec::new();
    for program in &programs() {
        for mutant in program.mutants.iter().filter(|mutant| which(mutant)) {
            let loaded = Loaded::new(program, &program.mutated(mutant));
            let found = BOTH.map(|barriers| loaded.fails(seeds, barriers));
            let expected = [mutant.loses == Loses::Everywhere, true];
            if found.each_ref().map(Option::is_some) != expected {
                let (name, Mutant { from, to, .. }) = (&program.name, mutant);
                wrong.push(format!("{name}: {from} -> {to}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn some_seeds_change_no_right_kernel() {
    right_kernels_stay_right(2, |_| true);
}

#[test]
fn mutants_lose_with_some_seed() {
    mutants_lose(12, |mutant| mutant.loses != Loses::InPtxSeldom);
}

#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_mutants_lose() {
    mutants_lose(400, |_| true);
}

/// The others are rungs of the book, which `record` runs with as many seeds.
#[test]
#[ignore = "exhaustive: `cargo test -- --ignored exhaustive`"]
fn exhaustive_200_seeds_change_no_barrier_of_the_grid() {
    right_kernels_stay_right(200, |program| program.task == Task::Rotate);
}
