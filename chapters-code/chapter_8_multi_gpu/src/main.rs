//! `cargo run --bin chapter_8`: the ladders of what several GPUs do together.

use std::process::ExitCode;

use chapter_8_multi_gpu::{Task, chapter::MultiGpu};
use harness::{Error, Shape};
use report::{CommandLine, Program};

const PROGRAM: Program = Program {
    name: "chapter_8",
    about: "Runs, checks and times every rung of a task that several GPUs do together",
    examples: "\
Examples, after `cargo run --bin chapter_8 --`:
  (nothing)                             every rung, on up to four devices
  --device sim --devices 2,4            on the simulator, two and four devices
  --kernel ring -n 2^20                 one rung, one size
  --task all-gather,all-to-all          other tasks than all-reduce
  --task transpose -n 512x1000          a matrix that is spread by rows
  --task scan --dtype i64               scans of an array that is spread over the devices
  --json rows.jsonl --plot ladder.svg   results to files",
};

fn main() -> ExitCode {
    report::exit(run(&report::parse::<MultiGpu>(PROGRAM)))
}

fn run(command_line: &CommandLine) -> anyhow::Result<bool> {
    let CommandLine { options, asked, .. } = command_line;
    let tasks = asked.values("task").iter().filter_map(|task| task.parse().ok());
    check_shapes(tasks, &options.elements)?;
    report::run_chapter(&MultiGpu, command_line)
}

/// Refuses vectors for tasks that are for matrices, and the other way around.
fn check_shapes(tasks: impl Iterator<Item = Task>, shapes: &[Shape]) -> Result<(), Error> {
    for (task, shape) in tasks.flat_map(|task| shapes.iter().map(move |shape| (task, shape))) {
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
