//! The parts of a picture, and the shapes that all figures draw with.

use svg::node::element::{Element, Group, path::Data};
use svg::node::{Node, Text, Value};

/// A figure before it is HTML.
#[derive(Debug)]
pub struct Picture {
    /// One line that names what the picture shows.
    pub title: String,
    /// The kind of the figure, as a class for the stylesheet.
    pub class: &'static str,
    /// Either one drawing whose parts belong to steps, or one drawing per step, or two per step: for a wide column, and
    /// for one in which that drawing would be cut.
    pub frames: Vec<Frame>,
    /// One sentence or more per step. Together they say what the picture shows.
    pub said: Vec<String>,
    /// Whether readers can step through the figure.
    pub has_steps: bool,
}

impl Picture {
    /// The drawings, each with the one for a narrow column where there is such a drawing.
    pub(crate) fn drawings(&self) -> Vec<(&Frame, Option<&Frame>)> {
        if self.frames.len() == 2 * self.said.len() {
            let pairs = self.frames.chunks_exact(2);
            return pairs.map(|pair| (&pair[0], Some(&pair[1]))).collect();
        }
        self.frames.iter().map(|frame| (frame, None)).collect()
    }
}

/// A drawing.
#[derive(Debug)]
pub struct Frame {
    /// The shapes.
    pub drawing: Group,
    /// The width in pixels, if there is room.
    pub width: f64,
    /// The height in pixels, if there is room.
    pub height: f64,
}

/// An element with a class and attributes.
pub fn element<const N: usize>(name: &str, class: &str, attributes: [(&str, f64); N]) -> Element {
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
pub fn rectangle(class: &str, [x, y]: [f64; 2], [width, height]: [f64; 2]) -> Element {
    let attributes = [("x", x), ("y", y), ("width", width), ("height", height), ("rx", 2.0)];
    element("rect", class, attributes)
}

/// Rectangles of one size in one path, by their upper left corners: many of them take less of a page so.
pub fn rectangles(
    class: &str,
    corners: impl IntoIterator<Item = [f64; 2]>,
    [width, height]: [f64; 2],
) -> Element {
    let one = |data: Data, [x, y]: [f64; 2]| {
        let data = data.move_to((x, y)).horizontal_line_by(width).vertical_line_by(height);
        data.horizontal_line_by(-width).close()
    };
    path(class, corners.into_iter().fold(Data::new(), one))
}

/// A straight line, or several in one path.
pub fn path(class: &str, data: impl Into<Value>) -> Element {
    let mut path = element("path", class, []);
    path.assign("d", data);
    path
}

/// Text, centred at x and standing on y.
pub fn text(class: &str, [x, y]: [f64; 2], content: impl Into<String>) -> Element {
    let mut text = element("text", class, [("x", x), ("y", y)]);
    text.append(Text::new(content));
    text
}

/// A coordinate with at most one decimal.
pub fn short(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A group of what belongs to a step, from 1.
pub fn step_group(step: usize) -> Group {
    let mut group = Group::new();
    group.assign("data-step", step);
    group
}
