//! Rates or times over sizes, bytes in flight, strides or offsets: one curve per kernel.

use svg::node::Node;
use svg::node::element::{Group, path::Data};

use super::scale::{Layout, Rates, Scale};
use super::{Drawing, Series, Style, Unit};
use crate::number::thousands;
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
/// The picture for a narrow column. At its right it has as much room as the names need, of which long ones take two lines.
pub const NARROW: Layout = Layout {
    class: "narrow",
    width: 304.0,
    height: 320.0,
    left: 38.0,
    right: 34.0,
    top: 24.0,
    bottom: 40.0,
};
/// The least distance between the names of curves, in pixels.
pub const LABEL_GAP: f64 = 15.0;
/// The distance of the two lines of a name.
const LINE: f64 = 12.0;
/// From the end of the plotted part to the names.
const LEADER: f64 = 18.0;
/// The letters of a name that fit into a line of a narrow picture, and the width of a letter.
const LETTERS: usize = 14;
const LETTER: f64 = 7.3;

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
    let layout = with_room(layout, series);
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

/// The layout with room for the names of these series.
fn with_room(layout: Layout, series: &[Series]) -> Layout {
    if layout.class != NARROW.class {
        return layout;
    }
    let lines = || series.iter().map(move |one| lines_of(&one.name, &layout));
    let letters = lines().flatten().map(|line| line.chars().count()).max().unwrap_or(0);
    let right = (LEADER + LETTER * letters as f64).min(layout.width / 2.0);
    let names: f64 = lines().map(|lines| height_of(&lines)).sum();
    let height = layout.height.max(layout.top + names + layout.bottom);
    Layout { right, height, ..layout }
}

/// The lines of a name. In a narrow picture a long one is broken in front of the word that is nearest to its middle.
fn lines_of<'n>(name: &'n str, layout: &Layout) -> Vec<&'n str> {
    let middle = name.len() / 2;
    let words = name.match_indices([' ', '_', '-']).map(|(at, mark)| at + usize::from(mark != " "));
    match words.min_by_key(|at| at.abs_diff(middle)) {
        Some(at) if layout.class == NARROW.class && name.chars().count() > LETTERS => {
            vec![&name[..at], name[at..].trim_start()]
        }
        _ => vec![name],
    }
}

/// The height of a name of these lines, with the distance to the next name.
fn height_of(lines: &[&str]) -> f64 {
    LABEL_GAP + LINE * (lines.len() - 1) as f64
}

