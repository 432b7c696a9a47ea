//! Rates as a chart: over all sizes, one curve per kernel, and at one size, one bar per kernel.
//!
//! A page has each chart twice, for a wide column and for a narrow one, so that its text is legible on
//! a phone too; the stylesheet shows one of them. [`standalone`] is a file of its own.

pub mod bars;
pub mod lines;
mod scale;
mod series;

use std::fmt::Write as _;

use svg::Document;
use svg::node::Node;
use svg::node::element::{Group, Style as Stylesheet};

use crate::number;
use crate::page::escape;
use crate::shapes::text;

pub use scale::Layout;
pub use series::{Point, Series, Style};

/// A drawing for a column of a width.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The class for the stylesheet.
    pub class: &'static str,
    /// The shapes.
    pub content: Group,
    /// The width in pixels.
    pub width: f64,
    /// The height in pixels.
    pub height: f64,
}

/// The unit of the rates.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    /// The name beside the axis.
    pub name: &'static str,
    /// Writes a rate.
    pub write: fn(f64) -> String,
}

/// Gigabytes per second. No line break parts the number from its unit.
pub const GB_PER_S: Unit = Unit {
    name: "GB/s",
    write: |rate| format!("{}\u{a0}GB/s", number::rate(rate)),
};

/// The drawings of a device as HTML, with the names of the series in a list below them.
pub fn panel(title: &str, drawings: [Drawing; 2], series: &[Series]) -> String {
    let mut html = String::new();
    for drawing in drawings {
        let mut document = Document::new()
            .set("class", drawing.class)
            .set("viewBox", (0.0, 0.0, drawing.width, drawing.height))
            .set("role", "img")
            .set("aria-label", title);
        document.append(drawing.content);
        let _ = writeln!(html, "{document}");
    }
    html.push_str("<ol class=\"key\">\n");
    for one in series {
        let _ = writeln!(
            html,
            "<li><span class=\"swatch {}\"></span> {}</li>",
            one.style.class(),
            one.html_name()
        );
    }
    html.push_str("</ol>\n");
    html
}

/// Pixels around a chart in a file of its own, and above it for the title.
const MARGIN: f64 = 16.0;
const TITLE: f64 = 40.0;

/// A chart as an SVG file with its own colours, under a title.
pub fn standalone(title: &str, drawing: Drawing) -> String {
    let (width, height) = (
        drawing.width + 2.0 * MARGIN,
        drawing.height + TITLE + MARGIN,
    );
    let moved = format!("translate({MARGIN} {TITLE})");
    let ground = crate::shapes::element("rect", "ground", [("width", width), ("height", height)]);
    let mut document = Document::new()
        .set("width", width)
        .set("height", height)
        .set("viewBox", (0.0, 0.0, width, height))
        .set("role", "img")
        .set("aria-label", escape(title))
        .add(Stylesheet::new(include_str!("standalone.css")))
        .add(ground)
        .add(text("start title", [MARGIN, 24.0], title));
    document.append(drawing.content.set("transform", moved));
    format!("{document}\n")
}
