//! One result: a rung on a case on a device.

use serde::{Deserialize, Deserializer, Serialize};
use simt_report::{Counters, Race};

use crate::{Columns, Comparison, Time};

/// A rung's result: a row of a recorded run, and a line of `--json`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// What it is of.
    #[serde(flatten)]
    pub subject: Subject,
    /// The device's name.
    pub device: String,
    /// Whether it was the simulator.
    pub simulated: bool,
    /// Whether the rung is shown because it is wrong.
    pub broken: bool,
    /// For a broken rung, what noticed; null if nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "some")]
    pub caught: Option<Caught>,
    /// Whether the result was right and nothing else was found.
    pub correct: bool,
    /// What was found, if anything.
    pub failures: Vec<String>,
    /// The largest |computed − exact|; null if it is not a number.
    #[serde(deserialize_with = "number")]
    pub error: f64,
    /// How large it may be.
    #[serde(deserialize_with = "number")]
    pub error_bound: f64,
    /// Bytes that the operation must move.
    pub bytes: u64,
    /// Null on the simulator.
    pub time_ms: Option<Time>,
    /// `bytes` over the median time.
    pub gb_per_s: Option<f64>,
    /// Each sample in microseconds, in the order in which they were taken; with a baseline, in turn with its samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub samples_us: Option<Vec<f64>>,
    /// How many of `bytes` are written.
    pub bytes_written: u64,
    /// The time in milliseconds that the memory needs for as many bytes, as many of them written, in this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling_ms: Option<f64>,
    /// That time over the median time.
    pub fraction_of_ceiling: Option<f64>,
    /// Of the memory's theoretical peak.
    pub fraction_of_peak: Option<f64>,
    /// Registers of a thread of the main kernel.
    pub registers: u32,
    /// Occupancy of the main kernel's launch.
    pub occupancy: f64,
    /// The same work by a library, on the same buffers in the same run.
    pub baseline: Option<Baseline>,
    /// Null on a GPU.
    pub counters: Option<Counters>,
    /// What the race detector found.
    pub races: Vec<Race>,
}

/// What a row or a checksum is of.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// The chapter's crate, such as `chapter_1_reduce`.
    pub chapter: String,
    /// The rung.
    pub kernel: String,
    /// Elements.
    pub n: u64,
    /// Rows of a matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Columns of a matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cols: Option<u64>,
    /// Element type.
    pub dtype: String,
    /// Operator.
    pub op: String,
    /// Distribution of the elements; a checksum does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<String>,
    /// What the elements are drawn from.
    pub seed: u64,
    /// What else the chapter's cases ask for, each a column of its own.
    #[serde(flatten)]
    pub task: Columns,
}

/// Whether a broken rung was noticed, and by what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Caught {
    /// By the checkers of these names.
    By(Vec<String>),
    /// By nothing, and only the race detector can, which a GPU does not have: [`NOT_DETECTABLE`].
    NotOnThisDevice(String),
    /// By nothing, although it should have been.
    Missed(Option<()>),
}

/// What [`Caught::NotOnThisDevice`] says in JSON and in the table.
pub const NOT_DETECTABLE: &str = "not detectable on a GPU";

/// A library's time for the same work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// The library.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What the library calls the operation: of several that do the same work the fastest.
    pub call: String,
    /// Its time.
    pub time_ms: Time,
    /// Each sample in microseconds.
    pub samples_us: Vec<f64>,
    /// Its median over the rung's, and how sure that is.
    #[serde(flatten)]
    pub comparison: Comparison,
}

/// A result's bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checksum {
    /// What it is of.
    #[serde(flatten)]
    pub subject: Subject,
    /// The checksum, as `harness` computes it.
    pub bits: String,
}

impl Row {
    /// Whether the rung behaved as it was declared: right, or wrong and caught.
    pub fn is_as_declared(&self) -> bool {
        match &self.caught {
            None => self.correct,
            Some(Caught::By(_) | Caught::NotOnThisDevice(_)) => true,
            Some(Caught::Missed(_)) => false,
        }
    }

    /// The median time in milliseconds.
    pub fn median_ms(&self) -> Option<f64> {
        self.time_ms.map(|time| time.median)
    }

    /// The columns by their names, for a reader to whom a text names one.
    pub fn columns(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl Subject {
    /// Whether a time of one can stand for a time of the other: they differ in their seeds at most.
    pub fn can_stand_for(&self, other: &Self) -> bool {
        // Most differ in these two, and need no copy.
        (&self.kernel, self.n) == (&other.kernel, other.n)
            && Self { seed: other.seed, ..self.clone() } == *other
    }

    /// The columns by which rows can be told apart, without the seed.
    pub fn columns(&self) -> serde_json::Map<String, serde_json::Value> {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::Object(mut columns)) => {
                columns.remove("seed");
                columns
            }
            _ => serde_json::Map::new(),
        }
    }
}

/// A column that is there, be it null.
fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Caught>, D::Error> {
    Caught::deserialize(deserializer).map(Some)
}

/// A number; JSON has null for one that is not finite.
fn number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_caught_is_read_as_it_was_written() {
        #[derive(Serialize, Deserialize)]
        struct Column {
            #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "some")]
            caught: Option<Caught>,
        }
        let missed = Column { caught: Some(Caught::Missed(None)) };
        assert_eq!(serde_json::to_string(&missed).expect("JSON"), r#"{"caught":null}"#);
        let on_a_gpu = format!(r#"{{"caught":"{NOT_DETECTABLE}"}}"#);
        for json in ["{}", r#"{"caught":["races","result"]}"#, r#"{"caught":null}"#, &on_a_gpu] {
            let column: Column = serde_json::from_str(json).expect("a column");
            assert_eq!(serde_json::to_string(&column).expect("JSON"), json);
        }
    }
}
