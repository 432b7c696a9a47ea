//! The recorded file: how it begins, and how it is written.

use std::{fs, io, path::Path};

use harness::{Properties, baselines::Baselines, kernel};
use recording::{Clocks, Device, Head, Library, Recording, SCHEMA, Skipped};
use report::{AnyCase, runner::Runner};

use crate::schedule::Part;

/// An entry for a case that is larger than the rung is for.
pub(crate) fn too_large_for_rung(kernel: &str, case: &AnyCase) -> Skipped {
    skipped(kernel, &case.to_string(), "the case is larger than the rung is for")
}

/// An entry for a part whose turn comes after the time budget.
pub(crate) fn over_budget(part: &Part) -> Skipped {
    skipped("all", &part.name, "the time budget was spent")
}

/// An entry for a part that needs too much memory.
pub(crate) fn too_large(part: &Part) -> Skipped {
    let reason = "it does not fit the memory of the device, or of the host";
    skipped("all", &part.name, reason)
}

fn skipped(kernel: &str, case: &str, reason: &str) -> Skipped {
    Skipped { kernel: kernel.into(), case: case.into(), reason: reason.into() }
}

/// Today's date in UTC, as `2026-11-21`.
pub(crate) fn today() -> String {
    jiff::Timestamp::now().strftime("%F").to_string()
}

/// An argument without the folders of a path.
fn file_name(argument: &str) -> String {
    let name = Path::new(argument).file_name();
    name.map_or_else(|| argument.into(), |name| name.to_string_lossy().into_owned())
}

/// A recording before anything has been run, on one device or on several.
pub(crate) fn begin(
    runner: &Runner,
    commit: Option<&str>,
    devices: Option<u64>,
    parts: &[Part],
) -> Recording {
    // Files by their names: the folders of one machine say nothing on another.
    let arguments: Vec<String> = std::env::args().skip(1).map(|a| file_name(&a)).collect();
    let steps = parts.iter().flat_map(|part| part.steps.iter().map(move |step| (part, &step.rung)));
    let kernels = steps.map(|(part, rung)| {
        let name = format!("{}/{}", part.chapter.name(), rung.name);
        (name, kernel::fingerprint(&rung.ptx))
    });
    let head = Head {
        schema: SCHEMA,
        device: device(&runner.device.properties, devices),
        date: today(),
        commit: commit.unwrap_or(env!("RECORD_COMMIT")).into(),
        kept: None,
        command: format!("record {}", arguments.join(" ")).trim_end().into(),
        ceilings: runner.bench.as_ref().map(|bench| bench.ceilings.clone()),
        libraries: runner.baselines.iter().map(library).collect(),
        conditions: Vec::new(),
        kernels: kernels.collect(),
    };
    Recording { head, rows: Vec::new(), skipped: Vec::new(), checksums: Vec::new() }
}

/// Replaces the file in one step: a reader finds the old one or the new one.
pub(crate) fn write(recording: &Recording, path: &Path) -> io::Result<()> {
    let unfinished = path.with_extension("json.part");
    fs::write(&unfinished, recording.to_json()?)?;
    fs::rename(&unfinished, path)
}

fn library(opened: &Baselines) -> Library {
    let Baselines { name, version, built_with, .. } = opened;
    Library { name: name.clone(), version: version.clone(), built_with: built_with.clone() }
}

fn device(p: &Properties, devices: Option<u64>) -> Device {
    let (major, minor) = p.compute_capability;
    Device {
        name: p.name.clone(),
        devices,
        compute_capability: format!("{major}.{minor}"),
        driver: driver(p.driver_version),
        clocks: Clocks {
            multiprocessor_mhz: f64::from(p.clock_khz) / 1e3,
            memory_mhz: f64::from(p.memory_clock_khz) / 1e3,
        },
        memory: p.memory_bytes,
        peak_gb_per_s: p.peak_gb_per_s(),
        multiprocessors: p.multiprocessors,
        l2: p.l2_bytes,
    }
}

/// The driver's release, where Linux says, and the CUDA version that it supports.
fn driver(version: i32) -> String {
    let cuda = harness::driver::cuda_version_text(version);
    match fs::read_to_string("/sys/module/nvidia/version") {
        Ok(release) => format!("{} ({cuda})", release.trim()),
        Err(_) => cuda,
    }
}
