//! Every kernel once, in a fixed order.

use anyhow::Result;
use clap::ValueEnum;
use harness::{
    Device, Dtype,
    simulator::{Counters, Report},
};
use record::rungs_for;
use report::{
    AnyCase, AnyChapter,
    chapter::{EVEN, MATRIX, ODD},
};

use crate::probes::{self, Memory};

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

/// Launches a part, kernel by kernel; on a GPU, where nothing is counted, there are no launches in the result.
///
/// # Errors
/// If something cannot be set up or launched.
pub fn run(device: &Device, part: Part) -> Result<Vec<Launch>> {
    match part {
        Part::Rungs => every_rung(device),
        Part::Shared => probes::all(device, Memory::Shared),
        Part::Global => probes::all(device, Memory::Global),
    }
}

/// Launches every rung that is not broken on purpose. Those of several devices are not among them: a profiler that replays
/// a kernel would let it wait for the others for ever, and most machines with a GPU have one.
fn every_rung(device: &Device) -> Result<Vec<Launch>> {
    let mut launches = Vec::new();
    for shape in [EVEN, ODD, MATRIX] {
        for &chapter in chapters::ALL {
            let cases = chapter.sample_cases(shape).into_iter();
            for case in cases.filter(|case| chapter.devices(case) == 1) {
                launches.extend(of_chapter(device, chapter, case)?);
            }
        }
    }
    Ok(launches)
}

fn of_chapter(device: &Device, chapter: &dyn AnyChapter, case: AnyCase) -> Result<Vec<Launch>> {
    let mut launches = Vec::new();
    let rungs = rungs_for(chapter, &case);
    if rungs.is_empty() {
        return Ok(launches);
    }
    let mut problem = chapter.problem(device, &case)?;
    for rung in rungs {
        let report = problem.run_rung(rung.name, None, &[])?.report;
        let mut name = format!("{}/{}/{}", chapter.name(), rung.name, case.shape);
        if case.dtype != Dtype::F32 {
            name = format!("{name}/{}", case.dtype);
        }
        name += &chapter.variant(&case);
        launches.extend(named(report, &name));
    }
    Ok(launches)
}

/// The launches of a report, under one name.
pub(crate) fn named(report: Report, name: &str) -> impl Iterator<Item = Launch> {
    report.launches.into_iter().map(move |launch| Launch {
        name: name.to_string(),
        kernel: launch.kernel,
        counters: launch.counters.unwrap_or_default(),
    })
}
