//! `launches`: launches every rung of every chapter once, and a set of probes of shared memory, for
//! a profiler to count. On the simulator it prints what that counts, in the same order.
//!
//! With Nsight Compute: `ncu --csv --metrics … ./launches > counts.csv`.

use anyhow::{Context, Result};
use clap::Parser;
use harness::{Device, DeviceChoice};
use record::{launches, probes};

/// Launches every rung once, and probes of shared memory, for a profiler to count
#[derive(Parser)]
#[command(name = "launches", version)]
struct Arguments {
    /// The device; on the simulator, prints what it counts, a line a launch
    #[arg(long, default_value = "auto")]
    device: DeviceChoice,
    /// Only the probes
    #[arg(long)]
    probes: bool,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let device = Device::open(arguments.device)?;
    if !arguments.probes {
        launches::all(&device, &mut |launched| {
            for launch in &launched.report.launches {
                let counters = serde_json::to_string(&launch.counters).context("counters")?;
                println!("{} {} {counters}", launched.rung, launch.kernel);
            }
            Ok(())
        })?;
    }
    probes::all(&device, &mut |probe, report| {
        for launch in &report.launches {
            let counters = serde_json::to_string(&launch.counters).context("counters")?;
            println!("{} {} {counters}", probe.pattern, launch.kernel);
        }
        Ok(())
    })
}
