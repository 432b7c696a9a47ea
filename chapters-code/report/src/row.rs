//! One result: a rung on a case on a device. What the table shows and JSON holds.

use std::ops::Deref;

use harness::{
    Device, Outcome, Traffic,
    timing::Samples,
    verify::{Checker, Failure},
};
use recording::{Caught, NOT_DETECTABLE};

use crate::{AnyCase, AnyChapter, AnyRung, recorded};

/// A rung's result with what a recording does not keep.
#[derive(Clone, Debug)]
pub struct Row {
    /// The line of `--json`, whose columns are also reached as if they were fields of this.
    pub recorded: recording::Row,
    /// What it ran on.
    pub case: AnyCase,
    /// The devices that the case used at the same time.
    pub devices: usize,
    /// What the chapter calls the case, such as `sum of 2^20 f32`.
    pub title: String,
    /// What else the chapter's cases ask for, in words, such as `, 256 bins`.
    pub label: String,
    /// The result's bits, for comparison between devices.
    pub checksum: String,
    /// The failures with what noticed them.
    pub found: Vec<Failure>,
    /// What can notice that a broken rung is wrong; empty for the others.
    pub caught_by: &'static [Checker],
}

impl Deref for Row {
    type Target = recording::Row;

    fn deref(&self) -> &recording::Row {
        &self.recorded
    }
}

impl Row {
    /// The bytes that the operation must read and write.
    pub fn traffic(&self) -> Traffic {
        Traffic { read: self.bytes - self.bytes_written, written: self.bytes_written }
    }

    /// Time of `before` over the time of this row.
    pub fn speed_up_over(&self, before: &Row) -> Option<f64> {
        Some(before.median_ms()? / self.median_ms()?)
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
        let found = &verdict.failures;
        let recorded = recording::Row {
            subject: recorded::subject(chapter.name(), rung.name, case),
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
            baseline,
            counters: report.counters(),
            races: report.races().cloned().collect(),
        };
        Self {
            recorded,
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
    let mut by: Vec<String> = Vec::new();
    for failure in found {
        let name = failure.by.name();
        if caught_by.contains(&failure.by) && !by.iter().any(|known| known == name) {
            by.push(name.into());
        }
    }
    Some(if !by.is_empty() {
        Caught::By(by)
    } else if !simulated && caught_by.contains(&Checker::Races) {
        Caught::NotOnThisDevice(NOT_DETECTABLE.into())
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
            Some(Caught::By(vec!["result".into()]))
        );
        assert_eq!(caught(&found(Checker::Input), declared, true), Some(Caught::Missed(None)));
        assert_eq!(caught(&[], declared, false), Some(Caught::Missed(None)));
        assert_eq!(caught(&found(Checker::Result), &[], true), None);
    }

    #[test]
    fn a_race_that_does_no_harm_on_a_gpu_is_not_detectable_there() {
        let declared = &[Checker::Races];
        assert_eq!(
            caught(&[], declared, false),
            Some(Caught::NotOnThisDevice(NOT_DETECTABLE.into()))
        );
        assert_eq!(caught(&[], declared, true), Some(Caught::Missed(None)));
    }
}
