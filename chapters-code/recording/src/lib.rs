//! The schema of recorded runs: the files `book/measurements/*.json`. Their rows are also the lines of a chapter's
//! `--json`.
//!
//! Each type both reads and writes, so a column has its name in one place. This crate knows of no device and no chapter.
//! What measures is in `harness`, a chapter's results become rows in `report`, and `record` writes the files.

mod row;
mod task;
mod time;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use row::{Baseline, Caught, Checksum, NOT_DETECTABLE, Row, Subject};
pub use task::{Columns, Value};
pub use time::{Ceilings, Comparison, Time};

/// Raised when a field changes its meaning; not when one is added.
pub const SCHEMA: u32 = 1;

/// What a file's `kind` says if it is a recorded run. Most files say nothing.
const KIND: &str = "recorded run";

/// A recorded run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recording {
    /// What is recorded of the run as a whole.
    #[serde(flatten)]
    pub head: Head,
    /// Every rung and size, in the order in which they were run.
    pub rows: Vec<Row>,
    /// What was left out, and why.
    pub skipped: Vec<Skipped>,
    /// Results that another device must reproduce bit by bit.
    pub checksums: Vec<Checksum>,
}

/// What is recorded of a run as a whole.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Head {
    /// [`SCHEMA`].
    pub schema: u32,
    /// What it was recorded on.
    pub device: Device,
    /// The days, such as `2026-11-26, 2026-11-27`.
    pub date: String,
    /// The commits, separated by `; `.
    pub commit: String,
    /// Why the recording is kept although it is of earlier kernels; no program writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept: Option<String>,
    /// The command lines, separated by `; `.
    pub command: String,
    /// The device's ceilings; null on the simulator.
    pub ceilings: Option<Ceilings>,
    /// What is compared with.
    pub libraries: Vec<Library>,
    /// One entry for each run of the recorder that the file is made of.
    pub conditions: Vec<Conditions>,
    /// For each rung, such as `chapter_1_reduce/sequential`, what stands for the instructions of its PTX.
    pub kernels: BTreeMap<String, String>,
}

/// A recorded device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Device {
    /// Its name.
    pub name: String,
    /// How many there are, in a recording of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub devices: Option<u64>,
    /// Such as `9.0`.
    pub compute_capability: String,
    /// The driver's release, if it is known, and the CUDA version that it supports.
    pub driver: String,
    /// The highest clocks.
    pub clocks: Clocks,
    /// Bytes of memory.
    pub memory: u64,
    /// From the memory's clock and the width of its bus.
    pub peak_gb_per_s: f64,
    /// Their number.
    pub multiprocessors: u32,
    /// Bytes of the L2.
    pub l2: u64,
}

/// The highest clocks of a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clocks {
    /// Of the multiprocessors.
    pub multiprocessor_mhz: f64,
    /// Of the memory.
    pub memory_mhz: f64,
}

/// A library to compare with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its compiler and the wheels of its sources, if it says so.
    pub built_with: Option<String>,
}

/// A device's clocks, power and temperature while it was recorded: the extremes over all samples of a run, those of an
/// idle device left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// How many samples there were.
    pub samples: u64,
    /// The lowest and the highest clock of the multiprocessors.
    pub multiprocessor_mhz: [f64; 2],
    /// The lowest and the highest clock of the memory.
    pub memory_mhz: [f64; 2],
    /// The highest power that was drawn.
    pub most_watts: f64,
    /// The highest temperature of the chip.
    pub most_celsius: f64,
    /// Why the clocks were held down at some time; empty if they never were.
    pub limited_by: Vec<String>,
}

/// Something that was not run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Skipped {
    /// The rung, or `all`.
    pub kernel: String,
    /// The case.
    pub case: String,
    /// Why it was not run.
    pub reason: String,
}

impl Head {
    /// The fields by their names, for a reader to whom a text names one.
    pub fn fields(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl Recording {
    /// Reads a file's text; none if the text says that it is something else than a recorded run.
    ///
    /// # Errors
    /// If the text is not of this form.
    pub fn read(text: &str) -> serde_json::Result<Option<Self>> {
        #[derive(Deserialize)]
        struct OfKind {
            kind: Option<String>,
        }
        match serde_json::from_str::<OfKind>(text)?.kind {
            Some(kind) if kind != KIND => Ok(None),
            _ => serde_json::from_str(text).map(Some),
        }
    }

    /// The text of a file, with an entry of a list on each line, so that a difference can be read.
    ///
    /// # Errors
    /// If a value cannot be written as JSON, which is a mistake of this crate.
    pub fn to_json(&self) -> serde_json::Result<String> {
        let head = serde_json::to_string_pretty(&self.head)?;
        let head = head.trim_end_matches('}').trim_end();
        Ok(format!(
            "{head},\n  \"rows\": {},\n  \"skipped\": {},\n  \"checksums\": {}\n}}\n",
            lines(&self.rows)?,
            lines(&self.skipped)?,
            lines(&self.checksums)?
        ))
    }

    /// The same without the samples of the times, of which no program makes use.
    #[must_use]
    pub fn without_samples(mut self) -> Self {
        for row in &mut self.rows {
            row.samples_us = None;
            row.baseline.iter_mut().for_each(|baseline| baseline.samples_us.clear());
        }
        self
    }

    /// The recorded time, in milliseconds, of what differs from `subject` in its seed at most.
    pub fn time(&self, subject: &Subject) -> Option<Time> {
        self.rows.iter().find(|row| row.subject.can_stand_for(subject))?.time_ms
    }
}

fn lines<T: Serialize>(entries: &[T]) -> serde_json::Result<String> {
    let entries: Vec<_> = entries.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    Ok(match entries.is_empty() {
        true => "[]".into(),
        false => format!("[\n    {}\n  ]", entries.join(",\n    ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_an_entry_a_line() -> serde_json::Result<()> {
        assert_eq!(lines::<u32>(&[])?, "[]");
        assert_eq!(lines(&[1, 2])?, "[\n    1,\n    2\n  ]");
        Ok(())
    }
}
