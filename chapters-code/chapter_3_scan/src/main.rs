//! `cargo run --bin chapter_3`: the ladder of scans.

use std::process::ExitCode;

use chapter_3_scan::{ScanParameters, chapter::Scan};
use clap::Parser;
use harness::Kind;
use report::{Options, TypeOptions};

/// Runs, checks and times every rung of the scan ladder.
#[derive(Parser)]
#[command(name = "chapter_3", version, after_help = EXAMPLES)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    types: TypeOptions,
    /// Whether a result takes in its own element, or only those before it; both, comma separated
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        default_value = "inclusive",
        value_name = "KIND"
    )]
    kind: Vec<Kind>,
}

const EXAMPLES: &str = "\
Examples, after `cargo run --bin chapter_3 --`:
  (nothing)                             every rung, on the best device
  --device sim -n 1023,2^20             on the simulator, two sizes
  --kind exclusive --dtype i64          the other kind, another type
  --op affine --dtype i64               an operator that does not commute
  --broken                              also the kernels that are wrong on purpose
  --json rows.jsonl --plot ladder.svg   results to files";

fn main() -> ExitCode {
    let Arguments { options, types, kind } = Arguments::parse();
    let parameters = kind.into_iter().map(ScanParameters::of_kind);
    report::exit(report::run_chapter(&Scan, &options, &types, parameters))
}
