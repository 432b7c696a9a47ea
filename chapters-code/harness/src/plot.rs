//! The ladder as a picture: rates over sizes, or bars where there is one size. Plain SVG, whose
//! text the viewer sets in its own fonts.

use std::path::Path;

use plotters::prelude::*;

use crate::{Error, Row, ceiling::Ceilings, json::Target};

/// A rung's name and its points: elements, value.
type Ladder = (String, Vec<(f64, f64)>);

/// Pixels: of the picture, of the names beside the lines, of a name's line.
const WIDTH: u32 = 960;
const NAMES: u32 = 260;
const LINE: u32 = 16;

/// The lines behind a picture.
const GRID: RGBColor = RGBColor(208, 208, 208);

type Drawing<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

/// Checks that a picture can be written there, before anything runs; what is there stays until it
/// is drawn.
///
/// # Errors
/// [`Error::Usage`] for a name that does not end in `.svg`, [`Error::Write`] for what the system
/// refuses.
pub fn check(path: &Path) -> Result<(), Error> {
    if path.extension().is_none_or(|extension| extension != "svg") {
        return Err(Error::Usage(format!(
            "--plot {}: a picture is an SVG file\n  remedy: name a file that ends in .svg",
            path.display()
        )));
    }
    Target::open(path).map(drop)
}

/// Draws the rows to `path`, below `title`: GB/s on a GPU, and on the simulator, which has no time,
/// instructions a warp's worth of elements.
///
/// # Errors
/// [`Error::Write`] with the system's reason.
pub fn draw(
    path: &Path,
    title: &str,
    rows: &[Row],
    ceilings: Option<&Ceilings>,
) -> Result<(), Error> {
    let mut svg = String::new();
    let ladders = ladders(rows);
    let height = 80 + LINE * ladders.len().max(28) as u32;
    let drawn = {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        let plot = Plot {
            title,
            ladders: &ladders,
            rows,
            ceilings,
        };
        plot.draw_on(&area)
            .map_err(|error| error.to_string())
            .and_then(|()| area.present().map_err(|e| e.to_string()))
    };
    let failed = |error| Error::write(path, error);
    drawn.map_err(|reason| failed(std::io::Error::other(reason)))?;
    std::fs::write(path, svg).map_err(failed)
}

/// The values of each rung that is meant to be right, and of each type and operator where there are
/// several, in the order in which they first appear.
fn ladders(rows: &[Row]) -> Vec<Ladder> {
    let mut ladders: Vec<Ladder> = Vec::new();
    for row in rows.iter().filter(|row| !row.broken) {
        let Some(value) = value(row) else { continue };
        let point = (row.n.max(1) as f64, value);
        let name = name(row, rows);
        match ladders.iter_mut().find(|(known, _)| *known == name) {
            Some((_, points)) => points.push(point),
            None => ladders.push((name, vec![point])),
        }
    }
    ladders
}

fn name(row: &Row, rows: &[Row]) -> String {
    let kind = |row: &Row| (row.op, row.dtype, row.input, row.parameters);
    let mut others = rows.iter().filter(|other| !other.broken);
    match others.all(|other| kind(other) == kind(row)) {
        true => row.kernel.into(),
        false => format!(
            "{} {} {} {}{}",
            row.kernel, row.op, row.dtype, row.input, row.parameters
        ),
    }
}

fn value(row: &Row) -> Option<f64> {
    let instructions = row.counters.as_ref().map(|c| c.warp_instructions as f64);
    row.gb_per_s
        .or_else(|| Some(instructions? / (row.n.max(1) as f64 / 32.0)))
}

/// The powers of two between two sizes, as many as can be labelled.
fn powers(first: f64, last: f64) -> Vec<f64> {
    const MOST: f64 = 14.0;
    let (low, high) = (first.log2().ceil(), last.log2().floor());
    let step = ((high - low + 1.0) / MOST).ceil().max(1.0) as i32;
    let powers = (low as i32..=high as i32).filter(|power| power % step == 0);
    powers.map(|power| 2f64.powi(power)).collect()
}

/// Colours that stand out from white, and from one another.
const COLORS: [RGBColor; 8] = [
    RGBColor(11, 98, 168),
    RGBColor(181, 72, 15),
    RGBColor(26, 122, 76),
    RGBColor(154, 47, 120),
    RGBColor(122, 92, 0),
    RGBColor(90, 75, 184),
    RGBColor(0, 112, 122),
    RGBColor(161, 51, 47),
];

/// A rung's colour.
fn color(i: usize) -> RGBColor {
    COLORS[i % COLORS.len()]
}

/// Whether a rung's line is dashed: where there are more rungs than colours, the others' are.
fn is_dashed(i: usize) -> bool {
    i >= COLORS.len()
}

struct Plot<'a> {
    title: &'a str,
    ladders: &'a [Ladder],
    rows: &'a [Row],
    ceilings: Option<&'a Ceilings>,
}

type Failed = Box<dyn std::error::Error>;

