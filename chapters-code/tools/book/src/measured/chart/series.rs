//! The series of a chart, read off recorded rows.

use figures::chart::{Point, Series, Style};

use super::super::amount;
use super::super::records::Row;

/// The series of these rows: the kernels in the order of `kernels`, which gives each its colour, the
/// ceilings that their rates are compared with, and the baselines.
pub(super) fn of(rows: &[&Row], kernels: &[&str]) -> Vec<Series> {
    let mut all = Vec::new();
    for (place, name) in kernels.iter().enumerate() {
        for row in rows.iter().filter(|row| row.subject.kernel == **name) {
            add(&mut all, name, Style::Kernel(place), own(row));
        }
    }
    for row in rows {
        add(&mut all, "ceiling", Style::Ceiling, ceiling(row));
    }
    // Of baselines that were timed again for each kernel the last one is shown, as in the table.
    for row in rows.iter().rev() {
        if let Some(library) = &row.baseline {
            add(&mut all, &library.name, Style::Baseline, baseline(row));
        }
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

fn own(row: &Row) -> Option<Point> {
    Some(Point {
        n: row.subject.n as f64,
        rate: row.gb_per_s?,
        time: row.median_ms().map(|time| amount("time_ms", time)),
        of_ceiling: row.fraction_of_ceiling.map(|part| amount("fraction", part)),
    })
}

fn ceiling(row: &Row) -> Option<Point> {
    let rate = row.gb_per_s? / row.fraction_of_ceiling?;
    Some(Point { n: row.subject.n as f64, rate, time: None, of_ceiling: None })
}

/// The baseline, at the rate that its time makes of the row's bytes.
fn baseline(row: &Row) -> Option<Point> {
    let (rate, ceiling) = (row.baseline_rate()?, ceiling(row)?);
    let time = row.baseline.as_ref()?.time_ms.median;
    Some(Point {
        rate,
        time: Some(amount("time_ms", time)),
        of_ceiling: Some(amount("fraction", rate / ceiling.rate)),
        ..ceiling
    })
}
