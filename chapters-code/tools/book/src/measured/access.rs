//! Times over strides and rates over offsets, as pictures with the figures in tables below.

use std::fmt::Write as _;
use std::path::Path;

use figures::chart::{GB_PER_S, MICROSECONDS, Series, Style, Unit, lines};

use super::chart::Labels;
use super::records::{self, Row, Run};
use super::{Asked, chart, thousands};

/// The kernels whose sectors are known here.
const LOADS: &str = "strided_loads";
const STORES: &str = "strided_stores";

/// Bytes of their elements, and of a sector.
const ELEMENT: f64 = 4.0;
const SECTOR: f64 = 32.0;

/// Times over strides, with the times that the sectors of the loads, or of the stores, would take at the rate of
/// the read sweep.
pub(super) fn over_strides(Asked { page, directive, records }: Asked) -> Result<String, String> {
    let run = records.run_of(directive)?;
    let rows = run.select(directive)?;
    let mut series = curves(&rows, "stride", "time_ms.median", 1e3);
    let rate = run.head.ceilings.as_ref().ok_or("the run has no read sweep")?.read_gb_per_s;
    let n = rows.first().map_or(0.0, |row| row.subject.n as f64);
    let strides: Vec<f64> = series.iter().take(1).flat_map(Series::sizes).collect();
    for (kernel, name, style, bytes) in [
        (LOADS, "loads, by their sectors", Style::Ceiling, loads as fn(f64) -> f64),
        (STORES, "stores, by their sectors", Style::Baseline, stores),
    ] {
        if !series.iter().any(|one| one.name == kernel) {
            continue;
        }
        // Bytes over GB/s are nanoseconds.
        let time = |&stride: &f64| [stride, 1e-3 * n * bytes(stride) / rate];
        let points: Vec<_> = strides.iter().map(time).collect();
        series.push(Series::of_points(name.to_owned(), style, &points));
    }
    let caption = format!(
        "Time over stride, for a buffer of {} elements. A line without dots is computed: the time that the sectors take at \
         the rate of the read sweep.",
        thousands(n as u64)
    );
    let shown = Shown { what: "Time over stride", key: "stride", unit: MICROSECONDS, caption };
    draw(page, run, series, lines::STRIDES, shown)
}

/// Rates over offsets, with the copy's.
pub(super) fn over_offsets(Asked { page, directive, records }: Asked) -> Result<String, String> {
    let run = records.run_of(directive)?;
    let mut series = curves(&run.select(directive)?, "offset", "gb_per_s", 1.0);
    let rate = run.head.ceilings.as_ref().ok_or("the run has no copy")?.copy_gb_per_s;
    let offsets = series.iter().take(1).flat_map(Series::sizes);
    let copy: Vec<_> = offsets.map(|offset| [offset, rate]).collect();
    series.push(Series::of_points("the driver's copy".to_owned(), Style::Ceiling, &copy));
    let caption = "Bandwidth over offset: bytes that must be moved, by the median time.".to_owned();
    let shown = Shown { what: "Bandwidth over offset", key: "offset", unit: GB_PER_S, caption };
    draw(page, run, series, lines::OFFSETS, shown)
}

/// Bytes per element of the buffer that a copy moves whose loads are a stride apart: a sector for every wanted
/// element, but none twice, and the elements that it stores.
fn loads(stride: f64) -> f64 {
    SECTOR / stride.max(SECTOR / ELEMENT) + ELEMENT / stride
}

/// The same where the stores are a stride apart. A sector that is stored in part is read, too.
fn stores(stride: f64) -> f64 {
    let ways = if stride > 1.0 { 2.0 } else { 1.0 };
    ways * SECTOR / stride.max(SECTOR / ELEMENT) + ELEMENT / stride
}

/// A curve per kernel: `value` times `scale` over the key.
fn curves(rows: &[&Row], key: &str, value: &str, scale: f64) -> Vec<Series> {
    let kernels = records::kernels([rows]);
    let curve = |(place, kernel): (usize, &&str)| {
        let own = rows.iter().filter(|row| row.subject.kernel == **kernel);
        let point = |row: &&Row| Some([row.number(key)?, scale * row.number(value)?]);
        let mut points: Vec<_> = own.filter_map(point).collect();
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        Series::of_points((*kernel).to_owned(), Style::Kernel(place), &points)
    };
    kernels.iter().enumerate().map(curve).collect()
}

/// What a picture is of.
struct Shown {
    what: &'static str,
    key: &'static str,
    unit: Unit,
    caption: String,
}

fn draw(
    page: &Path,
    run: &Run,
    series: Vec<Series>,
    axis: lines::Axis,
    shown: Shown,
) -> Result<String, String> {
    let keys: Vec<f64> = series.iter().take(1).flat_map(Series::sizes).collect();
    let rates = |one: &Series| -> Vec<String> {
        keys.iter().map(|&n| one.rate_at(n).map(shown.unit.write).unwrap_or_default()).collect()
    };
    let columns: Vec<Vec<String>> = series.iter().map(rates).collect();
    let mut rows = String::new();
    let mut title = format!("{} on {}.", shown.what, run.device());
    for (index, &n) in keys.iter().enumerate() {
        let cells: Vec<&str> = columns.iter().map(|column| column[index].as_str()).collect();
        let _ = writeln!(
            rows,
            "<tr><th scope=\"row\">{}</th><td>{}</td></tr>",
            thousands(n as u64),
            cells.join("</td><td>")
        );
        if index == 0 || index + 1 == keys.len() {
            let named = |(one, cell): (&Series, &&str)| format!("{} {cell}", one.name);
            let all: Vec<String> = series.iter().zip(&cells).map(named).collect();
            let _ = write!(title, " At {} {}: {}.", shown.key, thousands(n as u64), all.join(", "));
        }
    }
    let names = series.iter().map(Series::html_name);
    let heads: Vec<String> = [shown.key.to_owned()].into_iter().chain(names).collect();
    let table = chart::table(run, &heads, &rows);
    let labels = Labels { axis, unit: shown.unit, title, caption: shown.caption, table };
    chart::curves(page, run, series, &labels)
}

#[cfg(test)]
mod tests {
    use super::{loads, stores};

    /// 8 bytes per element of a copy; from stride 8 on every element has a sector to itself.
    #[test]
    fn sectors_are_counted_once() {
        assert_eq!([1.0, 2.0, 8.0, 16.0].map(loads), [8.0, 6.0, 4.5, 2.25]);
        assert_eq!([1.0, 2.0, 8.0, 16.0].map(stores), [8.0, 10.0, 8.5, 4.25]);
    }
}
