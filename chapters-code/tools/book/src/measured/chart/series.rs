//! The series of a chart, read off recorded rows.

use figures::chart::{Point, Series, Style};
use serde_json::Value;

use super::super::records::field;
use super::super::{amount, value};

/// The series of these rows: the kernels in the order of `kernels`, which gives each its colour, the
/// ceilings that their rates are compared with, and the baselines.
pub(super) fn of(rows: &[&Value], kernels: &[&str]) -> Vec<Series> {
    let mut all = Vec::new();
    for (place, name) in kernels.iter().enumerate() {
        for row in rows.iter().filter(|row| row["kernel"] == **name) {
            add(&mut all, name, Style::Kernel(place), own(row));
        }
    }
    for row in rows {
        add(&mut all, "ceiling", Style::Ceiling, ceiling(row));
    }
    // Of baselines that were timed again for each kernel the last one is shown, as in the table.
    for row in rows.iter().rev() {
        let name = field(row, "baseline.name").map_or(String::new(), |name| value("", name));
        add(&mut all, &name, Style::Baseline, baseline(row));
    }
    for series in &mut all {
        series.points.sort_by(|a, b| a.n.total_cmp(&b.n));
        series.points.dedup_by_key(|point| point.n);
    }
    all
}

fn add(all: &mut Vec<Series>, name: &str, style: Style, point: Option<Point>) {
    let Some(point) = point.filter(|point| point.n > 0.0 && point.rate > 0.0) else {
        return;
    };
    if let Some(series) = all.iter_mut().find(|series| series.name == name) {
        series.points.push(point);
        return;
    }
    all.push(Series { name: name.to_owned(), style, points: vec![point] });
}

fn own(row: &Value) -> Option<Point> {
    let shown = |path: &str| {
        let found = field(row, path).filter(|found| !found.is_null())?;
        Some(value(path, found))
    };
    Some(Point {
        n: row["n"].as_f64()?,
        rate: row["gb_per_s"].as_f64()?,
        time: shown("time_ms.median"),
        of_ceiling: shown("fraction_of_ceiling"),
    })
}

fn ceiling(row: &Value) -> Option<Point> {
    let rate = row["gb_per_s"].as_f64()? / row["fraction_of_ceiling"].as_f64()?;
    Some(Point { n: row["n"].as_f64()?, rate, time: None, of_ceiling: None })
}

/// The baseline, at the rate that its time makes of the row's bytes.
fn baseline(row: &Value) -> Option<Point> {
    let time = field(row, "baseline.time_ms.median")?;
    let rate = row["bytes"].as_f64()? / (time.as_f64()? * 1e6);
    let share = rate / ceiling(row)?.rate;
    Some(Point {
        n: row["n"].as_f64()?,
        rate,
        time: Some(value("time_ms.median", time)),
        of_ceiling: Some(amount("fraction", share)),
    })
}
