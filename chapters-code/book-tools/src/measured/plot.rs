//! Bandwidth over size as an SVG picture, sizes on a logarithmic scale, a curve a kernel.

use serde_json::Value;

use super::directive::Directive;
use super::records::{Records, field};
use super::table;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 200.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 40.0;
/// Labels of curves that end close together are moved at least so far apart.
const LABEL_GAP: f64 = 14.0;

struct Curve {
    name: String,
    style: String,
    /// Elements and GB/s, by size.
    points: Vec<(f64, f64)>,
}

/// The curves of all rows that `directive` selects, with the ceiling and the peer dashed.
pub(super) fn ladder(directive: &Directive, records: &Records) -> Result<String, String> {
    let run = records.run(directive.device())?;
    let rows = run.select(directive)?;
    let curves = curves(&rows);
    let scale = Scale::over(&curves).ok_or("these rows hold fewer than two sizes")?;
    let title = format!(
        "Bandwidth over size, one curve a kernel. {}",
        table::source(run)
    );
    let mut svg = format!(
        "<figure class=\"plot\">\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"{title}\">\n"
    );
    svg.push_str(&axes(&scale));
    svg.push_str(&lines(&curves, &scale));
    svg.push_str(&labels(&curves, &scale));
    svg.push_str(&format!(
        "</svg>\n<figcaption>{title}</figcaption>\n</figure>\n"
    ));
    Ok(svg)
}

fn curves(rows: &[&Value]) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    let mut names: Vec<&str> = rows
        .iter()
        .filter_map(|row| row["kernel"].as_str())
        .collect();
    names.dedup();
    let mut seen = Vec::new();
    names.retain(|name| {
        !seen.contains(name) && {
            seen.push(name);
            true
        }
    });
    for (index, name) in names.iter().enumerate() {
        let hue = index * 360 / names.len();
        let own = rows.iter().copied().filter(|row| row["kernel"] == **name);
        let style = format!("stroke:hsl({hue} 65% 48%)");
        curves.push(curve(name, style, own, |row| row["gb_per_s"].as_f64()));
    }
    let all = || rows.iter().copied();
    let dashed = |dash: &str| format!("stroke:currentColor;stroke-dasharray:{dash}");
    curves.push(curve("ceiling", dashed("6 4"), all(), ceiling));
    curves.push(curve("peer", dashed("2 3"), all(), peer));
    curves.retain(|curve| !curve.points.is_empty());
    curves
}

fn curve<'a>(
    name: &str,
    style: String,
    rows: impl Iterator<Item = &'a Value>,
    rate: impl Fn(&Value) -> Option<f64>,
) -> Curve {
    let mut points: Vec<(f64, f64)> = rows
        .filter_map(|row| Some((row["n"].as_f64()?, rate(row)?)))
        .collect();
    points.retain(|&(n, rate)| n > 0.0 && rate > 0.0);
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points.dedup_by_key(|point| point.0);
    Curve {
        name: name.to_owned(),
        style,
        points,
    }
}

fn ceiling(row: &Value) -> Option<f64> {
    Some(row["gb_per_s"].as_f64()? / row["fraction_of_ceiling"].as_f64()?)
}

fn peer(row: &Value) -> Option<f64> {
    Some(row["bytes"].as_f64()? / (field(row, "peer.time_ms.median")?.as_f64()? * 1e6))
}

/// Maps sizes, by their logarithms, and rates to the picture.
struct Scale {
    sizes: (f64, f64),
    top: f64,
}

impl Scale {
    fn over(curves: &[Curve]) -> Option<Self> {
        let points = || curves.iter().flat_map(|curve| &curve.points);
        let sizes = || points().map(|point| point.0.log2());
        let (low, high) = (
            sizes().min_by(f64::total_cmp)?,
            sizes().max_by(f64::total_cmp)?,
        );
        let top = points().map(|point| point.1).max_by(f64::total_cmp)?;
        (low < high).then_some(Self {
            sizes: (low, high),
            top: top * 1.03,
        })
    }

