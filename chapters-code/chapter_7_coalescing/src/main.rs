//! `cargo run --bin chapter_7`: copies and other accesses to memory, by pattern.

use std::process::ExitCode;

use chapter_7_coalescing::chapter::Coalescing;
use report::Program;

const PROGRAM: Program = Program {
    name: "chapter_7",
    about: "Runs, checks and times every rung on every kind of access",
    examples: "\
Examples, after `cargo run --bin chapter_7 --`:
  (nothing)                             every rung, on the best device
  --device sim -n 1023,2^20             on the simulator, two sizes
  --offset 0,1,8 --stride 1,2,3         shifted and strided copies
  --layout particles                    arrays of structures, structures of arrays
  --index-order 32,1024,random,sorted   gathers and scatters
  --loads-per-thread 1,8 --resident 1,8 reads with more and more bytes under way
  --broken                              also the kernels that are wrong on purpose
  --json rows.jsonl --plot ladder.svg   results to files",
};

fn main() -> ExitCode {
    let command_line = report::parse::<Coalescing>(PROGRAM);
    report::exit(report::run_chapter(&Coalescing, &command_line))
}
