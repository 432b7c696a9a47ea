//! Rates at one size, a bar a kernel, with the ceiling as a line through them.

use svg::node::Node;
use svg::node::element::{Group, path::Data};

use super::{Drawing, Series, Style};
use crate::figure::picture::{path, rectangle, text};

/// A row, and where its parts are in it.
struct Layout {
    class: &'static str,
    width: f64,
    row: f64,
    /// The bars' left end, and their longest length.
    left: f64,
    longest: f64,
    /// Upper edge and height of a bar in its row.
    bar: [f64; 2],
    /// Where names stand, and how they are aligned.
    name: [f64; 2],
    align: &'static str,
}

const TOP: f64 = 22.0;
const WIDE: Layout = Layout {
    class: "wide",
    width: 720.0,
    row: 25.0,
    left: 176.0,
    longest: 456.0,
    bar: [4.0, 17.0],
    name: [168.0, 17.0],
    align: "end name",
};
/// Names stand above their bars.
const NARROW: Layout = Layout {
    class: "narrow",
    width: 340.0,
    row: 36.0,
    left: 0.0,
    longest: 330.0,
    bar: [18.0, 11.0],
    name: [0.0, 13.0],
    align: "start name",
};

/// The picture for a wide and for a narrow column.
pub(super) fn draw(series: &[Series]) -> [Drawing; 2] {
    [WIDE, NARROW].map(|layout| drawing(series, &layout))
}

fn drawing(series: &[Series], layout: &Layout) -> Drawing {
    let rate = |one: &Series| one.points.last().map_or(0.0, |point| point.rate);
    let top = series.iter().map(rate).fold(1e-9, f64::max);
    let length = |one: &Series| layout.longest * rate(one) / top;
    let (ceilings, bars): (Vec<_>, Vec<_>) =
        series.iter().partition(|one| one.style == Style::Ceiling);
    let mut content = Group::new();
    for (index, one) in bars.iter().enumerate() {
        let y = TOP + layout.row * index as f64;
        content.append(bar(one, length(one), y, layout));
    }
    let height = TOP + layout.row * bars.len() as f64 + 2.0;
    for one in ceilings {
        let x = layout.left + length(one);
        content.append(ceiling(one, x, bars.len(), layout));
    }
    Drawing {
        class: layout.class,
        content,
        width: layout.width,
        height,
    }
}

fn bar(series: &Series, length: f64, y: f64, layout: &Layout) -> Group {
    let mut group = Group::new();
    let [from, height] = layout.bar;
    let class = match series.style {
        Style::Baseline => "bar baseline",
        Style::Kernel(_) | Style::Ceiling => "bar",
    };
    group.append(rectangle(
        class,
        [layout.left, y + from],
        [length.max(1.0), height],
    ));
    let [x, base] = layout.name;
    group.append(text(layout.align, [x, y + base], series.name.clone()));
    let size = series.points.last().map_or(0.0, |point| point.n);
    let rate = series.rate_at(size).unwrap_or_default();
    group.append(text("end", [layout.width, y + base], rate));
    group
}

/// A line through the bars, and no text.
fn ceiling(series: &Series, x: f64, bars: usize, layout: &Layout) -> Group {
    let mut group = Group::new();
    let [from, height] = layout.bar;
    let mut line = Data::new();
    for index in 0..bars {
        let y = TOP + layout.row * index as f64 + from;
        line = line.move_to((x, y - 2.0)).line_to((x, y + height + 4.0));
    }
    group.append(path("curve ceiling", line));
    let size = series.points.last().map_or(0.0, |point| point.n);
    let rate = series.rate_at(size).unwrap_or_default();
    let label = format!("{}: {rate}", series.name);
    group.append(text("end", [x.min(layout.width), 13.0], label));
    group
}
