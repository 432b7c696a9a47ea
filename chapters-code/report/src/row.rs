//! One result: a rung on a case on a device. What the table shows and JSON holds.

use serde::Serialize;

use harness::{
    Device, Outcome, Traffic,
    simulator::{Counters, Race},
    suite::Compared,
    task::Columns,
    timing::{Comparison, Samples, Time},
    verify::{Checker, Failure},
};

use crate::{AnyCase, AnyChapter, AnyRung};

/// A rung's result; serialised, it is the line of `--json`.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The chapter's crate, such as `chapter_1_reduce`.
    pub chapter: &'static str,
    /// The rung.
    pub kernel: &'static str,
    /// Elements.
    pub n: u64,
    /// Rows of a matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// Columns of a matrix.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cols: Option<u64>,
    /// Element type.
    pub dtype: &'static str,
    /// Operator.
    pub op: &'static str,
    /// Distribution of the elements.
    pub input: &'static str,
    /// What they are drawn from.
    pub seed: u64,
    /// What else the chapter's cases ask for, each a field of its own.
    #[serde(flatten)]
    pub task: Columns,
    /// The device's name.
    pub device: String,
    /// Whether it was the simulator.
    pub simulated: bool,
    /// Whether the rung is shown because it is wrong.
    pub broken: bool,
    /// For a broken rung, what noticed; null if nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caught: Option<Caught>,
    /// Whether the result was right and nothing else was found.
    pub correct: bool,
    /// What was found, if anything.
    pub failures: Vec<String>,
    /// The largest |computed − exact|; null if it is not a number.
    pub error: f64,
    /// How large it may be.
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
    pub baseline: Option<BaselineTime>,
    /// Null on a GPU.
    pub counters: Option<Counters>,
    /// What the race detector found.
    pub races: Vec<Race>,
    /// What it ran on.
    #[serde(skip)]
    pub case: AnyCase,
    /// The devices that the case used at the same time.
    #[serde(skip)]
    pub devices: usize,
    /// What the chapter calls the case, such as `sum of 2^20 f32`.
    #[serde(skip)]
    pub title: String,
    /// What else the chapter's cases ask for, in words, such as `, 256 bins`.
    #[serde(skip)]
    pub label: String,
    /// The result's bits, for comparison between devices.
    #[serde(skip)]
    pub checksum: String,
    /// The failures with what noticed them.
    #[serde(skip)]
    pub found: Vec<Failure>,
    /// What can notice that a broken rung is wrong; empty for the others.
    #[serde(skip)]
    pub caught_by: &'static [Checker],
}

/// The columns of a row that do not say what it is of. All others do.
pub const RESULTS: [&str; 22] = [
    "seed",
    "device",
    "simulated",
    "broken",
    "caught",
    "correct",
    "failures",
    "error",
    "error_bound",
    "bytes",
    "time_ms",
    "gb_per_s",
    "samples_us",
    "bytes_written",
    "ceiling_ms",
    "fraction_of_ceiling",
    "fraction_of_peak",
    "registers",
    "occupancy",
    "baseline",
    "counters",
    "races",
];

/// Whether a broken rung was noticed, and by what.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Caught {
    /// By these.
    By(Vec<Checker>),
    /// By nothing, although it should have been.
    Missed(Option<()>),
    /// By nothing, and only the race detector can, which a GPU does not have.
    NotOnThisDevice(&'static str),
}

/// What [`Caught::NotOnThisDevice`] says in JSON and in the table.
pub const NOT_DETECTABLE: &str = "not detectable on a GPU";

/// A library's time for the same work.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BaselineTime {
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

impl From<Compared> for BaselineTime {
    fn from(compared: Compared) -> Self {
        let Compared { name, version, call, samples, comparison } = compared;
        let (time_ms, samples_us) = (samples.time(), samples.microseconds());
        Self { name, version, call, time_ms, samples_us, comparison }
    }
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

    /// The bytes that the operation must read and write.
    pub fn traffic(&self) -> Traffic {
        Traffic { read: self.bytes - self.bytes_written, written: self.bytes_written }
    }

    /// Time of `before` over the time of this row.
    pub fn speed_up_over(&self, before: &Row) -> Option<f64> {
        Some(before.time_ms?.median / self.time_ms?.median)
    }

