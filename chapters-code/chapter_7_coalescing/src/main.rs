//! `cargo run --bin chapter_7`: copies and other accesses to memory, by pattern.

use std::process::ExitCode;

use chapter_7_coalescing::{
    AccessParameters, Order, Records, chapter::Coalescing, patterns, problem::ANOTHER_TASK,
};
use clap::Parser;
use harness::{Case, Dtype, Op, shape::parse_count};
use report::{Chapter, Options, TypeOptions};

/// Runs, checks and times every rung on every kind of access.
#[derive(Parser)]
#[command(name = "chapter_7", version, after_help = EXAMPLES)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    types: TypeOptions,

    /// Only shifted copies: by how many elements; several, comma separated
    #[arg(
        long,
        value_name = "COUNT",
        value_delimiter = ',',
        allow_hyphen_values = true,
        value_parser = parse_count
    )]
    offset: Vec<u64>,

    /// Only strided copies: every how many elements one is copied; several, comma separated
    #[arg(
        long,
        value_name = "COUNT",
        value_delimiter = ',',
        allow_hyphen_values = true,
        value_parser = parse_count
    )]
    stride: Vec<u64>,

    /// Only records: sums of pairs, or updates of particles; both, comma separated
    #[arg(long, value_enum, value_delimiter = ',', value_name = "LAYOUT")]
    layout: Vec<Records>,

    /// Only permutations: ascending, random, sorted, or the length of the windows in which elements are
    /// shuffled; several, comma separated
    #[arg(long, value_delimiter = ',', value_name = "ORDER", allow_hyphen_values = true)]
    index_order: Vec<Order>,

    /// Only reads: packs of 16 bytes that a thread asks for at a time, 1, 2, 4 or 8; several, comma
    /// separated [default: 4]
    #[arg(long, value_delimiter = ',', value_name = "COUNT")]
    loads_per_thread: Vec<u32>,

    /// Only reads: blocks that a multiprocessor holds at a time, 1 to 8; several, comma separated
    /// [default: 4]
    #[arg(long, value_delimiter = ',', value_name = "COUNT")]
    resident: Vec<u32>,
}

const EXAMPLES: &str = "\
Examples, after `cargo run --bin chapter_7 --`:
  (nothing)                             every rung, on the best device
  --device sim -n 1023,2^20             on the simulator, two sizes
  --offset 0,1,8 --stride 1,2,3         shifted and strided copies
  --layout particles                    arrays of structures, structures of arrays
  --index-order 32,1024,random,sorted   gathers and scatters
  --loads-per-thread 1,8 --resident 1,8 reads with more and more bytes under way
  --broken                              also the kernels that are wrong on purpose
  --json rows.jsonl --plot ladder.svg   results to files";

impl Arguments {
    /// What is run: one of each task, or what the options speak of.
    fn parameters(&self) -> Vec<AccessParameters> {
        let asked = self.asked();
        let all = if asked.is_empty() { patterns::usual().into() } else { asked };
        let wanted: Vec<_> = all.iter().copied().filter(|p| self.is_wanted(*p)).collect();
        // Where the names go with none of them, what runs them says so.
        if wanted.is_empty() { all } else { wanted }
    }

    fn asked(&self) -> Vec<AccessParameters> {
        let mut asked: Vec<_> = self.stride.iter().copied().map(patterns::stride).collect();
        asked.extend(self.layout.iter().copied().map(patterns::records));
        asked.extend(self.index_order.iter().copied().map(patterns::order));
        asked.extend(self.reads());
        // Last, because of the broken rung among them that stops the device.
        asked.extend(self.offset.iter().copied().map(patterns::offset));
        asked
    }

    /// Every number of loads with every number of blocks, where either is given.
    fn reads(&self) -> Vec<AccessParameters> {
        if self.loads_per_thread.is_empty() && self.resident.is_empty() {
            return Vec::new();
        }
        let or_usual = |values: &[u32]| match values {
            [] => vec![4],
            values => values.to_vec(),
        };
        let resident = or_usual(&self.resident);
        let of_loads =
            |loads| resident.iter().map(move |&resident| patterns::reads(loads, resident));
        or_usual(&self.loads_per_thread).into_iter().flat_map(of_loads).collect()
    }

    /// Whether one of the rungs that are asked for by name is for it.
    fn is_wanted(&self, parameters: AccessParameters) -> bool {
        let case = Case::vector(0, Dtype::F32, Op::Sum).with(parameters);
        let is_for = |name: &String| {
            let rung = Coalescing.find(name);
            rung.and_then(|rung| rung.refusal(&case)) != Some(ANOTHER_TASK)
        };
        let names = &self.options.kernel;
        names.is_empty() || names.iter().any(is_for)
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let parameters = arguments.parameters();
    report::exit(report::run_chapter(&Coalescing, &arguments.options, &arguments.types, parameters))
}
