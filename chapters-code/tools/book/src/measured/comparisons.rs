//! All that was timed beside a library, with the cases in which the library is faster.

use std::{cmp::Ordering, collections::BTreeMap};

use recording::{Baseline, Subject};
use serde_json::Value;

use super::records::{Records, Row, Run};
use super::table::source;
use super::{Asked, amount, thousands, value};

/// One input and one call of a library, with the fastest kernel of the book for it.
struct Case<'a> {
    row: &'a Row,
    baseline: &'a Baseline,
    ratio: f64,
}

/// Of each device, all cases of the chapter that `directive` names, those if the library is ahead first.
/// Without a chapter, how many cases each chapter has.
pub(super) fn all(Asked { page, directive, records }: Asked) -> Result<String, String> {
    let Some(chapter) = directive.chapter() else {
        return Ok(summary(records));
    };
    let mut text = String::new();
    for run in records.newest() {
        let cases = cases(run, chapter);
        if cases.is_empty() {
            continue;
        }
        text.push_str(&format!(
            "\n{}\n\n\
             | input | kernel | its time | library | its time | ratio |\n\
             | --- | --- | ---: | --- | ---: | ---: |\n",
            source(page, run),
        ));
        cases.iter().for_each(|case| text.push_str(&case.line()));
    }
    if text.is_empty() {
        return Err(format!("no run compares anything of chapter {chapter}"));
    }
    Ok(text)
}

/// How many cases of each chapter the book's kernels win, of each device; without the recordings of several devices.
fn summary(records: &Records) -> String {
    let runs: Vec<&Run> =
        records.newest().filter(|run| run.head.device.devices.is_none()).collect();
    let mut table = String::from("| chapter |");
    for run in &runs {
        table.push_str(&format!(
            " {}: cases | kernel faster | equal | library faster |",
            run.device()
        ));
    }
    table.push_str(&format!("\n| ---: |{}\n", " ---: |".repeat(4 * runs.len())));
    for chapter in 1.. {
        let counts: Vec<Vec<Case>> = runs.iter().map(|run| cases(run, chapter)).collect();
        if counts.iter().all(Vec::is_empty) {
            break;
        }
        table.push_str(&format!("| {chapter} |"));
        for cases in counts {
            let count =
                |wanted| cases.iter().filter(|case| case.ratio.total_cmp(&1.0) == wanted).count();
            let [ahead, equal, behind] =
                [Ordering::Greater, Ordering::Equal, Ordering::Less].map(count);
            table.push_str(&format!(" {} | {ahead} | {equal} | {behind} |", cases.len()));
        }
        table.push('\n');
    }
    table
}

/// The cases of a chapter, by their ratio.
fn cases(run: &Run, chapter: u64) -> Vec<Case<'_>> {
    let mut fastest: BTreeMap<String, Case> = BTreeMap::new();
    for row in run.rows.iter().filter(|row| row.chapter() == Some(chapter) && !row.broken) {
        let Some(baseline) = &row.baseline else { continue };
        let case = Case { row, baseline, ratio: baseline.comparison.ratio };
        // Kernels can do different work on the same input. The call of the library says which.
        let key = format!("{} {}", case.input(), baseline.call);
        let is_faster = |other: &Case| row.median_ms() < other.row.median_ms();
        if fastest.get(&key).is_none_or(is_faster) {
            fastest.insert(key, case);
        }
    }
    let mut cases: Vec<Case> = fastest.into_values().collect();
    cases.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    cases
}

impl Case<'_> {
    /// What the case is of: the size, the type, and all else that differs from the usual.
    fn input(&self) -> String {
        let is_usual = |key: &str, found: &Value| match key {
            // The copies of a histogram are a setting of its kernel.
            "chapter" | "kernel" | "n" | "dtype" | "copies" => true,
            "op" => found == "sum",
            "input" => found == "uniform",
            _ => false,
        };
        let columns = self.row.subject.columns();
        let others = columns.iter().filter(|(key, found)| !is_usual(key, found));
        let others = others.map(|(key, found)| format!(", {key} {}", value(key, found)));
        let Subject { n, dtype, .. } = &self.row.subject;
        format!("{} {dtype}{}", elements(*n), others.collect::<String>())
    }

    fn line(&self) -> String {
        let copies = self.row.subject.task.number("copies");
        let option = copies.map(|copies| format!(" `--copies {copies}`"));
        format!(
            "| {} | `{}`{} | {} | {}, {} | {} | {} |\n",
            self.input(),
            self.row.subject.kernel,
            option.unwrap_or_default(),
            self.row.cell("time_ms.median"),
            library(self.baseline),
            self.baseline.call.replace("::", "::<wbr>"),
            amount("time_ms", self.baseline.time_ms.median),
            amount("ratio", self.ratio),
        )
    }
}

/// A number of elements, as a power of two if it is one.
pub(crate) fn elements(n: u64) -> String {
    match n.is_power_of_two() {
        true => format!("2<sup>{}</sup>", n.ilog2()),
        false => thousands(n),
    }
}

/// The library that a baseline is a call of, with its version. A plain copy is the driver's, whichever library was built
/// with the call.
pub(crate) fn library(baseline: &Baseline) -> String {
    match baseline.call.starts_with("cudaMemcpy") {
        true => "the driver's copy".to_owned(),
        false => format!("{} {}", baseline.name, baseline.version),
    }
}
