//! `cargo run --release --bin validate`: records on a GPU, or compares with the simulator, the results
//! of instructions, the counters of launches, and kernels with seeded bugs. The program runs without the
//! workspace; it needs nothing but a driver.

mod command;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use command::{instructions, launches, seeded_bugs};

/// Records on a GPU, or compares with the simulator
#[derive(Parser)]
#[command(name = "validate", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs kernels of one instruction each and records the bits of their results, a file per kernel
    Instructions(instructions::Arguments),
    /// Launches every rung once, and probes of shared and global memory, for a profiler to count
    Launches(launches::Arguments),
    /// Launches a kernel with a seeded bug, for a checker such as compute-sanitizer
    SeededBugs(seeded_bugs::Arguments),
}

fn main() -> ExitCode {
    report::exit(match Arguments::parse().command {
        Command::Instructions(arguments) => instructions::run(&arguments),
        Command::Launches(arguments) => launches::run(arguments).map(|()| true),
        Command::SeededBugs(arguments) => seeded_bugs::run(arguments).map(|()| true),
    })
}
