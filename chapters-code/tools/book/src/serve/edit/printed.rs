//! What a kernel prints. The machine in a page has no output, so this program executes the run of the page once more, in
//! the same order, in a process of its own.

use std::io::Write as _;
use std::time::Duration;

use anyhow::{Result, anyhow};
use exercise::check::this_program;
use lab::Lab;
use lab::data::Data;
use lab::replay::Options;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::worker::{PRINTED, Printed, Worker};

/// The command of this program that does a job.
pub const PRINTER: &str = "print-one-run";

/// How long a run may take.
const TIME: Duration = Duration::from_secs(10);
/// Bytes of address space that a run may use.
const MEMORY: usize = 4 << 30;

/// What is to be executed.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Job {
    /// The kernel, as the page has it.
    data: Box<Data>,
    /// [`Options`], as the page asks its own machine with.
    options: Value,
}

/// Executes a run in a process of its own, and returns what its kernels print.
///
/// # Errors
/// If the run does not fit its kernel.
pub(super) fn in_a_process(job: &Job) -> Result<Printed> {
    let worker = Worker {
        program: this_program()?,
        arguments: vec![PRINTER.to_owned()],
        time: TIME,
        memory: Some(MEMORY),
        output: PRINTED,
    };
    worker.hear(job)
}

/// Reads a job from standard input, and executes it. The simulator writes what kernels print to standard output.
///
/// # Errors
/// If the run does not fit its kernel.
pub fn print_one() -> Result<()> {
    let Job { data, options } = serde_json::from_reader(std::io::stdin())?;
    let options: Options = serde_json::from_value(options)?;
    // What is observed changes no order, and a kernel prints once.
    let options = Options { races: false, trace: false, weak_seeds: 0, ..options };
    let mut lab = Lab::open(*data).map_err(|error| anyhow!(error))?;
    lab.run(&options).map_err(|error| anyhow!(error))?;
    Ok(std::io::stdout().flush()?)
}
