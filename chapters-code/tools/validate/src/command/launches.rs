//! `validate launches` launches every rung of every chapter once, and probes of shared and global memory.
//! On a GPU a profiler counts the launches; the simulator counts them itself.
//!
//! - On a GPU: `ncu --csv --page raw --metrics … validate launches --device gpu --part rungs > ncu.csv`;
//!   `validate launches --metrics` prints the list of metrics.
//! - `validate launches --device sim --part rungs --ncu ncu.csv` makes a file for `book/measurements/`.
//! - `validate launches --device sim --part rungs --against FILE` compares with such a file.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use harness::{Device, DeviceChoice};
use validate::counts::{self, COLUMNS, Row};
use validate::launches::{self, Launch, Part};
use validate::ncu;

#[derive(Args)]
pub struct Arguments {
    /// The device; the simulator prints what it counts, a line a launch
    #[arg(long, default_value = "auto")]
    device: DeviceChoice,
    /// Only these parts
    #[arg(long, value_delimiter = ',', default_value = "rungs,shared,global")]
    part: Vec<Part>,
    /// Print the profiler's metrics that are compared, separated by commas, and launch nothing
    #[arg(long)]
    metrics: bool,
    /// Print the profiler's CSV of the same parts in short, with the launches' names
    #[arg(long, value_name = "FILE", conflicts_with = "against")]
    ncu: Option<PathBuf>,
    /// Compare with a recorded file of the same parts
    #[arg(long, value_name = "FILE")]
    against: Option<PathBuf>,
}

/// Launches the parts, and prints or compares what was counted.
pub fn run(arguments: Arguments) -> Result<()> {
    if arguments.metrics {
        let metrics: Vec<&str> =
            COLUMNS.iter().flat_map(|column| column.metrics).copied().collect();
        println!("{}", metrics.join(","));
        return Ok(());
    }
    let device = Device::open(arguments.device)?;
    let mut launched = Vec::new();
    for part in arguments.part {
        launched.extend(launches::run(&device, part)?);
    }
    if let Some(path) = arguments.ncu {
        let counted = ncu::parse(&read(&path)?)?;
        return counts::write(&counts::join(&launched, &counted)?, std::io::stdout());
    }
    if let Some(path) = arguments.against {
        let rows = counts::read(&read(&path)?)?;
        return compare(&counts::of_recorded_rungs(launched, &rows), &rows);
    }
    for launch in launched {
        let counters = serde_json::to_string(&launch.counters).context("counters")?;
        println!("{} {} {counters}", launch.name, launch.kernel);
    }
    Ok(())
}

fn read(path: &std::path::Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Prints, for each launch, how many machine instructions stand for one of PTX, and what differs.
fn compare(launched: &[Launch], rows: &[Row]) -> Result<()> {
    let (ours, theirs) = (launched.len(), rows.len());
    ensure!(ours == theirs, "{ours} launches here, {theirs} in the file");
    let mut different = 0;
    println!("SASS/PTX  launch");
    for (launch, row) in launched.iter().zip(rows) {
        let (name, kernel) = (&launch.name, &launch.kernel);
        ensure!((name, kernel) == (&row.name, &row.kernel), "{name}: not {}", row.name);
        let instructions = row.counts.get("warp_instructions").copied().unwrap_or(0);
        let ratio = instructions as f64 / launch.counters.warp_instructions as f64;
        println!("{ratio:8.2}  {name} {kernel}");
        for d in counts::differences(launch, row) {
            different += 1;
            println!("          {}: {}, on the GPU {}", d.column, d.ours, d.theirs);
        }
    }
    ensure!(different == 0, "{different} counts differ");
    Ok(())
}
