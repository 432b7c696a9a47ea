//! `cargo run --bin chapter_1`: the ladder of reductions.

use std::process::ExitCode;

use chapter_1_reduce::chapter::Reduce;
use report::Program;

const PROGRAM: Program = Program {
    name: "chapter_1",
    about: "Runs, checks and times every rung of the reduction ladder",
    examples: "\
Examples, after `cargo run --bin chapter_1 --`:
  (nothing)                             every rung, on the best device
  --device sim -n 1023,2^20             on the simulator, two sizes
  --kernel shuffle --dtype f16,bf16     one rung, two types
  --broken                              also the kernels that are wrong on purpose
  --json rows.jsonl --plot ladder.svg   results to files",
};

fn main() -> ExitCode {
    let command_line = report::parse::<Reduce>(PROGRAM);
    report::exit(report::run_chapter(&Reduce, &command_line))
}
