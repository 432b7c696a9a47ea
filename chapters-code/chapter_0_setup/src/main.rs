//! `cargo run --bin chapter_0`: what this machine has, the first kernel, and the ceilings.

use std::process::ExitCode;

use chapter_0_setup::{chapter::Setup, doctor, vector_add};
use clap::Parser;
use harness::{Device, Parameters};
use report::{Options, TypeOptions, terminal};

/// Reports what this machine has and lacks, runs the first kernel, and measures the device's
/// ceilings.
#[derive(Parser)]
#[command(name = "chapter_0", version, after_help = EXAMPLES)]
struct Arguments {
    #[command(flatten)]
    options: Options,
}

const EXAMPLES: &str = "\
Examples, after `cargo run --bin chapter_0 --`:
  (nothing)                     the report, and the kernels on the best device
  --device sim --kernel copy    one kernel, on the simulator
  -n 2^16,2^20,2^24             several sizes";

fn main() -> ExitCode {
    report::exit(run(Arguments::parse()))
}

fn run(Arguments { options }: Arguments) -> anyhow::Result<bool> {
    if options.prints() && !options.list {
        terminal::print(&format!("{}\n", doctor::report(terminal::width())))?;
        let device = Device::open(options.device)?;
        terminal::print(&format!("{}\n", doctor::describe(&device)))?;
        let sum = vector_add(&device.context, &[3.0, 1.0, 7.0, 0.0], &[4.0, 1.0, 6.0, 3.0])
            .map_err(|error| device.explain("adding two vectors", error))?;
        terminal::print(&format!("the first kernel: [3, 1, 7, 0] + [4, 1, 6, 3] = {sum:?}\n\n"))?;
    }
    report::run_chapter(&Setup, &options, &TypeOptions::default(), [Parameters::NONE])
}
