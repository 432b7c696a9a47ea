//! Every kernel once, in a fixed order.

use anyhow::Result;
use clap::ValueEnum;
use harness::Device;
use harness::simulator::Counters;

use crate::probes::{self, Memory};
use crate::rungs;

/// What is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Every rung of every chapter
    Rungs,
    /// Probes of shared memory
    Shared,
    /// Probes of global memory
    Global,
}

/// A launch, as the simulator saw it.
#[derive(Clone, Debug)]
pub struct Launch {
    /// What was launched: chapter, rung and size, or a probe's pattern.
    pub name: String,
    /// The kernel's name.
    pub kernel: String,
    /// What was counted.
    pub counters: Counters,
}

/// Launches a part, and hands each launch to `done`; on a GPU, where nothing is counted, none.
///
/// # Errors
/// Where something cannot be set up or launched, and what `done` returns.
pub fn run(device: &Device, part: Part, done: &mut dyn FnMut(Launch) -> Result<()>) -> Result<()> {
    match part {
        Part::Rungs => rungs::all(device, done),
        Part::Shared => probes::all(device, Memory::Shared, done),
        Part::Global => probes::all(device, Memory::Global, done),
    }
}

/// The launches since the last report, under one name.
pub(crate) fn reported(device: &Device, name: &str) -> Vec<Launch> {
    let launches = device.take_report().launches.into_iter();
    let named = launches.map(|launch| Launch {
        name: name.to_string(),
        kernel: launch.kernel,
        counters: launch.counters.unwrap_or_default(),
    });
    named.collect()
}
