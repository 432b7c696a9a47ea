//! Figures out of the recorded runs, by directives in the pages:
//!
//! - `{{#measured FIELD KEY=VALUE …}}`: one value of the one row that the keys select, such as
//!   `{{#measured gb_per_s kernel=sequential n=2^28 dtype=f32 op=sum}}`. FIELD is a field of a row,
//!   with dots into objects (`time_ms.median`, `baseline.ratio`), or of the whole run (`device.name`,
//!   `date`, `commit`, and so on). The field `gain` is the row's rate over that of the same row of the rung
//!   that `before=RUNG` names.
//! - `{{#measured_rung before=RUNG KEY=VALUE …}}`: the rate of one row, its part of the ceiling and
//!   of the peak, and its gain over the same row of RUNG, by name.
//! - `{{#measured_table KEY=VALUE …}}`: the ladder as a table, a line a kernel.
//! - `{{#measured_plot KEY=VALUE …}}`: bandwidth over size as a picture, a curve a kernel, with the
//!   ceiling and the baseline.
//! - `{{#measured_bars KEY=VALUE …}}`: bandwidth at one size as a picture, a bar a kernel, with the ceiling and the baseline.
//! - `{{#so_far kernel=RUNG n=SIZE KEY=VALUE …}}`: the ladder up to that rung as a small picture, a bar a rung that
//!   has such a row, with the ceiling. It shows one device, as single values do.
//! - `{{#measured_in_flight KEY=VALUE …}}`: rates over bytes in flight as a table, with Little's law fitted
//!   to them.
//! - `{{#measured_strides kernels=KERNEL,KERNEL n=SIZE}}`: times over strides as a picture, with the times that the
//!   sectors would take; `{{#measured_offsets kernels=KERNEL,KERNEL n=SIZE}}`: rates over offsets.
//! - `{{#measured_memories KEY=VALUE …}}`: the ladder's times on two devices that differ in their memory only, as a table
//!   that shows which rungs the memory limits; `{{#other_memory KEY=VALUE …}}`: the same of one row, in a sentence.
//! - `{{#claim VALUE RELATION VALUE …}}`: nothing if the comparison holds on the newest recordings; see `measured::claim`.
//! - `{{#measured_comparisons}}`: how many cases that were timed beside a library each chapter has, and how many of them
//!   its kernels win; `worst=COUNT` or `best=COUNT`: so many of them, a line each; `list=all`: all of them, of all devices,
//!   as a table that the theme's script filters and gives as a file.
//! - `{{#measured_devices}}`: the recorded runs, a line each, and why runs of earlier kernels are kept.
//!
//! Tables and pictures show all devices that are recorded, side by side. They take four more keys:
//! `from=KERNEL` and `to=KERNEL`, a part of the ladder; `kernels=KERNEL,KERNEL`, some of it; and
//! `least=SIZE`, which leaves smaller sizes out.
//!
//! A key is a field of the row, and a size may be written as a power, `2^28`. Three keys are never
//! needed: `chapter` (the page's own), `broken` (false), `device` (part of the device's name; H200 for
//! single values, and otherwise all).
//! Rows of a matrix are selected by `rows=` or `cols=` only.
//!
//! A figure that no recorded run holds is an error. Only while there is no recorded run at all, or none
//! of the chapter, and the build is a draft, does a directive show "not recorded yet" instead.

mod access;
mod chart;
mod claim;
mod comparisons;
mod directive;
mod format;
mod in_flight;
mod memories;
mod quantity;
mod records;
mod table;

use std::path::Path;

use crate::{Problems, Strictness};
pub(crate) use comparisons::{elements, library};
use directive::Directive;
pub(crate) use figures::number::thousands;
pub(crate) use format::leading_number;
pub use format::{amount, value};
pub(crate) use quantity::{count, is_count, natural_unit, quantity};
pub(crate) use records::chapter_number;
pub use records::{Records, Row, Run};

