//! Rates or times as a chart: over sizes, one curve per kernel, and at one size, one bar per kernel.
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

/// The unit of the rates, or of the times.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    /// The name beside the axis.
    pub name: &'static str,
    /// Writes a rate.
    pub write: fn(f64) -> String,
}

/// Gigabytes per second. No line break parts the number from its unit.
pub const GB_PER_S: Unit =
    Unit { name: "GB/s", write: |rate| format!("{}\u{a0}GB/s", number::rate(rate)) };

/// Microseconds.
pub const MICROSECONDS: Unit =
    Unit { name: "µs", write: |time| format!("{}\u{a0}µs", number::significant(time)) };

/// The drawings of a device as HTML.
pub fn panel(title: &str, drawings: [Drawing; 2]) -> String {
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
    html
}

/// Pixels around a chart in a file of its own, and above it for the title.
const MARGIN: f64 = 16.0;
const TITLE: f64 = 40.0;

/// A chart as an SVG file with its own colours, under a title.
pub fn standalone(title: &str, drawing: Drawing) -> String {
    let (width, height) = (drawing.width + 2.0 * MARGIN, drawing.height + TITLE + MARGIN);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn series(sizes: &[f64]) -> Vec<Series> {
        let points = |rate: f64| sizes.iter().map(|&n| [n, rate]).collect::<Vec<_>>();
        vec![
            Series::of_points("a<b".into(), Style::Kernel(0), &points(700.0)),
            Series::of_points("ceiling".into(), Style::Ceiling, &points(4100.0)),
        ]
    }

    #[test]
    fn a_file_has_a_title_and_all_names() {
        let series = series(&[1024.0, 4096.0]);
        let drawing = lines::draw(&series, lines::ELEMENTS, GB_PER_S, lines::WIDE);
        let svg = standalone("Sums & more", drawing.expect("two sizes"));
        assert!(svg.starts_with("<svg"), "{svg}");
        for text in ["Sums &amp; more", "a&lt;b", "ceiling", "2¹⁰", "elements", "GB/s"] {
            assert!(svg.contains(text), "no {text} in {svg}");
        }
    }

    #[test]
    fn one_size_is_drawn_as_bars() {
        let series = series(&[1024.0]);
        let refused = lines::draw(&series, lines::ELEMENTS, GB_PER_S, lines::WIDE);
        assert!(refused.is_err_and(|error| error.contains("two sizes")));
        let svg = standalone("Sums", bars::draw(&series, GB_PER_S, &bars::WIDE));
        assert!(svg.contains("700\u{a0}GB/s") && svg.contains("ceiling: 4,100\u{a0}GB/s"));
    }
}
