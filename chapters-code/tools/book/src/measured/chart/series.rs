//! What is drawn: for each kernel, for the ceiling and for the baseline, the rates at the sizes.

use serde_json::Value;

use super::super::records::field;
use super::super::{amount, value};

/// Colours of the stylesheet, which kernels take in turn.
const COLOURS: usize = 8;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Style {
    /// A kernel, by its place in the ladder.
    Kernel(usize),
    /// What reading or copying alone can reach.
    Ceiling,
    /// A library that does the same work.
    Baseline,
}

impl Style {
    /// Whether it is of the ladder.
    pub(super) fn is_own(self) -> bool {
        matches!(self, Self::Kernel(_))
    }

    /// The stylesheet's class.
    pub(super) fn class(self) -> String {
        match self {
            Self::Kernel(place) if place >= COLOURS => format!("s{} again", place % COLOURS + 1),
            Self::Kernel(place) => format!("s{}", place + 1),
            Self::Ceiling => "ceiling".to_owned(),
            Self::Baseline => "baseline".to_owned(),
        }
    }
}

/// A rate at a size.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) n: f64,
    /// GB/s.
    pub(super) rate: f64,
    pub(super) time: Option<String>,
    pub(super) of_ceiling: Option<String>,
}

/// The rates of one kernel.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Series {
    pub(super) name: String,
    pub(super) style: Style,
    /// By size.
    pub(super) points: Vec<Point>,
}

impl Series {
    /// A series of places and rates.
    pub(super) fn of_points(name: String, style: Style, points: &[[f64; 2]]) -> Self {
        let point = |&[n, rate]: &[f64; 2]| Point {
            n,
            rate,
            time: None,
            of_ceiling: None,
        };
        Self {
            name,
            style,
            points: points.iter().map(point).collect(),
        }
    }

    pub(super) fn sizes(&self) -> impl Iterator<Item = f64> {
        self.points.iter().map(|point| point.n)
    }

    /// The rate at a size, with its unit.
    pub(super) fn rate_at(&self, n: f64) -> Option<String> {
        let point = self.points.iter().find(|point| point.n == n)?;
        Some(amount("gb_per_s", point.rate))
    }

    /// The name; kernels' are code.
    pub(super) fn html_name(&self) -> String {
        match self.style.is_own() {
            true => format!("<code>{}</code>", self.name),
            false => super::escape(&self.name),
        }
    }
}

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
        let name = match row["ceiling"].as_str() {
            Some("copy") => "copy, at its best",
            _ => "read sweep, at its best",
        };
        add(&mut all, name, Style::Ceiling, ceiling(row));
    }
    for row in rows {
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
    all.push(Series {
        name: name.to_owned(),
        style,
        points: vec![point],
    });
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
    Some(Point {
        n: row["n"].as_f64()?,
        rate,
        time: None,
        of_ceiling: None,
    })
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
