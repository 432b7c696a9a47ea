//! Recorded runs, compiled into the program: what stands in for a time on the simulator.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;
use serde_json::Value;

use crate::{AnyCase, Row, row::RESULTS};
use harness::{ceiling::Ceilings, task::Columns, timing::Time};

mod embedded {
    // FILES: the path within the repository and the compressed text of every file in book/measurements/.
    include!(concat!(env!("OUT_DIR"), "/measurements.rs"));
}

/// What of a recorded file is used here; see DESIGN of `book/measurements/` for the rest.
#[derive(Clone, Debug, Deserialize)]
pub struct Recording {
    /// The device it was recorded on.
    pub device: RecordedDevice,
    /// When, as `2026-11-21`.
    pub date: String,
    /// That device's ceilings.
    pub ceilings: Ceilings,
    /// Every rung and size.
    pub rows: Vec<RecordedRow>,
    /// Results that another device must reproduce bit by bit.
    #[serde(default)]
    pub checksums: Vec<Checksum>,
}

/// A recorded device.
#[derive(Clone, Debug, Deserialize)]
pub struct RecordedDevice {
    /// Its name.
    pub name: String,
    /// How many there were, in a recording of several.
    pub devices: Option<u32>,
}

/// A recorded row, as far as it is used here.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "BTreeMap<String, Value>")]
pub struct RecordedRow {
    /// What it is of.
    pub subject: Subject,
    /// Its time.
    pub time_ms: Option<Time>,
}

impl TryFrom<BTreeMap<String, Value>> for RecordedRow {
    type Error = serde_json::Error;

    /// Takes the results out of a row's columns. What is left says what the row is of.
    fn try_from(mut columns: BTreeMap<String, Value>) -> Result<Self, Self::Error> {
        let time_ms = columns.remove("time_ms").unwrap_or_default();
        columns.retain(|name, _| !RESULTS.contains(&&**name));
        Ok(Self {
            subject: serde_json::from_value(columns.into_iter().collect())?,
            time_ms: serde_json::from_value(time_ms)?,
        })
    }
}

/// What a row is of, the seed left out: two rows of the same subject can stand for one another.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
pub struct Subject {
    chapter: String,
    kernel: String,
    n: u64,
    rows: Option<u64>,
    cols: Option<u64>,
    dtype: String,
    op: String,
    input: String,
    #[serde(flatten)]
    task: Columns,
}

impl Subject {
    /// A chapter's rung on a case.
    pub fn new(chapter: &str, kernel: &str, case: &AnyCase) -> Self {
        let (rows, cols) = case.shape.sides().unzip();
        Self {
            chapter: chapter.into(),
            kernel: kernel.into(),
            n: case.elements(),
            rows,
            cols,
            dtype: case.dtype.name().into(),
            op: case.op.name().into(),
            input: case.input.name().into(),
            task: case.task.clone(),
        }
    }

    /// What a row is of.
    pub fn of(row: &Row) -> Self {
        Self::new(row.chapter, row.kernel, &row.case)
    }

    /// The chapter's crate.
    pub fn chapter(&self) -> &str {
        &self.chapter
    }
}

/// A result's bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, Deserialize)]
pub struct Checksum {
    /// The chapter's crate.
    pub chapter: String,
    /// The rung.
    pub kernel: String,
    /// Elements.
    pub n: u64,
    /// Rows of a matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Columns of a matrix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cols: Option<u64>,
    /// Element type.
    pub dtype: String,
    /// Operator.
    pub op: String,
    /// What the input is drawn from.
    pub seed: u64,
    /// What else the chapter's cases ask for.
    #[serde(flatten)]
    pub task: Columns,
    /// As [`harness::verify::checksum`] writes it.
    pub bits: String,
}

impl Checksum {
    /// Of a row's result.
    pub fn of(row: &Row) -> Self {
        Self {
            chapter: row.chapter.into(),
            kernel: row.kernel.into(),
            n: row.n,
            rows: row.rows,
            cols: row.cols,
            dtype: row.dtype.into(),
            op: row.op.into(),
            seed: row.seed,
            task: row.task.clone(),
            bits: row.checksum.clone(),
        }
    }
}

/// All recordings, the latest first. Files that do not have this form are left out.
pub fn recordings() -> &'static [Recording] {
    static ALL: LazyLock<Vec<Recording>> = LazyLock::new(|| {
        let mut all: Vec<Recording> =
            embedded::FILES.iter().filter_map(|(_, compressed)| read(compressed).ok()).collect();
        all.sort_by(|a, b| b.date.cmp(&a.date));
        all
    });
    &ALL
}

/// The latest recording of one H200, the device whose profile the simulator has.
pub fn of_simulated_device() -> Option<&'static Recording> {
    recordings().iter().find(|recording| {
        let device = &recording.device;
        device.name.contains("H200") && device.devices.is_none()
    })
}

/// The files that are not of this form, with the reason.
pub fn unreadable() -> Vec<(&'static str, String)> {
    embedded::FILES
        .iter()
        .filter_map(|(path, compressed)| Some((*path, read(compressed).err()?)))
        .collect()
}

fn read(compressed: &[u8]) -> Result<Recording, String> {
    let text =
        lz4_flex::decompress_size_prepended(compressed).map_err(|error| error.to_string())?;
    serde_json::from_slice(&text).map_err(|error| error.to_string())
}

impl Recording {
    /// The recorded time, in milliseconds, of a row's rung on exactly its case.
    pub fn time(&self, row: &Row) -> Option<Time> {
        let subject = Subject::of(row);
        let same = |recorded: &&RecordedRow| recorded.subject == subject;
        self.rows.iter().find(same)?.time_ms
    }
}
