//! The table: what of a row people want to see, in 80 or 120 columns.

mod layout;

use std::collections::BTreeSet;

use self::layout::{Align, Column, Table};
use crate::{Row, recorded, terminal};
use harness::{ceiling, simulator::Counters, timing::Comparison};
use recording::{Caught, NOT_DETECTABLE, Recording};

/// A table as it is printed.
pub struct Rendered {
    /// The table, and below it what went wrong.
    pub text: String,
    /// The columns that it has, for [`legend`].
    pub columns: Vec<&'static str>,
}

/// The rows of one case, at most `width` columns of text wide. The kernels that are shown because
/// they are wrong have a table of their own.
pub fn render(rows: &[Row], width: usize) -> Rendered {
    let (broken, right): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.broken);
    let mut rendered = Rendered { text: String::new(), columns: Vec::new() };
    if !right.is_empty() {
        let simulated = right.iter().any(|row| row.simulated);
        let columns = match simulated {
            true => simulator_columns(&right),
            false => gpu_columns(&right),
        };
        let table = Table::fitting(columns, width);
        rendered.text += &table.render();
        rendered.columns.extend(table.titles());
    }
    if !broken.is_empty() {
        let table = Table::fitting(broken_columns(&broken, width), width);
        rendered.text += "\nwrong on purpose, each on what brings out its fault\n";
        rendered.text += &table.render();
    }
    rendered.text += &findings(rows, width);
    rendered
}

/// What stands in a row's cell; it may look at the rows before.
type Cell<'a> = &'a dyn Fn(&[&Row], usize) -> String;

fn column(rows: &[&Row], title: &'static str, rank: u8, cell: Cell<'_>) -> Column {
    Column {
        title,
        align: match title {
            KERNEL | VERDICT | "caught by" | "on" => Align::Left,
            _ => Align::Right,
        },
        rank,
        cells: (0..rows.len()).map(|i| cell(rows, i)).collect(),
    }
}

const KERNEL: &str = "kernel";
const VERDICT: &str = "verdict";

fn gpu_columns(rows: &[&Row]) -> Vec<Column> {
    let column = |title, rank, cell: Cell<'_>| column(rows, title, rank, cell);
    let or_none = |cell: Option<String>| cell.unwrap_or_default();
    vec![
        column(KERNEL, 0, &|rows, i| rows[i].subject.kernel.clone()),
        column("median\nms", 0, &|rows, i| or_none(rows[i].median_ms().map(ms))),
        column("spread", 2, &|rows, i| spread(rows[i])),
        column("GB/s", 0, &|rows, i| or_none(rows[i].gb_per_s.map(rate))),
        column("of\nceiling", 0, &|rows, i| percent(rows[i].fraction_of_ceiling)),
        column("of peak", 4, &|rows, i| percent(rows[i].fraction_of_peak)),
        column("regs", 5, &|rows, i| rows[i].registers.to_string()),
        column("occ.", 6, &|rows, i| percent(Some(rows[i].occupancy))),
        column("faster", 1, &speed_up),
        column("vs baseline", 1, &|rows, i| baseline(rows[i])),
        column("error/\nbound", 7, &|rows, i| error(rows[i])),
        column(VERDICT, 0, &|rows, i| verdict(rows[i])),
    ]
}

fn simulator_columns(rows: &[&Row]) -> Vec<Column> {
    let recording = recorded::of_simulated_device();
    let column = |title, rank, cell: Cell<'_>| column(rows, title, rank, cell);
    let counted = |row: &Row, show: fn(&Counters) -> String| {
        row.counters.as_ref().map(show).unwrap_or_default()
    };
    vec![
        column(KERNEL, 0, &|rows, i| rows[i].subject.kernel.clone()),
        column(VERDICT, 0, &|rows, i| verdict(rows[i])),
        column("sectors\n/req", 0, &|rows, i| counted(rows[i], sectors)),
        column("wavef.\n/req", 0, &|rows, i| counted(rows[i], wavefronts)),
        column("wavef.\n/KiB", 0, &|rows, i| {
            a_kib(rows[i], |c| {
                c.shared_load_wavefronts + c.shared_store_wavefronts + c.shared_atomic_wavefronts
            })
        }),
        column("instr.\n/KiB", 0, &|rows, i| a_kib(rows[i], |c| c.warp_instructions)),
        column("lanes", 0, &|rows, i| counted(rows[i], lanes)),
        column("barriers", 2, &|rows, i| {
            counted(rows[i], |counters| counters.barriers.to_string())
        }),
        column("races", 3, &|rows, i| rows[i].races.len().to_string()),
        column("error/\nbound", 5, &|rows, i| error(rows[i])),
        column("floor\nµs", 4, &|rows, i| floor(rows[i], recording)),
        column("recorded\nµs", 1, &|rows, i| recorded(rows[i], recording)),
    ]
}