impl Plot<'_> {
    fn unit(&self) -> &'static str {
        if self.rows.iter().any(|row| row.time_ms.is_some()) {
            "GB/s"
        } else {
            "warp instructions (PTX) per 32 elements"
        }
    }

    fn title(&self) -> String {
        let device = self.rows.first().map_or("", |row| &row.device);
        format!("{}, on {device}", self.title)
    }

    fn ceiling(&self) -> Option<f64> {
        Some(self.ceilings?.gb_per_s(self.rows.first()?.ceiling))
    }

    fn top(&self) -> f64 {
        let values = self
            .ladders
            .iter()
            .flat_map(|(_, points)| points.iter().map(|point| point.1));
        values.chain(self.ceiling()).fold(1e-9, f64::max) * 1.05
    }

    /// A value beside its axis.
    fn label(&self, value: f64) -> String {
        format!("{value:.*}", usize::from(self.top() < 10.0))
    }

    fn draw_on(&self, area: &Drawing<'_>) -> Result<(), Failed> {
        area.fill(&WHITE)?;
        // A line needs two points.
        if self.ladders.iter().any(|(_, points)| points.len() > 1) {
            let (chart, names) = area.split_horizontally(WIDTH - NAMES);
            self.lines(&chart)?;
            self.names(&names)
        } else if self.ladders.is_empty() {
            Ok(())
        } else {
            self.bars(area)
        }
    }

    fn lines(&self, area: &Drawing<'_>) -> Result<(), Failed> {
        let sizes = || self.rows.iter().map(|row| row.n.max(1) as f64);
        let (first, last) = (
            sizes().fold(f64::MAX, f64::min),
            sizes().fold(1.0, f64::max),
        );
        let mut chart = ChartBuilder::on(area)
            .caption(self.title(), ("sans-serif", 18))
            .margin(16)
            .x_label_area_size(52)
            .y_label_area_size(72)
            .build_cartesian_2d(
                (first..last)
                    .log_scale()
                    .with_key_points(powers(first, last)),
                0.0..self.top(),
            )?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .label_style(("sans-serif", 14, &BLACK))
            .axis_desc_style(("sans-serif", 15, &BLACK))
            .x_label_formatter(&|n| format!("2^{:.0}", n.log2()))
            .y_label_formatter(&|value| self.label(*value))
            .x_desc("elements")
            .y_desc(self.unit())
            .draw()?;
        for (i, (_, points)) in self.ladders.iter().enumerate() {
            let (color, points) = (color(i), points.iter().copied());
            let stroke = color.stroke_width(2);
            match is_dashed(i) {
                true => chart.draw_series(DashedLineSeries::new(points.clone(), 6, 4, stroke))?,
                false => chart.draw_series(LineSeries::new(points.clone(), stroke))?,
            };
            chart.draw_series(points.map(|point| Circle::new(point, 3, color.filled())))?;
        }
        if let Some(rate) = self.ceiling() {
            chart.draw_series(LineSeries::new([(first, rate), (last, rate)], BLACK))?;
        }
        Ok(())
    }

    /// The lines' names, each behind a piece of its line.
    fn names(&self, area: &Drawing<'_>) -> Result<(), Failed> {
        const WHOLE: &[[i32; 2]] = &[[0, 16]];
        const DASHES: &[[i32; 2]] = &[[0, 6], [10, 16]];
        let names = self.ladders.iter().enumerate();
        let mut names: Vec<_> = names
            .map(|(i, (name, _))| (color(i), if is_dashed(i) { DASHES } else { WHOLE }, &**name))
            .collect();
        if self.ceiling().is_some() {
            names.push((BLACK, WHOLE, "ceiling"));
        }
        for (i, (color, line, name)) in names.into_iter().enumerate() {
            let y = 48 + LINE as i32 * i as i32;
            for piece in line {
                let ends = piece.map(|x| (x, y + 6));
                area.draw(&PathElement::new(ends, color.stroke_width(2)))?;
            }
            area.draw(&Text::new(name, (22, y), ("sans-serif", 13)))?;
        }
        Ok(())
    }

    fn bars(&self, area: &Drawing<'_>) -> Result<(), Failed> {
        let count = self.ladders.len() as f64;
        let mut chart = ChartBuilder::on(area)
            .caption(self.title(), ("sans-serif", 18))
            .margin(16)
            .x_label_area_size(52)
            .y_label_area_size(8)
            .build_cartesian_2d(0.0..self.top(), count..0.0)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(0)
            .x_label_formatter(&|value| self.label(*value))
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .label_style(("sans-serif", 14, &BLACK))
            .axis_desc_style(("sans-serif", 15, &BLACK))
            .x_desc(self.unit())
            .draw()?;
        let bar = |(i, (_, points)): (usize, &Ladder)| {
            let y = i as f64;
            Rectangle::new(
                [(0.0, y + 0.1), (points[0].1, y + 0.9)],
                COLORS[0].mix(0.3).filled(),
            )
        };
        chart.draw_series(self.ladders.iter().enumerate().map(bar))?;
        let label = |(i, (name, points)): (usize, &Ladder)| {
            let text = format!(
                "{name}  {:.*}",
                usize::from(points[0].1 < 100.0),
                points[0].1
            );
            Text::new(
                text,
                (self.top() * 0.005, i as f64 + 0.25),
                ("sans-serif", 14),
            )
        };
        chart.draw_series(self.ladders.iter().enumerate().map(label))?;
        if let Some(rate) = self.ceiling() {
            chart.draw_series(LineSeries::new([(rate, 0.0), (rate, count)], BLACK))?;
        }
        Ok(())
    }
}
