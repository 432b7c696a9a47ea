//! `cargo run --bin chapter_8`: the ladders of what several GPUs do together.

use std::process::ExitCode;

use chapter_2_histogram::rungs::shared_atomics::MOST_BINS;
use chapter_8_multi_gpu::{DeviceParameters, Task, chapter::MultiGpu, problem::MAX_DEVICES};
use clap::Parser;
use harness::{Error, Shape};
use report::{Options, TypeOptions};

/// Runs, checks and times every rung of a task that several GPUs do together.
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

    /// What the devices do together; several, comma separated
    #[arg(
        long,
        value_enum,
        value_name = "TASK",
        value_delimiter = ',',
        default_value = "all-reduce"
    )]
    task: Vec<Task>,

    /// Bins of a histogram, over the range from -1 to 1: 256 if left out
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(2..=i64::from(MOST_BINS)))]
    bins: Option<u32>,
}

const EXAMPLES: &str = "\
Examples, after `cargo run --bin chapter_8 --`:
  (nothing)                             every rung, on up to four devices
  --device sim --devices 2,4            on the simulator, two and four devices
  --kernel ring -n 2^20                 one rung, one size
  --task all-gather,all-to-all          other tasks than all-reduce
  --task transpose -n 512x1000          a matrix that is spread by rows
  --task scan --dtype i64               scans of an array that is spread over the devices
  --json rows.jsonl --plot ladder.svg   results to files";

fn devices(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count) if (2..=MAX_DEVICES).contains(&count) => Ok(count),
        _ => Err(format!("{text} is not a number from 2 to {MAX_DEVICES}")),
    }
}

/// Refuses vectors for tasks that are for matrices, and the other way around.
fn check_shapes(tasks: &[Task], shapes: &[Shape]) -> Result<(), Error> {
    for (task, shape) in tasks.iter().flat_map(|task| shapes.iter().map(move |shape| (task, shape)))
    {
        let (what, size) = match (task.is_for_matrices(), shape) {
            (true, Shape::Vector { .. }) => ("matrices", "ROWSxCOLS"),
            (false, Shape::Matrix { .. }) => ("vectors", "N"),
            _ => continue,
        };
        let what = format!("{task} is for {what}, and the size is {shape}");
        return Err(Error::usage(what, format!("give -n {size}")));
    }
    Ok(())
}

/// Refuses bins where no task has any.
fn check_bins(tasks: &[Task], bins: Option<u32>) -> Result<(), Error> {
    if bins.is_none() || tasks.contains(&Task::Histogram) {
        return Ok(());
    }
    Err(Error::usage("--bins is for the task histogram", "give --task histogram, or no --bins"))
}

fn main() -> ExitCode {
    let Arguments { options, types, devices, task, bins } = Arguments::parse();
    let checked = check_shapes(&task, &options.elements).and_then(|()| check_bins(&task, bins));
    if let Err(error) = checked {
        return report::exit(Err(error.into()));
    }
    let devices = match &devices[..] {
        [] => vec![None],
        given => given.iter().copied().map(Some).collect(),
    };
    let of_task = |task| devices.iter().map(move |&devices| (task, devices));
    let parameters = task.into_iter().flat_map(of_task);
    let parameters = parameters.map(|(task, devices)| {
        let bins = bins.filter(|_| task == Task::Histogram);
        DeviceParameters { devices, task: Some(task), bins }
    });
    report::exit(report::run_chapter(&MultiGpu, &options, &types, parameters))
}