/// A broken rung chooses what it is run on, so that stands beside it, in several lines if need be.
fn broken_columns(rows: &[&Row], width: usize) -> Vec<Column> {
    let column = |title, rank, cell: Cell<'_>| column(rows, title, rank, cell);
    let kernel = column(KERNEL, 0, &|rows, i| rows[i].subject.kernel.clone());
    let caught = column("caught by", 0, &|rows, i| verdict(rows[i]));
    let left = width.saturating_sub(kernel.width() + caught.width() + 4);
    let on = column("on", 1, &|rows, i| terminal::wrap(&rows[i].title, left, 2).trim_end().into());
    vec![kernel, caught, on]
}

/// What the columns mean, in the order in which they stand.
const MEANINGS: &[(&str, &str)] = &[
    ("median\nms", "of the samples, each on a cold L2"),
    ("spread", "from the median down to the fastest sample and up to the slowest"),
    ("GB/s", "bytes that the operation must move, over the median"),
    (
        "of\nceiling",
        "of the rate at which this memory, in this run, reads as many bytes, or reads and copies them where the \
         operation also writes",
    ),
    ("of peak", "of the memory's theoretical peak"),
    ("regs", "registers of a thread"),
    ("occ.", "resident threads, of those that a multiprocessor can hold"),
    ("faster", "than the row above"),
    (
        "vs baseline",
        "the baseline library's time over this one: above 1, the kernel is faster; equal where the interval of the \
         ratio holds 1, or the times differ by less than half a microsecond",
    ),
    (
        "sectors\n/req",
        "32-byte sectors of global memory that a request touches; exact, as a GPU counts them",
    ),
    (
        "wavef.\n/req",
        "wavefronts: passes over the banks that a load or store of shared memory takes; exact",
    ),
    (
        "wavef.\n/KiB",
        "wavefronts, those of atomics too, for each KiB that the operation must move; exact",
    ),
    ("instr.\n/KiB", "instructions of warps for each KiB that the operation must move; PTX-level"),
    (
        "lanes",
        "active lanes of an instruction, of 32; PTX-level: a GPU's own instructions are others",
    ),
    ("barriers", "arrivals of warps at a block's barrier; PTX-level"),
    ("races", "pairs of accesses, at least one a write and not both atomic, that nothing orders"),
    ("error/\nbound", "distance from the reference, and how large it may be"),
    (
        "floor\nµs",
        "the time that the bytes that must be moved take at the recorded device's ceilings, a read sweep and a copy",
    ),
    ("recorded\nµs", "not of this run: what the kernel took on the recorded device"),
];

/// Says what the columns of a run's tables mean, once a run.
pub fn legend(columns: &BTreeSet<&'static str>, width: usize) -> String {
    let shown = MEANINGS.iter().filter(|(title, _)| columns.contains(title));
    let mut text = String::new();
    for (title, meaning) in shown {
        let title = title.replace('\n', " ").replace(" /", "/").replace("/ ", "/");
        text += &terminal::wrap_after(&format!("{title:<12} "), meaning, width);
    }
    let recorded = ["floor\nµs", "recorded\nµs"];
    if let Some(recording) = recorded::of_simulated_device()
        && recorded.iter().any(|title| columns.contains(title))
    {
        let (name, date) = (&recording.head.device.name, &recording.head.date);
        text += &format!("the recorded device: {name}, {date}\n");
    }
    text
}

fn sectors(c: &Counters) -> String {
    ratio(
        c.global_load_sectors + c.global_store_sectors,
        c.global_load_requests + c.global_store_requests,
    )
}

fn wavefronts(c: &Counters) -> String {
    ratio(
        c.shared_load_wavefronts + c.shared_store_wavefronts,
        c.shared_load_requests + c.shared_store_requests,
    )
}

fn lanes(c: &Counters) -> String {
    ratio(c.thread_instructions, c.warp_instructions)
}

