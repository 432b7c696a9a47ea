//! Pictures of what every kernel runs on, which no execution is drawn for: the machine, and the threads of a
//! launch.

use std::path::Path;

use figures::Picture;
use figures::machine::{self, Machine};
use figures::threads::{self, Launch};
use harness::Device;

use super::arguments::Arguments;
use crate::evidence;

/// Of a multiprocessor of compute capability 9.0, as the CUDA C++ Programming Guide gives them; the driver of the
/// device reports the same number of registers.
const SCHEDULERS: u32 = 4;
const REGISTERS: u32 = 65_536;

/// The recording of waiting times, whose device the simulated one is modelled on.
const LATENCIES: &str = "latencies";
const NAME: &str = "NVIDIA H200";

/// Where the book's sources are, in the project.
const SOURCE: &str = "book";

/// Whether a figure of this kind needs no execution.
pub(super) fn is_one(kind: &str) -> bool {
    ["machine", "threads"].contains(&kind)
}

/// The figure, and the sentence that says what it rests on.
pub(super) fn draw(
    root: &Path,
    device: &Device,
    mut arguments: Arguments,
) -> Result<(Picture, String), String> {
    if arguments.kind == "machine" {
        arguments.finish()?;
        let source = "Sizes as the driver of the device reports them; waiting times as they were recorded on it.";
        return Ok((machine::draw(&machine_of(root, device)?), source.to_owned()));
    }
    let launch = Launch {
        n: number(&mut arguments, "n")?,
        block: number(&mut arguments, "block")?,
        element: number(&mut arguments, "element")?,
    };
    arguments.finish()?;
    let source = format!("For n = {} and blocks of {} threads.", launch.n, launch.block);
    Ok((threads::draw(&launch)?, source))
}

fn number(arguments: &mut Arguments, key: &str) -> Result<u64, String> {
    arguments.number(key)?.ok_or_else(|| format!("a figure of threads needs {key}="))
}

fn machine_of(root: &Path, device: &Device) -> Result<Machine, String> {
    let rows = evidence::newest(root, Path::new(SOURCE), LATENCIES)?;
    let clocks: Vec<String> = rows.iter().skip(1).filter_map(|row| row.last().cloned()).collect();
    let clocks = <[String; 5]>::try_from(clocks).map_err(|_| "five waiting times are drawn")?;
    let p = &device.properties;
    Ok(Machine {
        name: NAME.to_owned(),
        multiprocessors: p.multiprocessors,
        gigahertz: f64::from(p.clock_khz) / 1e6,
        schedulers: SCHEDULERS,
        warps: p.threads_per_multiprocessor / 32,
        registers: REGISTERS,
        shared_bytes: u64::from(p.shared_bytes_a_block),
        l2_bytes: p.l2_bytes,
        memory_bytes: p.memory_bytes,
        peak_gb_per_s: p.peak_gb_per_s(),
        clocks,
    })
}