/// The folder of the recorded runs, in the book's source folder.
pub const FOLDER: &str = "measurements";

/// The field that no row has: a rung's rate over that of the rung that the key `before` names.
const GAIN: &str = "gain";

pub(crate) const NOT_RECORDED: &str = "<span class=\"unrecorded\">not recorded yet</span>";

/// `text`, the content of `page`, with every directive replaced by what `records` hold.
///
/// # Errors
/// The directives that nothing recorded answers.
pub fn expand(
    page: &Path,
    text: &str,
    records: &Records,
    strictness: Strictness,
) -> Result<String, Problems> {
    crate::expand::expand(page, text, &mut |call| answer(page, call.body, records, strictness))
}

/// The answer to a directive with this body, as it stands on `page`.
pub(crate) fn answer(
    page: &Path,
    body: &str,
    records: &Records,
    strictness: Strictness,
) -> Result<String, String> {
    if let Some(comparison) = body.trim_start().strip_prefix("claim ") {
        return claimed(page, comparison, records, strictness);
    }
    let directive = &directive::parse(body)?.on(page);
    if waits(directive, records, strictness)? {
        return Ok(NOT_RECORDED.to_owned());
    }
    let (_, answer) = named(directive.name)?;
    answer(Asked { page, directive, records })
}

/// The number that the directive `measured` with these arguments on `page` would show, in `unit`, which begins
/// with a unit and may go on: `% of peak`.
///
/// # Errors
/// If nothing recorded answers it, or its field is not in such a unit.
pub(crate) fn in_unit(
    page: &Path,
    arguments: &str,
    unit: &str,
    records: &Records,
    strictness: Strictness,
) -> Result<String, String> {
    match number_on(page, arguments, records, strictness)? {
        Some((field, number)) => format::in_unit(&field, number, unit),
        None => Ok(NOT_RECORDED.to_owned()),
    }
}

/// The field that the directive `measured` with these arguments on `page` names, and the number there; none while a draft
/// waits for its recording.
fn number_on(
    page: &Path,
    arguments: &str,
    records: &Records,
    strictness: Strictness,
) -> Result<Option<(String, f64)>, String> {
    let directive = directive::parse(&format!("measured {}", arguments.trim()))?.on(page);
    let Some(field) = &directive.field else {
        return Err(format!("{arguments} is not one value"));
    };
    if waits(&directive, records, strictness)? {
        return Ok(None);
    }
    Ok(Some((field.clone(), number_of(&directive, field, records)?)))
}

/// The number that a field of the row of `directive` holds.
fn number_of(directive: &Directive, field: &str, records: &Records) -> Result<f64, String> {
    if field == GAIN {
        return records.run_of(directive)?.gain(directive);
    }
    let found = records.value(directive, field)?;
    found.as_f64().ok_or_else(|| format!("the field {field} is no number"))
}

/// The answer to a claim, `VALUE RELATION VALUE …`: nothing if it holds. If it does not, a
/// strict build fails and a draft marks the sentence, so that a kernel can change before its recording.
fn claimed(
    page: &Path,
    body: &str,
    records: &Records,
    strictness: Strictness,
) -> Result<String, String> {
    if records.is_empty() && strictness == Strictness::Draft {
        return Ok(NOT_RECORDED.to_owned());
    }
    let objection = claim::objection(body, |directive| directive.on(page), records)?;
    match (objection, strictness) {
        (None, _) => Ok(String::new()),
        (Some(why), Strictness::Draft) => {
            Ok(format!(" <span class=\"unrecorded\">not so in the newest recording: {why}</span>"))
        }
        (Some(why), Strictness::Strict) => {
            Err(format!("the newest recording says otherwise: {why}"))
        }
    }
}

/// What a rung reached where it was recorded.
#[derive(Debug)]
pub(crate) struct Reached {
    pub(crate) kernel: String,
    pub(crate) fraction_of_peak: f64,
    pub(crate) fraction_of_ceiling: f64,
    /// The clocks of a multiprocessor between one KiB and the next, where memory delivers its peak.
    pub(crate) clocks_per_kib: f64,
}