fn findings(rows: &[Row], width: usize) -> String {
    let mut text = String::new();
    for row in rows {
        for failure in &row.found {
            let by = failure.by.label();
            text += &terminal::wrap(
                &format!("{}: {by}: {}", row.subject.kernel, failure.message),
                width,
                4,
            );
        }
        if let Some(Caught::NotOnThisDevice(_)) = row.caught {
            let why = match row.found.is_empty() {
                true => "only the race detector can see what is wrong with it",
                false => {
                    "the next run may give the right result; the race detector sees the fault in every run"
                }
            };
            let why = format!("{why}: run it with --device sim");
            text += &terminal::wrap(&format!("{}: {why}", row.subject.kernel), width, 4);
        }
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

fn verdict(row: &Row) -> String {
    match &row.caught {
        None if row.correct => "ok".into(),
        None => "WRONG".into(),
        Some(Caught::By(by)) => {
            let names: Vec<_> = by.iter().map(|name| name.replace('_', " ")).collect();
            names.join(", ")
        }
        Some(Caught::Missed(_)) => "NOTHING".into(),
        Some(Caught::NotOnThisDevice(_)) => NOT_DETECTABLE.into(),
    }
}

fn error(row: &Row) -> String {
    if row.error_bound == 0.0 && row.error == 0.0 {
        return "exact".into();
    }
    format!("{:.1e}/{:.0e}", row.error, row.error_bound)
}

/// Over the rung before.
fn speed_up(rows: &[&Row], i: usize) -> String {
    let before = i.checked_sub(1);
    let times = before.and_then(|before| rows[i].speed_up_over(rows[before]));
    times.map(|times| format!("{times:.2}x")).unwrap_or_default()
}

fn baseline(row: &Row) -> String {
    match row.baseline.as_ref().map(|baseline| baseline.comparison) {
        None => String::new(),
        Some(Comparison { is_equal: true, .. }) => "equal".into(),
        Some(Comparison { ratio, .. }) => format!("{ratio:.2}x"),
    }
}

fn spread(row: &Row) -> String {
    let Some(time) = row.time_ms else {
        return String::new();
    };
    format!(
        "-{:.0}+{:.0}%",
        100.0 * (1.0 - time.min / time.median),
        100.0 * (time.max / time.median - 1.0)
    )
}

/// The memory's floor. Links limit what runs on several devices, and their bytes are other ones.
fn floor(row: &Row, recording: Option<&Recording>) -> String {
    let ceilings = recording.filter(|_| row.devices == 1).and_then(|r| r.head.ceilings.as_ref());
    let floor = ceilings.map(|ceilings| ceiling::ms(ceilings, row.traffic()) * 1e3);
    floor.map(three_digits).unwrap_or_default()
}

fn recorded(row: &Row, recording: Option<&Recording>) -> String {
    let time = recording.and_then(|recording| recording.time(&row.subject));
    time.map(|time| three_digits(time.median * 1e3)).unwrap_or_default()
}

/// A count over the KiB that the operation must move.
fn a_kib(row: &Row, count: fn(&Counters) -> u64) -> String {
    match row.counters.as_ref().map(count) {
        Some(count) if count > 0 => three_digits(count as f64 * 1024.0 / row.bytes as f64),
        _ => String::new(),
    }
}

fn ratio(of: u64, over: u64) -> String {
    if over == 0 { String::new() } else { format!("{:.2}", of as f64 / over as f64) }
}

fn percent(fraction: Option<f64>) -> String {
    fraction.map(|fraction| format!("{:.1}%", 100.0 * fraction)).unwrap_or_default()
}

fn rate(gb_per_s: f64) -> String {
    if gb_per_s < 10.0 { format!("{gb_per_s:.2}") } else { format!("{gb_per_s:.0}") }
}

/// Three significant digits at least, without an exponent.
fn three_digits(number: f64) -> String {
    let magnitude = if number > 0.0 { number.log10().floor() as i32 } else { 0 };
    format!("{number:.*}", (2 - magnitude).clamp(0, 3) as usize)
}

fn ms(milliseconds: f64) -> String {
    if milliseconds > 0.0 && milliseconds < 1e-3 {
        format!("{milliseconds:.1e}")
    } else if milliseconds < 1.0 {
        format!("{milliseconds:.4}")
    } else {
        format!("{milliseconds:.3}")
    }
}
