//! The recorded file: `{schema, device, date, commit, command, ceilings, libraries, conditions, kernels, rows, skipped,
//! checksums}`.

use std::{collections::BTreeMap, fs, io, path::Path};

use harness::{Properties, baselines::Baselines, ceiling::Ceilings, kernel};
use report::{AnyCase, Row, recorded::Checksum, runner::Runner};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{conditions::Conditions, resume::Resumed, schedule::Part};

/// Raised when a field changes its meaning; not when one is added.
const SCHEMA: u32 = 1;

/// A recorded run.
pub(crate) struct Recording {
    head: Head,
    /// Rows of an earlier run, as they stand in its file.
    kept: Vec<Box<RawValue>>,
    /// Every rung and size that this run has.
    pub(crate) rows: Vec<Row>,
    /// What was left out, and why.
    pub(crate) skipped: Vec<Skipped>,
    /// Results that another device must reproduce bit by bit.
    pub(crate) checksums: Vec<Checksum>,
}

#[derive(Serialize)]
struct Head {
    schema: u32,
    device: Device,
    date: String,
    commit: String,
    command: String,
    ceilings: Option<Ceilings>,
    /// What is compared with.
    libraries: Vec<Library>,
    /// One entry for each run of the recorder that the file is made of.
    conditions: Vec<Conditions>,
    /// For each rung, such as `chapter_1_reduce/sequential`, what stands for the instructions of its PTX.
    kernels: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct Device {
    name: String,
    /// How many there are, where the recording is of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    devices: Option<usize>,
    compute_capability: String,
    driver: String,
    clocks: Clocks,
    memory: u64,
    peak_gb_per_s: f64,
    multiprocessors: u32,
    l2: u64,
}

/// A library to compare with.
#[derive(Serialize)]
struct Library {
    name: String,
    version: String,
    /// Its compiler and the wheels of its sources, if it says so.
    built_with: Option<String>,
}

#[derive(Serialize)]
struct Clocks {
    multiprocessor_mhz: f64,
    memory_mhz: f64,
}

/// Something that was not run.
#[derive(Clone, Serialize)]
pub(crate) struct Skipped {
    kernel: String,
    case: String,
    reason: &'static str,
}

impl Skipped {
    pub(crate) fn too_large_for_rung(kernel: &str, case: &AnyCase) -> Self {
        Self {
            kernel: kernel.into(),
            case: case.to_string(),
            reason: "the case is larger than the rung is for",
        }
    }

    pub(crate) fn over_budget(part: &Part) -> Self {
        Self { kernel: "all".into(), case: part.name.clone(), reason: "the time budget was spent" }
    }

    pub(crate) fn too_large(part: &Part) -> Self {
        let reason = "it does not fit the memory of the device, or of the host";
        Self { kernel: "all".into(), case: part.name.clone(), reason }
    }
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

impl Recording {
    /// Before anything has been run, on one device or on several.
    pub(crate) fn new(
        runner: &Runner,
        commit: Option<&str>,
        devices: Option<usize>,
        parts: &[Part],
    ) -> Self {
        // Files by their names: the folders of one machine say nothing on another.
        let arguments: Vec<String> = std::env::args().skip(1).map(|a| file_name(&a)).collect();
        let steps =
            parts.iter().flat_map(|part| part.steps.iter().map(move |step| (part, &step.rung)));
        let kernels = steps.map(|(part, rung)| {
            let name = format!("{}/{}", part.chapter.name(), rung.name);
            (name, kernel::fingerprint(&rung.ptx))
        });
        let head = Head {
            schema: SCHEMA,
            device: device(&runner.device.properties, devices),
            date: today(),
            commit: commit.unwrap_or(env!("RECORD_COMMIT")).into(),
            command: format!("record {}", arguments.join(" ")).trim_end().into(),
            ceilings: runner.bench.as_ref().map(|bench| bench.ceilings.clone()),
            libraries: runner.baselines.iter().map(library).collect(),
            conditions: Vec::new(),
            kernels: kernels.collect(),
        };
        Self {
            head,
            kept: Vec::new(),
            rows: Vec::new(),
            skipped: Vec::new(),
            checksums: Vec::new(),
        }
    }

    /// Resumes an earlier run. Its rows, checksums and ceilings stay, and the file names both days, both commits and both
    /// commands.
    ///
    /// # Errors
    /// If a rung's instructions have changed since: its rows would not belong side by side.
    pub(crate) fn resume(&mut self, earlier: Resumed) -> anyhow::Result<()> {
        let head = &mut self.head;
        for (name, kernel) in earlier.kernels {
            let now = head.kernels.entry(name.clone()).or_insert(kernel.clone());
            let chapter = name.split('/').next().unwrap_or_default();
            anyhow::ensure!(
                *now == kernel,
                "{name} has changed since its rows were recorded\n  remedy: record them again with --rerun {chapter}"
            );
        }
        head.date = joined(&earlier.date, &head.date, ", ");
        head.commit = joined(&earlier.commit, &head.commit, "; ");
        head.command = joined(&earlier.command, &head.command, "; ");
        if earlier.ceilings.is_some() {
            head.ceilings = earlier.ceilings;
        }
        head.conditions = earlier.conditions;
        self.kept = earlier.rows;
        self.checksums = earlier.checksums;
        Ok(())
    }

    /// Adds the conditions of this run.
    pub(crate) fn add_conditions(&mut self, conditions: Option<Conditions>) {
        self.head.conditions.extend(conditions);
    }

    /// Rows of this run and of those before.
    pub(crate) fn len(&self) -> usize {
        self.kept.len() + self.rows.len()
    }

    /// Replaces the file in one step: a reader finds the old one or the new one.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let unfinished = path.with_extension("json.part");
        fs::write(&unfinished, self.to_json()?)?;
        fs::rename(&unfinished, path)
    }

    /// JSON with an entry of a list on each line, so that a difference can be read.
    fn to_json(&self) -> io::Result<String> {
        let mut rows = self.kept.clone();
        for row in &self.rows {
            rows.push(serde_json::value::to_raw_value(row)?);
        }
        let head = serde_json::to_string_pretty(&self.head)?;
        let head = head.trim_end().trim_end_matches('}').trim_end();
        Ok(format!(
            "{head},\n  \"rows\": {},\n  \"skipped\": {},\n  \"checksums\": {}\n}}\n",
            lines(&rows)?,
            lines(&self.skipped)?,
            lines(&self.checksums)?
        ))
    }
}

fn library(opened: &Baselines) -> Library {
    let Baselines { name, version, built_with, .. } = opened;
    Library { name: name.clone(), version: version.clone(), built_with: built_with.clone() }
}

/// Both, or the one where they are the same.
fn joined(before: &str, now: &str, separator: &str) -> String {
    match before.split(separator).any(|one| one == now) {
        true => before.into(),
        false => format!("{before}{separator}{now}"),
    }
}

fn lines<T: Serialize>(entries: &[T]) -> io::Result<String> {
    let entries: Result<Vec<_>, _> = entries.iter().map(serde_json::to_string).collect();
    let entries = entries?;
    Ok(if entries.is_empty() {
        "[]".into()
    } else {
        format!("[\n    {}\n  ]", entries.join(",\n    "))
    })
}

fn device(p: &Properties, devices: Option<usize>) -> Device {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_an_entry_a_line() -> io::Result<()> {
        assert_eq!(lines::<u32>(&[])?, "[]");
        assert_eq!(lines(&[1, 2])?, "[\n    1,\n    2\n  ]");
        Ok(())
    }
}