fn axes(scale: &Scale, layout: &Layout, axis: Axis, unit: Unit) -> Group {
    let mut group = Group::new();
    let [right, bottom] = layout.corner();
    let mut grid = Data::new();
    for rate in scale.marks_of_rates() {
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
    let from = match scale.rates() {
        Rates::Log { .. } => ", log scale".to_owned(),
        Rates::Linear { low: 0.0, .. } => String::new(),
        Rates::Linear { low, .. } => format!(", from {} up", tick(low)),
    };
    group.append(text("start", [0.0, 12.0], format!("{}{from}", unit.name)));
    let middle = (layout.left + right) / 2.0;
    let below = [middle, layout.height - 4.0];
    group.append(text("", below, axis.name));
    group
}

/// A rate beside its axis.
fn tick(rate: f64) -> String {
    match rate.fract() == 0.0 {
        true => thousands(rate as u64),
        // What is left of a sum of tenths is no digit of the mark.
        false => ((rate * 1e9).round() / 1e9).to_string(),
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

/// Names beside the right ends of the curves, moved apart, each with a line to its curve.
fn labels(series: &[Series], scale: &Scale, layout: &Layout) -> Group {
    let end = |one: &Series| {
        let last = one.points.last()?;
        Some((one.style, one.name.clone(), [scale.x(last.n), scale.y(last.rate)].map(rounded)))
    };
    let mut ends: Vec<(Style, String, [f64; 2])> = series.iter().filter_map(end).collect();
    ends.sort_by(|a, b| a.2[1].total_cmp(&b.2[1]));
    let sizes = ends.iter().map(|(_, name, [_, y])| [*y, height_of(&lines_of(name, layout))]);
    let heights = apart(&sizes.collect::<Vec<_>>(), layout);
    let mut group = Group::new();
    for ((style, name, [x, y]), height) in ends.iter().zip(heights) {
        let start = layout.corner()[0] + LEADER;
        let way = Data::new().move_to((*x, *y)).line_to((start - 4.0, rounded(height)));
        group.append(path(&format!("leader {}", style.class()), way));
        let class = if style.is_own() { "start name" } else { "start" };
        let class = format!("{class} of {}", style.class());
        let lines = lines_of(name, layout);
        let first = height + 4.0 - LINE / 2.0 * (lines.len() - 1) as f64;
        for (index, line) in lines.into_iter().enumerate() {
            group.append(text(&class, [start, rounded(first + LINE * index as f64)], line));
        }
    }
    group
}

/// The middles of names, in order, of which each would stand at the first of its two numbers and takes the second: moved
/// apart, within the picture.
fn apart(names: &[[f64; 2]], layout: &Layout) -> Vec<f64> {
    let gap = |above: usize| (names[above][1] + names[above + 1][1]) / 2.0;
    let mut heights: Vec<f64> = names.iter().map(|[height, _]| *height).collect();
    for index in 1..heights.len() {
        heights[index] = heights[index].max(heights[index - 1] + gap(index - 1));
    }
    let mut limit = layout.corner()[1];
    for index in (0..heights.len()).rev() {
        heights[index] = heights[index].min(limit);
        if index > 0 {
            limit = heights[index] - gap(index - 1);
        }
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::GB_PER_S;

    #[test]
    fn labels_are_moved_apart_and_stay_in_the_picture() {
        let bottom = WIDE.corner()[1];
        let names = [30.0, 31.0, 200.0, bottom, bottom].map(|height| [height, LABEL_GAP]);
        let heights = apart(&names, &WIDE);
        assert_eq!(heights[..3], [30.0, 30.0 + LABEL_GAP, 200.0]);
        assert!(heights[4] <= bottom && heights[4] - heights[3] >= LABEL_GAP);
        let long = apart(&[[30.0, LABEL_GAP], [31.0, LABEL_GAP + LINE]], &WIDE);
        assert_eq!(long[1] - long[0], LABEL_GAP + LINE / 2.0);
    }

    /// As many curves as a page has at most, all with one end.
    fn many() -> Vec<Series> {
        let name = |place: usize| format!("warp_specialized_{place}");
        let points = [[1024.0, 1.0], [2048.0, 4000.0]];
        let series = |place| Series::of_points(name(place), Style::Kernel(place), &points);
        (0..15).map(series).collect()
    }

    #[test]
    fn a_narrow_picture_has_the_names_at_their_curves() {
        let series = many();
        let drawing = draw(&series, ELEMENTS, GB_PER_S, NARROW).expect("two sizes");
        let svg = drawing.content.to_string();
        for one in &series {
            let [first, second] = lines_of(&one.name, &NARROW)[..] else { panic!("two lines") };
            assert!(svg.contains(&format!(">{first}<")) && svg.contains(&format!(">{second}<")));
        }
        let room = with_room(NARROW, &series);
        assert!(drawing.height == room.height && room.height > NARROW.height, "no name is cut off");
        let longest = series.iter().flat_map(|one| lines_of(&one.name, &NARROW));
        let longest = longest.map(|line| line.len() as f64 * LETTER).fold(0.0, f64::max);
        assert!(room.corner()[0] + LEADER + longest <= room.width);
        assert!(room.corner()[0] - room.left > 140.0, "the curves have room");
        assert_eq!(lines_of(&series[0].name, &WIDE), [&series[0].name]);
    }

    #[test]
    fn an_axis_says_whether_it_is_linear() {
        let drawn = |rates: [f64; 2]| {
            let points = [[1024.0, rates[0]], [2048.0, rates[1]]];
            let series = [Series::of_points("a".to_owned(), Style::Kernel(0), &points)];
            let drawing = draw(&series, ELEMENTS, GB_PER_S, WIDE).expect("two sizes");
            drawing.content.to_string()
        };
        assert!(drawn([1.0, 4000.0]).contains(">GB/s, log scale<"));
        assert!(drawn([100.0, 4000.0]).contains(">GB/s<"));
        assert!(drawn([3200.0, 4300.0]).contains(">GB/s, from 2,800 up<"));
        assert!(drawn([0.1, 0.6]).contains(">0.3<"));
    }
}
