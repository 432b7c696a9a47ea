//! The data of a chart: for each kernel, for the ceiling and for the baseline, the rates at the sizes.

use crate::page::escape;

/// Colours of the stylesheet, which kernels take in turn.
const COLOURS: usize = 8;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Style {
    /// A kernel, by its index in the ladder.
    Kernel(usize),
    /// The rate of reading or copying alone.
    Ceiling,
    /// A library that does the same work.
    Baseline,
}

impl Style {
    /// Whether the series is a rung of the ladder.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Kernel(_))
    }

    /// The class for the stylesheet.
    pub fn class(self) -> String {
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
pub struct Point {
    /// The size.
    pub n: f64,
    /// The rate, in the unit of the chart.
    pub rate: f64,
    /// The time as text, for a table beside the chart.
    pub time: Option<String>,
    /// The fraction of the ceiling as text, for a table beside the chart.
    pub of_ceiling: Option<String>,
}

/// The rates of one kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name, in plain text.
    pub name: String,
    /// How the series is drawn.
    pub style: Style,
    /// The points, ordered by size.
    pub points: Vec<Point>,
}

impl Series {
    /// A series of sizes and rates.
    pub fn of_points(name: String, style: Style, points: &[[f64; 2]]) -> Self {
        let point = |&[n, rate]: &[f64; 2]| Point { n, rate, time: None, of_ceiling: None };
        Self { name, style, points: points.iter().map(point).collect() }
    }

    /// The sizes of the points.
    pub fn sizes(&self) -> impl Iterator<Item = f64> {
        self.points.iter().map(|point| point.n)
    }

    /// The rate at a size.
    pub fn rate_at(&self, n: f64) -> Option<f64> {
        let point = self.points.iter().find(|point| point.n == n)?;
        Some(point.rate)
    }

    /// The name as HTML; names of kernels are code.
    pub fn html_name(&self) -> String {
        match self.style.is_own() {
            true => format!("<code>{}</code>", self.name),
            false => escape(&self.name),
        }
    }
}
