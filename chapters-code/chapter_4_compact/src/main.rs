//! `cargo run --bin chapter_4`: the ladder of compactions.

use std::{path::PathBuf, process::ExitCode};

use chapter_4_compact::{chapter::Compact, mask_file};
use clap::Args;
use report::{CommandLine, Program};

/// What only this program has.
#[derive(Args)]
struct Own {
    /// Select by the mask in this text of 0 and 1, instead of one made from the seed
    #[arg(long, value_name = "PATH", conflicts_with_all = ["density", "mask", "broken"])]
    mask_file: Option<PathBuf>,
}

const PROGRAM: Program = Program {
    name: "chapter_4",
    about: "Runs, checks and times every rung of the ladder of compactions",
    examples: "\
Examples, after `cargo run --bin chapter_4 --`:
  (nothing)                             every rung, on the best device
  --device sim -n 1023,2^20             on the simulator, two sizes
  --density 0,1/64,1/2,1 --select bits  nothing, little, half and all of it
  -n 4096x1000                          rows of a matrix
  -n 8 --mask-file mask.txt             a mask of your own
  --broken                              also the kernels that are wrong on purpose
  --json rows.jsonl --plot ladder.svg   results to files",
};

fn main() -> ExitCode {
    let (command_line, own) = report::parse_with::<Compact, _>(PROGRAM);
    report::exit(run(&command_line, own))
}

fn run(command_line: &CommandLine, Own { mask_file }: Own) -> anyhow::Result<bool> {
    let mask = mask_file.as_deref().map(mask_file::read).transpose()?;
    report::run_chapter(&Compact { mask }, command_line)
}
