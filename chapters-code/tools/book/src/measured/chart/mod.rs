//! Recorded rates as pictures: over all sizes, a curve a kernel, and at one size, a bar a kernel.
//!
//! Where several devices are recorded, each has a panel. The figures themselves unfold below, as a
//! table.

mod data;
mod series;

use std::fmt::{Display, Write as _};
use std::path::Path;
use std::slice;

use figures::chart::{Drawing, GB_PER_S, Series, Style, Unit, bars, lines, panel as drawn};

use super::directive::Directive;
use super::records::{self, Records, Run};
use super::{Asked, table, thousands};

/// The most bars of a ladder so far.
const MOST_BARS: usize = 16;

/// What one device gave.
struct Panel<'a> {
    run: &'a Run,
    series: Vec<Series>,
}

/// Bandwidth over size.
pub(super) fn over_sizes(Asked { page, directive, records }: Asked) -> Result<String, String> {
    let panels = panels(directive, records)?;
    let mut html = String::new();
    for panel in &panels {
        let drawings = for_columns(&panel.series, lines::ELEMENTS, GB_PER_S)?;
        let title = title("Bandwidth over size", panel);
        html.push_str(&panel_html(panel, &title, drawings, panels.len()));
    }
    let data: String = panels.iter().map(data::over_sizes).collect();
    let caption = "Bandwidth over size: bytes that must be moved, by the median time.";
    Ok(figure("lines", page, &html, &data, caption, &panels))
}

/// What stands around curves.
pub(super) struct Labels {
    pub(super) axis: lines::Axis,
    pub(super) unit: Unit,
    /// What the picture shows, for those who do not see it.
    pub(super) title: String,
    pub(super) caption: String,
    /// The figures as a table, in HTML.
    pub(super) table: String,
}

/// Curves of one device over something else than sizes.
pub(super) fn curves(
    page: &Path,
    run: &Run,
    series: Vec<Series>,
    labels: &Labels,
) -> Result<String, String> {
    let panel = Panel { run, series };
    let drawings = for_columns(&panel.series, labels.axis, labels.unit)?;
    let html = panel_html(&panel, &labels.title, drawings, 1);
    Ok(figure("lines", page, &html, &labels.table, &labels.caption, &[panel]))
}

/// A table of what a device gave, with these headings, in HTML, and `rows` of `<tr>`.
pub(super) fn table(run: &Run, heads: &[impl Display], rows: &str) -> String {
    data::table(run.device(), heads, rows)
}

/// The rates at one size.
pub(super) fn at_one_size(Asked { page, directive, records }: Asked) -> Result<String, String> {
    let panels = panels(directive, records)?;
    let size = one_size(&panels)?;
    let mut html = String::new();
    for panel in &panels {
        let title = title("Bandwidth", panel);
        html.push_str(&panel_html(
            panel,
            &title,
            [bars::WIDE, bars::NARROW].map(|layout| bars::draw(&panel.series, GB_PER_S, &layout)),
            panels.len(),
        ));
    }
    let caption = format!("Bandwidth at {} elements.", size_in_html(size));
    let data = data::at_one_size(&panels);
    Ok(figure("bars", page, &html, &data, &caption, &panels))
}

/// The rates of the rungs up to the one that the directive names, at one size on one device.
pub(super) fn so_far(Asked { page, directive, records }: Asked) -> Result<String, String> {
    let run = records.run_of(directive)?;
    let ladder =
        directive.up_to_kernel().ok_or("name the newest rung, kernel=, and the size, n=")?;
    run.one_row(directive)?;
    let rows = run.select(&ladder)?;
    let mut series = series::of(&rows, &records::kernels([&rows[..]]));
    series.retain(|one| one.style != Style::Baseline);
    let rungs = series.iter().filter(|one| one.style.is_own()).count();
    let left_out = rungs.saturating_sub(MOST_BARS);
    // The rungs come first, in the ladder's order.
    series.drain(..left_out);
    let panel = Panel { run, series };
    let title = title("The ladder so far", &panel);
    let layouts = [bars::SO_FAR_WIDE, bars::SO_FAR_NARROW];
    let drawings = layouts.map(|layout| bars::draw(&panel.series, GB_PER_S, &layout));
    let html = panel_html(&panel, &title, drawings, 1);
    let size = size_in_html(one_size(slice::from_ref(&panel))?);
    let caption = match left_out {
        0 => format!("The ladder so far, at {size} elements."),
        _ => format!("The last {MOST_BARS} rungs of the ladder so far, at {size} elements."),
    };
    let data = data::at_one_size(slice::from_ref(&panel));
    Ok(figure("bars so-far", page, &html, &data, &caption, &[panel]))
}

