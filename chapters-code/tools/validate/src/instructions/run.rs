//! Launches a case.

use anyhow::{Context, Result};
use cudarc::driver::{LaunchConfig, PushKernelArg};
use harness::{Device, Error, buffer, kernel};

use super::{
    case::{Case, ROWS},
    inputs,
};

/// Threads of a block; some cases have barriers that expect this number.
const THREADS: u32 = 128;

/// What a launch gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A row of [`Case::stride`] bytes for each row of operands. Bytes that belong to no column are
    /// poison.
    Results(Vec<u8>),
    /// The launch ended in this CUDA error.
    Failed(String),
}

/// Runs a case on a device.
///
/// # Errors
/// If the case cannot be launched; and, of a case that should succeed, how it failed.
pub fn run(device: &Device, case: &Case) -> Result<Outcome> {
    let function = kernel::load(device, case.text, "kernel")?;
    let rows = device.stream.clone_htod(&inputs::rows(&case.operands, ROWS))?;
    let mut results = buffer::scratch::<u8>(device, (ROWS * case.stride) as u64)?;
    let config = LaunchConfig {
        grid_dim: (ROWS as u32 / THREADS, 1, 1),
        block_dim: (THREADS, 1, 1),
        shared_mem_bytes: case.dynamic_shared,
    };
    let mut launch = device.stream.launch_builder(&function);
    launch.arg(&rows).arg(&mut results);
    // SAFETY: (const u64 rows[ROWS][4], u8 results[ROWS][stride]), a row of each a thread.
    unsafe { launch.launch(config) }.context(case.name)?;
    match (device.finish(case.name), case.fails) {
        (Ok(()), _) => Ok(Outcome::Results(buffer::to_host(device, &results.as_view())?)),
        (Err(Error::Driver { error, .. }), true) => Ok(Outcome::Failed(error.to_string())),
        (Err(error), _) => Err(error.into()),
    }
}