    fn x(&self, n: f64) -> f64 {
        let along = (n.log2() - self.sizes.0) / (self.sizes.1 - self.sizes.0);
        LEFT + along * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, rate: f64) -> f64 {
        HEIGHT - BOTTOM - rate / self.top * (HEIGHT - TOP - BOTTOM)
    }

    /// Four to ten round rates, from 0 up.
    fn ticks(&self) -> impl Iterator<Item = f64> + use<> {
        let decade = 10f64.powf((self.top / 4.0).log10().floor());
        let step = [5.0, 2.0, 1.0].map(|times| times * decade);
        let step = step
            .into_iter()
            .find(|step| self.top / step >= 4.0)
            .unwrap_or(decade);
        (0..=(self.top / step) as u32).map(move |tick| f64::from(tick) * step)
    }
}

fn axes(scale: &Scale) -> String {
    let mut svg = String::new();
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for rate in scale.ticks() {
        svg.push_str(&format!(
            "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{right}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{rate}</text>\n",
            LEFT - 6.0,
            scale.y(rate) + 4.0,
            y = scale.y(rate),
        ));
    }
    let (low, high) = (scale.sizes.0.ceil() as i32, scale.sizes.1.floor() as i32);
    for power in (low..=high).step_by(2) {
        let x = scale.x(2f64.powi(power));
        svg.push_str(&format!(
            "<path class=\"grid\" d=\"M{x:.1} {TOP}V{bottom}\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">2<tspan dy=\"-4\" \
             font-size=\"9\">{power}</tspan></text>\n",
            bottom + 16.0,
        ));
    }
    let middle = (LEFT + right) / 2.0;
    svg.push_str(&format!(
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">elements; upwards, GB/s</text>\n",
        HEIGHT - 6.0
    ));
    svg
}

fn lines(curves: &[Curve], scale: &Scale) -> String {
    let mut svg = String::new();
    for curve in curves {
        let points: Vec<String> = curve
            .points
            .iter()
            .map(|&(n, rate)| format!("{:.1},{:.1}", scale.x(n), scale.y(rate)))
            .collect();
        svg.push_str(&format!(
            "<polyline class=\"curve\" style=\"{}\" points=\"{}\"><title>{}</title></polyline>\n",
            curve.style,
            points.join(" "),
            curve.name,
        ));
    }
    svg
}

/// Names beside the right ends of the curves, moved apart, each with a line to its curve.
fn labels(curves: &[Curve], scale: &Scale) -> String {
    let mut ends: Vec<(&Curve, f64, f64)> = curves
        .iter()
        .filter_map(|curve| {
            curve
                .points
                .last()
                .map(|&(n, rate)| (curve, n, scale.y(rate)))
        })
        .map(|(curve, n, y)| (curve, scale.x(n), y))
        .collect();
    ends.sort_by(|a, b| a.2.total_cmp(&b.2));
    let mut places: Vec<f64> = ends.iter().map(|end| end.2).collect();
    for index in 1..places.len() {
        places[index] = places[index].max(places[index - 1] + LABEL_GAP);
    }
    let mut limit = HEIGHT - BOTTOM;
    for place in places.iter_mut().rev() {
        *place = place.min(limit);
        limit = *place - LABEL_GAP;
    }
    let mut svg = String::new();
    for ((curve, x, y), place) in ends.iter().zip(places) {
        let label = WIDTH - RIGHT + 24.0;
        svg.push_str(&format!(
            "<path class=\"leader\" style=\"{}\" d=\"M{x:.1} {y:.1}L{:.1} {place:.1}\"/>\
             <text x=\"{label}\" y=\"{:.1}\">{}</text>\n",
            curve.style,
            label - 4.0,
            place + 4.0,
            curve.name,
        ));
    }
    svg
}