/// The curves for a wide and for a narrow column.
fn for_columns(series: &[Series], axis: lines::Axis, unit: Unit) -> Result<[Drawing; 2], String> {
    let draw = |layout| lines::draw(series, axis, unit, layout);
    Ok([draw(lines::WIDE)?, draw(lines::NARROW)?])
}

fn panels<'a>(directive: &Directive, records: &'a Records) -> Result<Vec<Panel<'a>>, String> {
    let runs = records.of_devices(directive)?;
    let kernels = records::kernels(runs.iter().map(|(_, rows)| &rows[..]));
    let mut panels = Vec::new();
    for (run, rows) in runs {
        let series = series::of(&rows, &kernels);
        if series.iter().any(|one| one.style.is_own()) {
            panels.push(Panel { run, series });
        }
    }
    match panels.is_empty() {
        true => Err("no such row has a rate".to_owned()),
        false => Ok(panels),
    }
}

/// The only size of the panels' kernels.
fn one_size(panels: &[Panel<'_>]) -> Result<f64, String> {
    let series = panels.iter().flat_map(|panel| &panel.series);
    let mut sizes: Vec<f64> = series.flat_map(Series::sizes).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    match sizes[..] {
        [size] => Ok(size),
        _ => Err(format!("{} sizes are so: choose one with n=", sizes.len())),
    }
}

/// What a panel shows, with the figures at its largest size.
fn title(what: &str, panel: &Panel<'_>) -> String {
    let largest = panel.series.iter().flat_map(Series::sizes);
    let largest = largest.fold(0.0, f64::max);
    let at = |one: &Series| Some(format!("{} {}", one.name, rate(one.rate_at(largest)?)));
    let rates: Vec<String> = panel.series.iter().filter_map(at).collect();
    format!(
        "{what} on {}. At {} elements: {}.",
        panel.run.device(),
        thousands(largest as u64),
        rates.join(", ")
    )
}

fn panel_html(panel: &Panel<'_>, title: &str, drawings: [Drawing; 2], panels: usize) -> String {
    let mut html = String::from("<div class=\"panel\">\n");
    if panels > 1 {
        let _ = writeln!(html, "<p class=\"device\">{}</p>", escape(panel.run.device()));
    }
    html.push_str(&drawn(title, drawings));
    html.push_str("</div>\n");
    html
}

/// A rate with its unit.
fn rate(rate: f64) -> String {
    (GB_PER_S.write)(rate)
}

fn figure(
    class: &str,
    page: &Path,
    panels_html: &str,
    data: &str,
    caption: &str,
    panels: &[Panel<'_>],
) -> String {
    let several = if panels.len() > 1 { " several" } else { "" };
    let sources: Vec<String> =
        panels.iter().map(|panel| table::source_in_html(page, panel.run)).collect();
    format!(
        "<figure class=\"plot {class}\">\n<div class=\"panels{several}\">\n{panels_html}</div>\n\
         <details class=\"data\"><summary>The figures as a table</summary>\n{data}</details>\n\
         <figcaption>{caption} <span class=\"source\">{}</span></figcaption>\n</figure>\n",
        sources.join(" ")
    )
}

/// A number of elements, as a power of two if it is one.
fn size_in_html(size: f64) -> String {
    match power(size) {
        Some(power) => format!("2<sup>{power}</sup>"),
        None => thousands(size as u64),
    }
}

fn power(size: f64) -> Option<u32> {
    let size = size as u64;
    (size >= 1024 && size.is_power_of_two()).then(|| size.ilog2())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
