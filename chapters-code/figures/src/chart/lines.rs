//! Rates or times over sizes, bytes in flight, strides or offsets: one curve per kernel.

use svg::node::Node;
use svg::node::element::{Group, path::Data};

use super::scale::{Layout, Scale};
use super::{Drawing, Series, Style, Unit};
use crate::number::{self, thousands};
use crate::shapes::{element, path, text};

/// The picture for a wide column, with the names beside the curves.
pub const WIDE: Layout = Layout {
    class: "wide",
    width: 720.0,
    height: 400.0,
    left: 44.0,
    right: 172.0,
    top: 24.0,
    bottom: 42.0,
};
/// The picture for a narrow column, with numbers instead of names.
pub const NARROW: Layout = Layout {
    class: "narrow",
    width: 340.0,
    height: 290.0,
    left: 40.0,
    right: 34.0,
    top: 24.0,
    bottom: 40.0,
};
/// The least distance between the names of curves, in pixels.
pub const LABEL_GAP: f64 = 15.0;

/// The horizontal axis.
#[derive(Clone, Copy)]
pub struct Axis {
    /// What the axis holds.
    pub name: &'static str,
    /// Where its marks stand.
    pub marks: Marks,
}

/// The marks of a horizontal axis.
#[derive(Clone, Copy)]
pub enum Marks {
    /// The axis is logarithmic, with marks at powers of two, which this function writes.
    Powers(fn(i32) -> String),
    /// The axis is linear, with marks at the multiples of this number.
    Multiples(u32),
}

/// Numbers of elements.
pub const ELEMENTS: Axis = Axis { name: "elements", marks: Marks::Powers(size) };
/// KiB in flight per multiprocessor.
pub const KIB_IN_FLIGHT: Axis =
    Axis { name: "KiB in flight per multiprocessor", marks: Marks::Powers(power_of_two) };
/// Strides in elements.
pub const STRIDES: Axis = Axis { name: "stride, in elements", marks: Marks::Powers(power_of_two) };
/// Offsets in elements.
pub const OFFSETS: Axis = Axis { name: "offset, in elements", marks: Marks::Multiples(8) };

fn power_of_two(power: i32) -> String {
    thousands(1 << power)
}

impl Axis {
    fn scale(
        &self,
        points: impl Iterator<Item = (f64, f64)> + Clone,
        layout: Layout,
    ) -> Option<Scale> {
        let along: fn(f64) -> f64 = match self.marks {
            Marks::Powers(_) => f64::log2,
            Marks::Multiples(_) => |n| n,
        };
        Scale::over(points, along, layout)
    }

    /// The sizes at which marks stand, and what is written there.
    fn marks(&self, scale: &Scale) -> Vec<(f64, String)> {
        match self.marks {
            Marks::Powers(write) => {
                scale.powers().map(|power| (2f64.powi(power), write(power))).collect()
            }
            Marks::Multiples(step) => {
                let marks = scale.multiples(step);
                marks.map(|n| (f64::from(n), thousands(n.into()))).collect()
            }
        }
    }
}

/// Draws the curves.
///
/// # Errors
/// If the points have fewer than two sizes.
pub fn draw(series: &[Series], axis: Axis, unit: Unit, layout: Layout) -> Result<Drawing, String> {
    let points = series.iter().flat_map(|one| &one.points);
    let points = points.map(|point| (point.n, point.rate));
    let scale = axis.scale(points, layout);
    let scale = scale.ok_or("these rows hold fewer than two sizes")?;
    let mut content = Group::new();
    content.append(axes(&scale, &layout, axis, unit));
    for one in series {
        content.append(curve(one, &scale));
    }
    content.append(labels(series, &scale, &layout));
    Ok(Drawing { class: layout.class, content, width: layout.width, height: layout.height })
}

