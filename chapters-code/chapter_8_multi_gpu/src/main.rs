//! `cargo run --bin chapter_8`: the ladder of all-reduces.

use std::process::ExitCode;

use chapter_8_multi_gpu::{DeviceParameters, chapter::MultiGpu, problem::MOST};
use clap::Parser;
use report::{Options, TypeOptions};

/// Runs, checks and times every rung of the all-reduce ladder.
#[derive(Parser)]
#[command(name = "chapter_8", version, after_help = EXAMPLES)]
struct Arguments {
    #[command(flatten)]
    options: Options,
    #[command(flatten)]
    types: TypeOptions,

    /// Devices to use, each with an array of its own: 2 to 8, and up to four of those that there are if left out;
    /// several numbers, comma separated
    #[arg(long, value_name = "COUNT", value_delimiter = ',', value_parser = devices)]
    devices: Vec<usize>,
}

const EXAMPLES: &str = "\
Examples, after `cargo run --bin chapter_8 --`:
  (nothing)                             every rung, on up to four devices
  --device sim --devices 2,4            on the simulator, two and four devices
  --kernel ring -n 2^20                 one rung, one size
  --json rows.jsonl --plot ladder.svg   results to files";

fn devices(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if (2..=MOST).contains(&count) => Ok(count),
        _ => Err(format!("{text} is not a number from 2 to {MOST}")),
    }
}

fn main() -> ExitCode {
    let Arguments { options, types, devices } = Arguments::parse();
    let mut parameters: Vec<_> =
        devices.into_iter().map(|count| DeviceParameters { devices: Some(count) }).collect();
    if parameters.is_empty() {
        parameters.push(DeviceParameters::default());
    }
    report::exit(report::run_chapter(&MultiGpu, &options, &types, parameters))
}
