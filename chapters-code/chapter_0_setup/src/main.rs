//! `cargo run --bin chapter_0`: what this machine has, the first kernel, and the ceilings.

use std::process::ExitCode;

use chapter_0_setup::{chapter::Setup, doctor, vector_add};
use harness::Device;
use report::{CommandLine, Options, Program, terminal};

const PROGRAM: Program = Program {
    name: "chapter_0",
    about: "Reports what this machine has and lacks, runs the first kernel, and measures the device's ceilings",
    examples: "\
Examples, after `cargo run --bin chapter_0 --`:
  (nothing)                     the report, and the kernels on the best device
  --device sim --kernel copy    one kernel, on the simulator
  -n 2^16,2^20,2^24             several sizes",
};

fn main() -> ExitCode {
    report::exit(run(&report::parse::<Setup>(PROGRAM)))
}

fn run(command_line: &CommandLine) -> anyhow::Result<bool> {
    let options = &command_line.options;
    if options.prints() && !options.list {
        describe(options)?;
    }
    report::run_chapter(&Setup, command_line)
}

/// Prints what the machine and the device have, and what the first kernel computes.
fn describe(options: &Options) -> anyhow::Result<()> {
    terminal::print(&format!("{}\n", doctor::report(terminal::width())))?;
    let device = Device::open(options.device)?;
    terminal::print(&format!("{}\n", doctor::describe(&device)))?;
    let sum = vector_add(&device.context, &[3.0, 1.0, 7.0, 0.0], &[4.0, 1.0, 6.0, 3.0])
        .map_err(|error| device.explain("adding two vectors", error))?;
    Ok(terminal::print(&format!("the first kernel: [3, 1, 7, 0] + [4, 1, 6, 3] = {sum:?}\n\n"))?)
}
