//! `cargo run --bin chapter_3`: the ladder of scans.

use std::process::ExitCode;

use chapter_3_scan::chapter::Scan;
use report::Program;

const PROGRAM: Program = Program {
    name: "chapter_3",
    about: "Runs, checks and times every rung of the scan ladder",
    examples: "\
Examples, after `cargo run --bin chapter_3 --`:
  (nothing)                             every rung, on the best device
  --device sim -n 1023,2^20             on the simulator, two sizes
  --kind exclusive --dtype i64          the other kind, another type
  --op affine --dtype i64               an operator that does not commute
  --broken                              also the kernels that are wrong on purpose
  --json rows.jsonl --plot ladder.svg   results to files",
};

fn main() -> ExitCode {
    let command_line = report::parse::<Scan>(PROGRAM);
    report::exit(report::run_chapter(&Scan, &command_line))
}
