//! `cargo run --bin chapter_1`: the ladder of reductions.

use std::process::ExitCode;

use chapter_1_reduce::chapter::Reduce;
use clap::Parser;
use harness::Parameters;
use report::{Options, TypeOptions};

/// Runs, checks and times every rung of the reduction ladder.
#[derive(Parser)]
#[command(name = "chapter_1", version, after_help = EXAMPLES)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    types: TypeOptions,
}

const EXAMPLES: &str = "\
Examples, after `cargo run --bin chapter_1 --`:
  (nothing)                             every rung, on the best device
  --device sim -n 1023,2^20             on the simulator, two sizes
  --kernel shuffle --dtype f16,bf16     one rung, two types
  --broken                              also the kernels that are wrong on purpose
  --json rows.jsonl --plot ladder.svg   results to files";

fn main() -> ExitCode {
    let Arguments { options, types } = Arguments::parse();
    report::exit(report::run_chapter(&Reduce, &options, &types, [Parameters::NONE]))
}
