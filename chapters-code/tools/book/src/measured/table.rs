//! A rung in a sentence, the ladder as a table, and the list of recorded runs.

use std::path::Path;

use recording::{Device, Head};

use super::records::{self, Row, Run};
use super::{Asked, amount};

/// A gain that differs from 1 by less would be shown as 1.00.
const SAME: f64 = 0.005;

/// A line for every kernel that `directive` selects, in the order of the ladder, and one for the
/// baseline; columns for every device that is recorded.
pub(super) fn ladder(Asked { page, directive, records }: Asked) -> Result<String, String> {
    let runs = records.of_devices(directive)?;
    let mut table = match &runs[..] {
        [(_, rows)] => of_one(rows),
        several => of_several(several),
    };
    let sources: Vec<String> = runs.iter().map(|(run, _)| source(page, run)).collect();
    table.push_str(&format!("\n*{}*\n", sources.join(" ")));
    Ok(table)
}

fn of_one(rows: &[&Row]) -> String {
    let mut table = String::from(
        "| kernel | median time | rate | of the ceiling | of peak | over the line before |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut before = None;
    for row in rows {
        let time = row.median_ms();
        let gain = before.zip(time).map(|(before, time): (f64, f64)| before / time);
        table.push_str(&line(row, gain));
        before = time;
    }
    if let Some(Baseline { name, time, rate }) = baseline(rows) {
        table.push_str(&format!("| {name} | {time} | {rate} | | | |\n"));
    }
    table
}

/// The devices beside one another: of each the rate, and its part of the ceiling.
fn of_several(runs: &[(&Run, Vec<&Row>)]) -> String {
    let mut table = String::from("| kernel |");
    for (run, _) in runs {
        table.push_str(&format!(" {} | of its ceiling |", run.device()));
    }
    table.push_str(&format!("\n| --- |{}\n", " ---: | ---: |".repeat(runs.len())));
    for kernel in records::kernels(runs.iter().map(|(_, rows)| &rows[..])) {
        table.push_str(&format!("| `{kernel}` |"));
        for (_, rows) in runs {
            let row = rows.iter().find(|row| row.subject.kernel == kernel);
            for path in ["gb_per_s", "fraction_of_ceiling"] {
                table.push_str(&format!(" {} |", row.map_or(String::new(), |row| row.cell(path))));
            }
        }
        table.push('\n');
    }
    let baselines: Vec<Option<Baseline>> = runs.iter().map(|(_, rows)| baseline(rows)).collect();
    if let Some(first) = baselines.iter().flatten().next() {
        // Versions differ from run to run.
        let name = first.name.split(' ').next().unwrap_or_default();
        table.push_str(&format!("| {name} |"));
        for baseline in &baselines {
            let rate = baseline.as_ref().map_or("", |baseline| &baseline.rate);
            table.push_str(&format!(" {rate} | |"));
        }
        table.push('\n');
    }
    table
}

/// The rate of the one row that `directive` selects, against the ceiling, the peak and the rung
/// that the key `before` names.
pub(super) fn rung(Asked { directive, records, .. }: Asked) -> Result<String, String> {
    let run = records.run_of(directive)?;
    let row = run.one_row(directive)?;
    let mut text = format!(
        "{}, which is {} of the ceiling and {} of the theoretical peak",
        row.cell("gb_per_s"),
        row.cell("fraction_of_ceiling"),
        row.cell("fraction_of_peak"),
    );
    if let Some(before) = directive.rung_before() {
        let gain = run.gain(directive)?;
        text.push_str(&match (gain - 1.0).abs() < SAME {
            true => format!(", and within {:.1}\u{a0}% of the rate of `{before}`", SAME * 100.0),
            false => format!(", and {} the rate of `{before}`", amount(super::GAIN, gain)),
        });
    }
    Ok(text)
}

fn line(row: &Row, gain: Option<f64>) -> String {
    format!(
        "| `{}` | {} | {} | {} | {} | {} |\n",
        row.subject.kernel,
        row.cell("time_ms.median"),
        row.cell("gb_per_s"),
        row.cell("fraction_of_ceiling"),
        row.cell("fraction_of_peak"),
        gain.map_or(String::new(), |gain| amount("ratio", gain)),
    )
}

/// What a baseline library took for the last row that has one, and the rate that this makes of its bytes.
struct Baseline {
    name: String,
    time: String,
    rate: String,
}

fn baseline(rows: &[&Row]) -> Option<Baseline> {
    let row = rows.iter().rev().find(|row| row.baseline.is_some())?;
    let baseline = row.baseline.as_ref()?;
    Some(Baseline {
        name: format!("{} {}", baseline.name, baseline.version),
        time: amount("time_ms", baseline.time_ms.median),
        rate: amount("gb_per_s", row.baseline_rate()?),
    })
}

/// Where a table comes from, with a link to the file.
pub(super) fn source(page: &Path, run: &Run) -> String {
    let Head { date, device, .. } = &run.head;
    let Device { name, driver, .. } = device;
    format!("{name}, driver {driver}, [recorded {date}]({}).", file(page, run))
}

/// The same for a picture.
pub(super) fn source_in_html(page: &Path, run: &Run) -> String {
    let Head { date, device, .. } = &run.head;
    let Device { name, driver, .. } = device;
    format!("{name}, driver {driver}, <a href=\"{}\">recorded {date}</a>.", file(page, run))
}

/// From a page, which stands in the book's source folder, to a run's file, which mdBook copies.
fn file(page: &Path, run: &Run) -> String {
    format!("{}{}/{}", up(page), super::FOLDER, run.file)
}

/// From a page to the book's source folder.
pub(super) fn up(page: &Path) -> String {
    "../".repeat(page.components().count().saturating_sub(2))
}

/// A line for every recorded run, and why runs of earlier kernels are kept.
pub(super) fn devices(Asked { page, records, .. }: Asked) -> Result<String, String> {
    let mut table = String::from(
        "| device | compute capability | driver | peak | date | rows |\n\
         | --- | --- | --- | ---: | --- | ---: |\n",
    );
    for run in records.runs() {
        let Device { name, compute_capability, driver, peak_gb_per_s, .. } = &run.head.device;
        table.push_str(&format!(
            "| {name} | {compute_capability} | {driver} | {} | [{}]({}) | {} |\n",
            amount("gb_per_s", *peak_gb_per_s),
            run.head.date,
            file(page, run),
            super::thousands(run.rows.len() as u64),
        ));
    }
    for run in records.runs() {
        if let Some(reason) = &run.head.kept {
            let (device, date) = (run.device(), &run.head.date);
            table.push_str(&format!(
                "\nThe run on {device} of {date} has earlier kernels. {reason}\n"
            ));
        }
    }
    Ok(table)
}
