//! The ladder as a picture: rates over sizes, or bars if there is one size.

use std::path::Path;

use figures::chart::{Drawing, GB_PER_S, Layout, Series, Style, Unit, bars, lines, standalone};

use crate::{AnyCase, Row, json::Target};
use harness::{Case, Error};

/// The simulator has no time. It counts instructions per 32 elements, as many as a warp has lanes.
const INSTRUCTIONS: Unit =
    Unit { name: "warp instructions (PTX) per 32 elements", write: |count| format!("{count:.1}") };

/// Names stand above their bars, because they may hold a type, an operator and more.
const BARS: bars::Layout = bars::Layout { width: 720.0, longest: 710.0, ..bars::NARROW };

/// Checks that a picture can be written there, before anything runs. An existing file stays until the
/// picture is drawn.
///
/// # Errors
/// [`Error::Usage`] for a name that does not end in `.svg`, [`Error::Write`] for what the system
/// refuses.
pub fn check(path: &Path) -> Result<(), Error> {
    if path.extension().is_none_or(|extension| extension != "svg") {
        let what = format!("--plot {}: a picture is an SVG file", path.display());
        return Err(Error::usage(what, "name a file that ends in .svg"));
    }
    Target::open(path).map(drop)
}

/// Draws the rows to `path`, below `title`: GB/s on a GPU, and on the simulator instructions per 32
/// elements.
///
/// # Errors
/// [`Error::Write`] with the system's reason.
pub fn draw(path: &Path, title: &str, rows: &[Row]) -> Result<(), Error> {
    let device = rows.first().map_or("", |row| &row.device);
    let drawing = drawing(&series(rows), unit(rows));
    let svg = standalone(&format!("{title}, on {device}"), drawing);
    std::fs::write(path, svg).map_err(|error| Error::write(path, error))
}

fn unit(rows: &[Row]) -> Unit {
    match rows.iter().any(|row| row.time_ms.is_some()) {
        true => GB_PER_S,
        false => INSTRUCTIONS,
    }
}

/// Curves, or bars if there are fewer than two sizes.
fn drawing(series: &[Series], unit: Unit) -> Drawing {
    let names = series.len().max(24) as f64;
    let layout = Layout {
        width: 960.0,
        height: lines::WIDE.top + lines::WIDE.bottom + lines::LABEL_GAP * names,
        left: 60.0,
        right: 300.0,
        ..lines::WIDE
    };
    let curves = lines::draw(series, lines::ELEMENTS, unit, layout);
    curves.unwrap_or_else(|_| bars::draw(series, unit, &BARS))
}

/// A series for each rung that is meant to be right, and for each type and operator where there are
/// several, in the order in which they first appear; then the ceiling.
fn series(rows: &[Row]) -> Vec<Series> {
    let mut ladders: Vec<(String, Vec<[f64; 2]>)> = Vec::new();
    for row in rows.iter().filter(|row| !row.broken) {
        let Some(value) = value(row) else { continue };
        let (name, point) = (name(row, rows), [row.subject.n.max(1) as f64, value]);
        match ladders.iter_mut().find(|(known, _)| *known == name) {
            Some((_, points)) => points.push(point),
            None => ladders.push((name, vec![point])),
        }
    }
    let ceiling =
        |row: &Row| Some([row.subject.n.max(1) as f64, row.gb_per_s? / row.fraction_of_ceiling?]);
    let ceiling: Vec<[f64; 2]> = rows.iter().filter_map(ceiling).collect();
    let numbered = ladders.into_iter().zip(0..);
    let ladder = numbered.map(|((name, points), i)| sorted(name, Style::Kernel(i), points));
    let has_ceiling = !ceiling.is_empty();
    let ceiling = has_ceiling.then(|| sorted("ceiling".into(), Style::Ceiling, ceiling));
    ladder.chain(ceiling).collect()
}

fn sorted(name: String, style: Style, mut points: Vec<[f64; 2]>) -> Series {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    Series::of_points(name, style, &points)
}

fn name(row: &Row, rows: &[Row]) -> String {
    let kernel = &row.subject.kernel;
    let Case { op, dtype, input, task, .. } = &row.case;
    let is_same =
        |of: &AnyCase| (of.op, of.dtype, of.input) == (*op, *dtype, *input) && of.task == *task;
    let mut others = rows.iter().filter(|other| !other.broken);
    match others.all(|other| is_same(&other.case)) {
        true => kernel.clone(),
        false => format!("{kernel} {op} {dtype} {input}{}", row.label),
    }
}

fn value(row: &Row) -> Option<f64> {
    let instructions = row.counters.as_ref().map(|c| c.warp_instructions as f64);
    row.gb_per_s.or_else(|| Some(instructions? / (row.subject.n.max(1) as f64 / 32.0)))
}
