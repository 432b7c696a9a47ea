//! The figures of a picture, as a table.

use std::fmt::{Display, Write as _};
use std::iter;

use figures::chart::Series;

use super::{Panel, escape, rate, size_in_html};

/// A line a kernel, a column a size.
pub(super) fn over_sizes(panel: &Panel<'_>) -> String {
    let mut sizes: Vec<f64> = panel.series.iter().flat_map(Series::sizes).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    let sizes_in_html = sizes.iter().map(|&size| size_in_html(size));
    let heads: Vec<String> = iter::once("kernel".to_owned()).chain(sizes_in_html).collect();
    let mut rows = String::new();
    for one in &panel.series {
        let cell =
            |&size: &f64| format!("<td>{}</td>", one.rate_at(size).map(rate).unwrap_or_default());
        let cells: String = sizes.iter().map(cell).collect();
        let _ = writeln!(rows, "<tr><th scope=\"row\">{}</th>{cells}</tr>", one.html_name());
    }
    table(panel.run.device(), &heads, &rows)
}

/// A line a kernel; rate, part of the ceiling and time for each device.
pub(super) fn at_one_size(panels: &[Panel<'_>]) -> String {
    let mut heads = vec!["kernel".to_owned()];
    for panel in panels {
        let device = match panels {
            [_] => String::new(),
            _ => format!("{}: ", escape(panel.run.device())),
        };
        for what in ["rate", "of the ceiling", "median time"] {
            heads.push(format!("{device}{what}"));
        }
    }
    let mut names: Vec<&Series> = Vec::new();
    for one in panels.iter().flat_map(|panel| &panel.series) {
        if !names.iter().any(|known| known.name == one.name) {
            names.push(one);
        }
    }
    names.sort_by_key(|one| one.style);
    let mut rows = String::new();
    for name in names {
        let cells: String = panels.iter().map(|panel| cells(panel, &name.name)).collect();
        let _ = writeln!(rows, "<tr><th scope=\"row\">{}</th>{cells}</tr>", name.html_name());
    }
    table("Rates at that size", &heads, &rows)
}

fn cells(panel: &Panel<'_>, name: &str) -> String {
    let series = panel.series.iter().find(|one| one.name == name);
    let point = series.and_then(|one| one.points.last());
    let rate = point.map(|point| rate(point.rate));
    let [share, time] = [
        point.and_then(|point| point.of_ceiling.clone()),
        point.and_then(|point| point.time.clone()),
    ];
    [rate, share, time].map(|cell| format!("<td>{}</td>", cell.unwrap_or_default())).concat()
}

/// A table with these headings, in HTML, and `rows` of `<tr>`.
pub(super) fn table(caption: &str, heads: &[impl Display], rows: &str) -> String {
    let head = |head| format!("<th scope=\"col\">{head}</th>");
    let heads: String = heads.iter().map(head).collect();
    format!(
        "<div class=\"table-wrapper\" tabindex=\"0\">\n<table>\n<caption>{}</caption>\n\
         <thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n\
         </table>\n</div>\n",
        escape(caption)
    )
}
