//! `cargo run --bin chapter_1`: the ladder of reductions.

use std::process::ExitCode;

use chapter_1_reduce::chapter::Reduce;
use harness::{Options, TypeOptions, cli};

/// Runs, checks and times every rung of the reduction ladder.
#[derive(clap::Parser)]
#[command(name = "chapter_1", version, after_help = cli::EXAMPLES)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    types: TypeOptions,
}

fn main() -> ExitCode {
    harness::main(|Arguments { options, types }| harness::run(&Reduce, &options, &types))
}