fn axes(scale: &Scale, layout: &Layout, axis: Axis, unit: Unit) -> Group {
    let mut group = Group::new();
    let [right, bottom] = layout.corner();
    let mut grid = Data::new();
    for rate in scale.rates() {
        let y = scale.y(rate);
        grid = grid.move_to((layout.left, y)).line_to((right, y));
        let label = tick(rate);
        group.append(text("end", [layout.left - 6.0, y + 4.0], label));
    }
    for (n, label) in axis.marks(scale) {
        let x = scale.x(n);
        grid = grid.move_to((x, bottom)).line_to((x, bottom + 4.0));
        group.append(text("", [x, bottom + 18.0], label));
    }
    group.append(path("grid", grid));
    group.append(text("start", [0.0, 12.0], unit.name));
    let middle = (layout.left + right) / 2.0;
    let below = [middle, layout.height - 4.0];
    group.append(text("", below, axis.name));
    group
}

/// A rate beside its axis.
fn tick(rate: f64) -> String {
    match rate.fract() == 0.0 {
        true => thousands(rate as u64),
        false => number::significant(rate),
    }
}

/// A power of two, in raised digits: SVG has no other way that every viewer knows.
fn size(power: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = power.to_string();
    let raised = digits.chars().filter_map(|digit| digit.to_digit(10));
    let raised: String = raised.map(|digit| RAISED[digit as usize]).collect();
    format!("2{raised}")
}

fn curve(series: &Series, scale: &Scale) -> Group {
    let class = series.style.class();
    let mut group = Group::new();
    let mut line = Data::new();
    for (index, point) in series.points.iter().enumerate() {
        let place = [scale.x(point.n), scale.y(point.rate)].map(rounded);
        let [x, y] = place;
        line = match index {
            0 => line.move_to((x, y)),
            _ => line.line_to((x, y)),
        };
        if series.style.is_own() {
            let dot = [("cx", x), ("cy", y), ("r", 2.2)];
            group.append(element("circle", &format!("dot {class}"), dot));
        }
    }
    group.append(path(&format!("curve {class}"), line));
    group
}

fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Names beside the right ends of the curves, moved apart, each with a line to its curve; in a
/// narrow picture the numbers that the names have in the list below it.
fn labels(series: &[Series], scale: &Scale, layout: &Layout) -> Group {
    let end = |(number, one): (usize, &Series)| {
        let last = one.points.last()?;
        let label = match layout.class != NARROW.class {
            true => one.name.clone(),
            false => (number + 1).to_string(),
        };
        Some((one.style, label, [scale.x(last.n), scale.y(last.rate)].map(rounded)))
    };
    let mut ends: Vec<(Style, String, [f64; 2])> =
        series.iter().enumerate().filter_map(end).collect();
    ends.sort_by(|a, b| a.2[1].total_cmp(&b.2[1]));
    let heights = apart(ends.iter().map(|end| end.2[1]).collect(), layout);
    let mut group = Group::new();
    for ((style, label, [x, y]), height) in ends.into_iter().zip(heights) {
        let start = layout.corner()[0] + 18.0;
        let way = Data::new().move_to((x, y)).line_to((start - 4.0, rounded(height)));
        group.append(path(&format!("leader {}", style.class()), way));
        let class = if style.is_own() { "start name" } else { "start" };
        group.append(text(class, [start, rounded(height + 4.0)], label));
    }
    group
}

/// Heights, in order, moved apart, within the picture.
fn apart(mut heights: Vec<f64>, layout: &Layout) -> Vec<f64> {
    for index in 1..heights.len() {
        heights[index] = heights[index].max(heights[index - 1] + LABEL_GAP);
    }
    let mut limit = layout.corner()[1];
    for height in heights.iter_mut().rev() {
        *height = height.min(limit);
        limit = *height - LABEL_GAP;
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::{LABEL_GAP, WIDE, apart};

    #[test]
    fn labels_are_moved_apart_and_stay_in_the_picture() {
        let bottom = WIDE.corner()[1];
        let heights = apart(vec![30.0, 31.0, 200.0, bottom, bottom], &WIDE);
        assert_eq!(heights[..3], [30.0, 30.0 + LABEL_GAP, 200.0]);
        assert!(heights[4] <= bottom && heights[4] - heights[3] >= LABEL_GAP);
    }
}
