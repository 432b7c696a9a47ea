//! All that was timed beside a library, with the cases in which the library is faster.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use recording::{Baseline, Subject};
use serde_json::Value;

use crate::filtered::{self, with_code};

use super::directive::Directive;
use super::records::{Records, Row, Run};
use super::table::source;
use super::{Asked, amount, thousands, value};

/// One input and one call of a library, with the fastest kernel of the book for it.
struct Case<'a> {
    row: &'a Row,
    baseline: &'a Baseline,
    ratio: f64,
}

/// What is listed of the cases.
enum Part {
    /// How many cases of each chapter the book's kernels win.
    Summary,
    /// So many with the lowest ratios.
    Worst(usize),
    /// So many with the highest ratios.
    Best(usize),
    /// All, as a table that the theme's script filters.
    All,
}

impl Part {
    fn of(directive: &Directive) -> Result<Self, String> {
        let [worst, best, list] = ["worst", "best", "list"].map(|key| directive.option(key));
        let number =
            |text: &str| text.parse().map_err(|_| format!("{text} is not a number of cases"));
        match (worst, best, list) {
            (None, None, None) => Ok(Self::Summary),
            (Some(count), None, None) => Ok(Self::Worst(number(count)?)),
            (None, Some(count), None) => Ok(Self::Best(number(count)?)),
            (None, None, Some("all")) => Ok(Self::All),
            _ => Err("write worst=COUNT, best=COUNT or list=all".to_owned()),
        }
    }
}

/// The part of the cases that the directive names.
pub(super) fn all(Asked { page, directive, records }: Asked) -> Result<String, String> {
    let cases = match Part::of(directive)? {
        Part::Summary => return Ok(summary(records)),
        Part::All => return Ok(filtered(records)),
        Part::Worst(count) => some(directive, records, |cases| cases.truncate(count))?,
        Part::Best(count) => some(directive, records, |cases| {
            cases.reverse();
            cases.truncate(count);
        })?,
    };
    let mut text = format!(
        "{}\n\n\
         | chapter | input | kernel | kernel's time | library | library's time | ratio |\n\
         | ---: | --- | --- | ---: | --- | ---: | ---: |\n",
        source(page, cases.run),
    );
    for (chapter, case) in &cases.of_chapters {
        let [input, kernel, time, library, its_time, ratio] = case.cells();
        text.push_str(&format!(
            "| {chapter} | {input} | {kernel} | {time} | {library} | {its_time} | {ratio} |\n"
        ));
    }
    Ok(text)
}

/// Cases of one run, with their chapters.
struct Cases<'a> {
    run: &'a Run,
    of_chapters: Vec<(u64, Case<'a>)>,
}

/// Those of all chapters that `choose` leaves, of the one device that the directive means; the lowest ratios first.
fn some<'a>(
    directive: &Directive,
    records: &'a Records,
    choose: impl Fn(&mut Vec<(u64, Case<'a>)>),
) -> Result<Cases<'a>, String> {
    let is_meant =
        |run: &&Run| run.head.device.devices.is_none() && run.device().contains(directive.device());
    let run = records.newest().find(is_meant).ok_or("no run on such a device is recorded")?;
    let mut of_chapters = of_all_chapters(run);
    of_chapters.sort_by(|(_, a), (_, b)| a.ratio.total_cmp(&b.ratio));
    choose(&mut of_chapters);
    Ok(Cases { run, of_chapters })
}

fn of_all_chapters(run: &Run) -> Vec<(u64, Case<'_>)> {
    let chapters: BTreeSet<u64> = run.rows.iter().filter_map(Row::chapter).collect();
    let of_chapter = |chapter| cases(run, chapter).into_iter().map(move |case| (chapter, case));
    chapters.into_iter().flat_map(of_chapter).collect()
}

/// All cases of all recordings, as one table.
fn filtered(records: &Records) -> String {
    let heads = [
        "device",
        "chapter",
        "input",
        "kernel",
        "kernel's time",
        "library",
        "library's time",
        "ratio",
    ];
    let of_run = |run: &Run| {
        let device = run.device().to_owned();
        let line = |(chapter, case): (u64, Case)| {
            let cells = case.cells().map(|cell| with_code(&cell));
            [device.clone(), chapter.to_string()].into_iter().chain(cells).collect()
        };
        of_all_chapters(run).into_iter().map(line).collect::<Vec<Vec<String>>>()
    };
    filtered::table("compared.tsv", &heads, records.newest().flat_map(of_run))
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

    /// Input, kernel, its time, the library's call, its time, and the ratio.
    fn cells(&self) -> [String; 6] {
        let copies = self.row.subject.task.number("copies");
        let option = copies.map(|copies| format!(" `--copies {copies}`"));
        [
            self.input(),
            format!("`{}`{}", self.row.subject.kernel, option.unwrap_or_default()),
            self.row.cell("time_ms.median"),
            format!("{}, {}", library(self.baseline), self.baseline.call.replace("::", "::<wbr>")),
            amount("time_ms", self.baseline.time_ms.median),
            amount("ratio", self.ratio),
        ]
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
