//! What a figure consists of, and the shapes that all figures draw with. Colours are the
//! stylesheet's: shapes only have classes.

use svg::node::element::{Element, Group};
use svg::node::{Node, Text, Value};

/// A figure before it is HTML.
#[derive(Debug)]
pub(super) struct Picture {
    /// What it shows, in a line.
    pub(super) title: String,
    /// What kind it is of, for the stylesheet.
    pub(super) class: &'static str,
    /// What is drawn: one picture whose parts belong to steps, or a picture a step.
    pub(super) frames: Vec<Frame>,
    /// What happens in each step, in words. Together they say what the picture shows.
    pub(super) said: Vec<String>,
    /// Whether what is said is said of steps, which readers can go through.
    pub(super) has_steps: bool,
}

/// A drawing.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) drawing: Group,
    /// In units of which one is a pixel where there is room.
    pub(super) width: f64,
    pub(super) height: f64,
}

/// An element with a class and attributes.
pub(crate) fn element<const N: usize>(
    name: &str,
    class: &str,
    attributes: [(&str, f64); N],
) -> Element {
    let mut element = Element::new(name);
    if !class.is_empty() {
        element.assign("class", class);
    }
    for (key, value) in attributes {
        element.assign(key, short(value));
    }
    element
}

/// A rectangle with slightly rounded corners.
pub(crate) fn rectangle(class: &str, [x, y]: [f64; 2], [width, height]: [f64; 2]) -> Element {
    let attributes = [
        ("x", x),
        ("y", y),
        ("width", width),
        ("height", height),
        ("rx", 2.0),
    ];
    element("rect", class, attributes)
}

/// A straight line, or several in one path.
pub(crate) fn path(class: &str, data: impl Into<Value>) -> Element {
    let mut path = element("path", class, []);
    path.assign("d", data);
    path
}

/// Text, centred at x and standing on y.
pub(crate) fn text(class: &str, [x, y]: [f64; 2], content: impl Into<String>) -> Element {
    let mut text = element("text", class, [("x", x), ("y", y)]);
    text.append(Text::new(content));
    text
}

/// A coordinate with at most one decimal.
pub(crate) fn short(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A group of what belongs to a step, from 1.
pub(super) fn step_group(step: usize) -> Group {
    let mut group = Group::new();
    group.assign("data-step", step);
    group
}