    /// The row of a rung that ran on a case.
    pub fn new(
        chapter: &dyn AnyChapter,
        rung: &AnyRung,
        case: &AnyCase,
        device: &Device,
        outcome: Outcome,
    ) -> Self {
        let Outcome { verdict, report, samples, baseline, ceiling_ms, usage, traffic } = outcome;
        let bytes = traffic.bytes();
        let time = samples.as_ref().map(Samples::time);
        let rate = time.map(|time| time.gb_per_s(bytes));
        let (rows, cols) = case.shape.sides().unzip();
        let found = &verdict.failures;
        Self {
            chapter: chapter.name(),
            kernel: rung.name,
            n: case.elements(),
            rows,
            cols,
            dtype: case.dtype.name(),
            op: case.op.name(),
            input: case.input.name(),
            seed: case.seed,
            task: case.task.clone(),
            device: device.properties.name.clone(),
            simulated: device.is_simulated(),
            broken: rung.is_broken(),
            caught: caught(found, rung.caught_by, device.is_simulated()),
            correct: verdict.is_correct(),
            failures: found.iter().map(|failure| failure.message.clone()).collect(),
            error: verdict.error,
            error_bound: verdict.error_bound,
            bytes,
            bytes_written: traffic.written,
            time_ms: time,
            gb_per_s: rate,
            samples_us: samples.as_ref().map(Samples::microseconds),
            ceiling_ms,
            fraction_of_ceiling: ceiling_ms.zip(time).map(|(least, time)| least / time.median),
            fraction_of_peak: rate.map(|rate| rate / device.properties.peak_gb_per_s()),
            registers: usage.registers,
            occupancy: usage.occupancy,
            baseline: baseline.map(BaselineTime::from),
            counters: report.counters(),
            races: report.races().cloned().collect(),
            case: case.clone(),
            devices: chapter.devices(case),
            title: chapter.title(case),
            label: chapter.label(case),
            checksum: verdict.checksum,
            found: verdict.failures,
            caught_by: rung.caught_by,
        }
    }
}

/// What noticed a broken rung, given what was found and what could have noticed it.
pub(crate) fn caught(found: &[Failure], caught_by: &[Checker], simulated: bool) -> Option<Caught> {
    if caught_by.is_empty() {
        return None;
    }
    let mut by: Vec<Checker> = Vec::new();
    for failure in found {
        if caught_by.contains(&failure.by) && !by.contains(&failure.by) {
            by.push(failure.by);
        }
    }
    Some(if !by.is_empty() {
        Caught::By(by)
    } else if !simulated && caught_by.contains(&Checker::Races) {
        Caught::NotOnThisDevice(NOT_DETECTABLE)
    } else {
        Caught::Missed(None)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(by: Checker) -> Vec<Failure> {
        vec![Failure { by, message: "seen".into() }]
    }

    #[test]
    fn a_broken_rung_is_caught_by_what_was_declared() {
        let declared = &[Checker::Result];
        assert_eq!(
            caught(&found(Checker::Result), declared, true),
            Some(Caught::By(vec![Checker::Result]))
        );
        assert_eq!(caught(&found(Checker::Input), declared, true), Some(Caught::Missed(None)));
        assert_eq!(caught(&[], declared, false), Some(Caught::Missed(None)));
        assert_eq!(caught(&found(Checker::Result), &[], true), None);
    }

    #[test]
    fn a_race_that_does_no_harm_on_a_gpu_is_not_detectable_there() {
        let declared = &[Checker::Races];
        assert_eq!(caught(&[], declared, false), Some(Caught::NotOnThisDevice(NOT_DETECTABLE)));
        assert_eq!(caught(&[], declared, true), Some(Caught::Missed(None)));
    }

    #[test]
    fn json_of_caught() {
        let json = |caught| serde_json::to_string(&caught).unwrap();
        assert_eq!(
            json(Caught::By(vec![Checker::Races, Checker::Result])),
            r#"["races","result"]"#
        );
        assert_eq!(json(Caught::Missed(None)), "null");
        assert_eq!(json(Caught::NotOnThisDevice(NOT_DETECTABLE)), r#""not detectable on a GPU""#);
    }
}
