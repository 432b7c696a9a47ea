//! Rates at one size: one bar per kernel, with the ceiling as a line through them.

use svg::node::Node;
use svg::node::element::{Group, path::Data};

use super::{Drawing, Series, Style, Unit};
use crate::shapes::{path, rectangle, text};

/// The coordinates in a row.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The class for the stylesheet.
    pub class: &'static str,
    /// The width of the picture.
    pub width: f64,
    /// The height of a row.
    pub row: f64,
    /// The left end of the bars.
    pub left: f64,
    /// The length of the longest bar.
    pub longest: f64,
    /// The upper edge and the height of a bar in its row.
    pub bar: [f64; 2],
    /// Where a name stands in its row.
    pub name: [f64; 2],
    /// The class that aligns the names.
    pub align: &'static str,
    /// The classes of the last row, and of those before it.
    pub rows: [&'static str; 2],
}

const TOP: f64 = 22.0;
/// The picture for a wide column.
pub const WIDE: Layout = Layout {
    class: "wide",
    width: 720.0,
    row: 25.0,
    left: 176.0,
    longest: 456.0,
    bar: [4.0, 17.0],
    name: [168.0, 17.0],
    align: "end name",
    rows: ["row", "row"],
};
/// The picture for a narrow column. Names stand above their bars.
pub const NARROW: Layout = Layout {
    class: "narrow",
    width: 304.0,
    row: 36.0,
    left: 0.0,
    longest: 296.0,
    bar: [18.0, 11.0],
    name: [0.0, 13.0],
    align: "start name",
    rows: ["row", "row"],
};
/// The last kernel, which the text around the picture is about, and those before it; for a wide column.
pub const SO_FAR_WIDE: Layout = Layout {
    row: 19.0,
    bar: [3.0, 13.0],
    name: [168.0, 14.0],
    rows: ["newest", "earlier"],
    ..WIDE
};
/// The same for a narrow column.
pub const SO_FAR_NARROW: Layout = Layout {
    row: 30.0,
    bar: [18.0, 8.0],
    name: [0.0, 12.0],
    rows: ["newest", "earlier"],
    ..NARROW
};

/// Draws the bars.
pub fn draw(series: &[Series], unit: Unit, layout: &Layout) -> Drawing {
    let rate = |one: &Series| one.points.last().map_or(0.0, |point| point.rate);
    let top = series.iter().map(rate).fold(1e-9, f64::max);
    let length = |one: &Series| layout.longest * rate(one) / top;
    let (ceilings, bars): (Vec<_>, Vec<_>) =
        series.iter().partition(|one| one.style == Style::Ceiling);
    let mut content = Group::new();
    for (index, one) in bars.iter().enumerate() {
        let y = TOP + layout.row * index as f64;
        let [last, before] = layout.rows;
        let class = if index + 1 == bars.len() { last } else { before };
        content.append(bar(one, unit, [length(one), y], layout).set("class", class));
    }
    let height = TOP + layout.row * bars.len() as f64 + 2.0;
    for one in ceilings {
        let x = layout.left + length(one);
        let label = format!("{}: {}", one.name, (unit.write)(rate(one)));
        content.append(ceiling(label, x, bars.len(), layout));
    }
    Drawing { class: layout.class, content, width: layout.width, height }
}

fn bar(series: &Series, unit: Unit, [length, y]: [f64; 2], layout: &Layout) -> Group {
    let mut group = Group::new();
    let [from, height] = layout.bar;
    let class = match series.style {
        Style::Baseline => "bar baseline",
        Style::Kernel(_) | Style::Ceiling => "bar",
    };
    group.append(rectangle(class, [layout.left, y + from], [length.max(1.0), height]));
    let [x, base] = layout.name;
    group.append(text(layout.align, [x, y + base], series.name.clone()));
    let rate = series.points.last().map_or(0.0, |point| point.rate);
    group.append(text("end", [layout.width, y + base], (unit.write)(rate)));
    group
}

/// A line through the bars, and no text.
fn ceiling(label: String, x: f64, bars: usize, layout: &Layout) -> Group {
    let mut group = Group::new();
    let [from, height] = layout.bar;
    let mut line = Data::new();
    for index in 0..bars {
        let y = TOP + layout.row * index as f64 + from;
        line = line.move_to((x, y - 2.0)).line_to((x, y + height + 4.0));
    }
    group.append(path("curve ceiling", line));
    group.append(text("end", [x.min(layout.width), 13.0], label));
    group
}
