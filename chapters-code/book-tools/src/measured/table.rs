//! A rung in a sentence, the ladder as a table, and the list of recorded runs.

use serde_json::Value;

use super::directive::Directive;
use super::records::{Records, Run, field};
use super::value;

/// A line for every row that `directive` selects, in the order of the ladder, and one for the peer.
pub(super) fn ladder(directive: &Directive, records: &Records) -> Result<String, String> {
    let run = records.run(directive.device())?;
    let rows = run.select(directive)?;
    let mut table = String::from(
        "| kernel | median time | rate | of the ceiling | of peak | over the line before |\n\
         | --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut before = None;
    for row in &rows {
        let time = field(row, "time_ms.median").and_then(Value::as_f64);
        let gain = before
            .zip(time)
            .map(|(before, time): (f64, f64)| before / time);
        table.push_str(&line(row, gain));
        before = time;
    }
    table.push_str(&peer_line(&rows).unwrap_or_default());
    table.push_str(&format!("\n*{}*\n", source(run)));
    Ok(table)
}

/// The rate of the one row that `directive` selects, against the ceiling, the peak and the rung
/// before.
pub(super) fn rung(directive: &Directive, records: &Records) -> Result<String, String> {
    let run = records.run(directive.device())?;
    let row = run.one_row(directive)?;
    let cell = |path: &str| field(row, path).map_or(String::new(), |found| value(path, found));
    let mut text = format!(
        "{}, which is {} of the ceiling and {} of the theoretical peak",
        cell("gb_per_s"),
        cell("fraction_of_ceiling"),
        cell("fraction_of_peak"),
    );
    if let Some(before) = directive.before() {
        let rate = |row: &Value| row["gb_per_s"].as_f64().unwrap_or(f64::NAN);
        let gain = rate(row) / rate(run.one_row(&before)?);
        text.push_str(&format!(
            ", and {} the rung before",
            super::amount("ratio", gain)
        ));
    }
    Ok(text)
}

fn line(row: &Value, gain: Option<f64>) -> String {
    let cell = |path: &str| field(row, path).map_or(String::new(), |found| value(path, found));
    format!(
        "| `{}` | {} | {} | {} | {} | {} |\n",
        cell("kernel"),
        cell("time_ms.median"),
        cell("gb_per_s"),
        cell("fraction_of_ceiling"),
        cell("fraction_of_peak"),
        gain.map_or(String::new(), |gain| super::amount("ratio", gain)),
    )
}

/// The peer of the last row that has one, at the rate that its time makes of that row's bytes.
fn peer_line(rows: &[&Value]) -> Option<String> {
    let row = rows.iter().rev().find(|row| row["peer"].is_object())?;
    let peer = &row["peer"];
    let rate = row["bytes"].as_f64()? / (peer["time_ms"]["median"].as_f64()? * 1e6);
    Some(format!(
        "| {} {} | {} | {} | | | |\n",
        peer["name"].as_str()?,
        peer["version"].as_str().unwrap_or_default(),
        value("time_ms", &peer["time_ms"]["median"]),
        super::amount("gb_per_s", rate),
    ))
}

/// Where a table or picture comes from.
pub(super) fn source(run: &Run) -> String {
    let driver = run
        .field("device.driver")
        .map_or(String::new(), |found| value("", found));
    format!(
        "{}, driver {driver}, recorded {}.",
        run.device(),
        run.date()
    )
}

/// A line for every recorded run.
pub(super) fn devices(records: &Records) -> String {
    let mut table = String::from(
        "| device | compute capability | driver | peak | date | rows |\n\
         | --- | --- | --- | ---: | --- | ---: |\n",
    );
    for run in records.runs() {
        let cell = |path: &str| {
            run.field(path)
                .map_or(String::new(), |found| value(path, found))
        };
        table.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            run.device(),
            cell("device.compute_capability"),
            cell("device.driver"),
            cell("device.peak_gb_per_s"),
            run.date(),
            run.rows().len(),
        ));
    }
    table
}