/// What the one rung reached that `keys` on `page` select; none while a draft waits for its recording.
///
/// # Errors
/// If nothing recorded answers it.
pub(crate) fn reached(
    page: &Path,
    keys: &str,
    records: &Records,
    strictness: Strictness,
) -> Result<Option<Reached>, String> {
    let directive = directive::parse(&format!("measured_rung {keys}"))?.on(page);
    if waits(&directive, records, strictness)? {
        return Ok(None);
    }
    let run = records.run_of(&directive)?;
    let row = run.one_row(&directive)?;
    let number = |field| row.number(field).ok_or_else(|| format!("the row has no {field}"));
    let device = &run.head.device;
    let bytes_per_second = device.peak_gb_per_s * 1e9 / f64::from(device.multiprocessors);
    Ok(Some(Reached {
        kernel: row.subject.kernel.clone(),
        fraction_of_peak: number("fraction_of_peak")?,
        fraction_of_ceiling: number("fraction_of_ceiling")?,
        clocks_per_kib: 1024.0 / bytes_per_second * device.clocks.multiprocessor_mhz * 1e6,
    }))
}

/// A directive as it stands on a page, and what answers it.
#[derive(Clone, Copy)]
struct Asked<'a> {
    page: &'a Path,
    directive: &'a Directive,
    records: &'a Records,
}

/// The directive that asks for one field of one row.
const VALUE: &str = "measured";

/// The directive that lists the recorded runs.
const DEVICES: &str = "measured_devices";

/// What answers a directive.
type Answer = fn(Asked) -> Result<String, String>;

/// The directives by their names.
static ANSWERS: [(&str, Answer); 13] = [
    (VALUE, inline),
    ("measured_rung", table::rung),
    ("measured_table", table::ladder),
    ("measured_plot", chart::over_sizes),
    ("measured_bars", chart::at_one_size),
    ("so_far", chart::so_far),
    ("measured_in_flight", in_flight::over_bytes),
    ("measured_strides", access::over_strides),
    ("measured_offsets", access::over_offsets),
    ("measured_memories", memories::ladder),
    ("other_memory", memories::rung),
    ("measured_comparisons", comparisons::all),
    (DEVICES, table::devices),
];

/// The directive of this name.
fn named(name: &str) -> Result<(&'static str, Answer), String> {
    let found = ANSWERS.iter().find(|(known, _)| *known == name);
    found.copied().ok_or_else(|| format!("there is no directive {name}"))
}

/// Whether nothing at all is recorded for a directive of a draft.
///
/// # Errors
/// If the build is strict.
fn waits(directive: &Directive, records: &Records, strictness: Strictness) -> Result<bool, String> {
    match (missing(directive, records), strictness) {
        (None, _) => Ok(false),
        (Some(_), Strictness::Draft) => Ok(true),
        (Some(what), Strictness::Strict) => Err(format!("{what} is recorded yet")),
    }
}

/// What of all that a directive may ask for is not recorded at all: everything, or its chapter.
fn missing(directive: &Directive, records: &Records) -> Option<String> {
    if records.is_empty() {
        return Some("nothing".to_owned());
    }
    let is_of_run = |field| records.runs().iter().any(|run| run.field(field).is_some());
    let of_runs = directive.name == DEVICES || directive.field.as_deref().is_some_and(is_of_run);
    let chapter = directive.chapter().filter(|_| !of_runs)?;
    let is_recorded = records.runs().iter().any(|run| run.has_chapter(chapter));
    (!is_recorded).then(|| format!("nothing of chapter {chapter}"))
}

fn inline(Asked { directive, records, .. }: Asked) -> Result<String, String> {
    match directive.field.as_deref().unwrap_or_default() {
        GAIN => Ok(amount(GAIN, records.run_of(directive)?.gain(directive)?)),
        field => Ok(value(field, records.value(directive, field)?)),
    }
}
