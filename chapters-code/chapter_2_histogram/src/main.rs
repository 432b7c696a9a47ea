//! `cargo run --bin chapter_2`: the ladder of histograms.

use std::process::ExitCode;

use chapter_2_histogram::chapter::{Histogram, OutOfRange};
use clap::Args;
use report::Program;

/// What only this program has.
#[derive(Args)]
struct Own {
    /// What to do about keys that have no bin
    #[arg(long, value_enum, default_value = "count", value_name = "WHAT")]
    out_of_range: OutOfRange,
}

const PROGRAM: Program = Program {
    name: "chapter_2",
    about: "Runs, checks and times every rung of the histogram ladder",
    examples: "\
Examples, after `cargo run --bin chapter_2 --`:
  (nothing)                             every rung, on the best device
  --device sim -n 1023,2^20 --bins 16   on the simulator, two sizes
  --dtype u8 --input zipf,constant      bytes, two skewed inputs
  --keys 300 --out-of-range refuse      keys that have no bin
  --kernel banked --range 0..2^20       integers in even bins of a range
  --broken                              also the kernels that are wrong on purpose
  --json rows.jsonl --plot ladder.svg   results to files",
};

fn main() -> ExitCode {
    let (command_line, Own { out_of_range }) = report::parse_with::<Histogram, _>(PROGRAM);
    report::exit(report::run_chapter(&Histogram { out_of_range }, &command_line))
}
