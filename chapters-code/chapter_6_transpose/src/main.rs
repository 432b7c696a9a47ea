//! `cargo run --bin chapter_6`: the ladder of transposes.

use std::process::ExitCode;

use chapter_6_transpose::chapter::Transpose;
use report::Program;

const PROGRAM: Program = Program {
    name: "chapter_6",
    about: "Runs, checks and times every rung of the transpose ladder",
    examples: "\
Examples, after `cargo run --bin chapter_6 --`:
  (nothing)                             every rung, on the best device
  --device sim -n 1023x511,1x100        on the simulator, two sizes
  --dtype u8,u16,f32,f64,u128           elements of 1, 2, 4, 8 and 16 bytes
  -n 100x60 --batch 8 --ld 64           eight matrices whose rows begin every 64 elements
  --kernel in_place -n 1000x1000        a square onto itself
  --broken                              also the kernels that are wrong on purpose
  --json rows.jsonl --plot ladder.svg   results to files",
};

fn main() -> ExitCode {
    let command_line = report::parse::<Transpose>(PROGRAM);
    report::exit(report::run_chapter(&Transpose, &command_line))
}
