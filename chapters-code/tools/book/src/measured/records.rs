//! The recorded runs: one JSON file a device and date, as `record` writes them.

use std::{collections::BTreeSet, ops::Deref, path::Path};

use anyhow::{Context, Result};
use harness::kernel;
use recording::{Head, Recording};
use report::AnyChapter;
use serde_json::Value;

use super::{directive::Directive, value};

/// All recorded runs, the newest of a device first.
#[derive(Debug, Clone, Default)]
pub struct Records {
    runs: Vec<Run>,
}

/// One recorded run.
#[derive(Debug, Clone)]
pub struct Run {
    /// The name of its file in the folder of the recorded runs.
    pub file: String,
    /// What is recorded of the run as a whole.
    pub head: Head,
    /// The same by the names of the fields.
    fields: Value,
    /// The rows, in the order in which they were run.
    pub rows: Vec<Row>,
}

/// A recorded row, without its samples.
#[derive(Debug, Clone)]
pub struct Row {
    recorded: recording::Row,
    /// The same by the names of the columns.
    columns: Value,
}

impl Records {
    /// Reads every `*.json` of `folder`; none if there is no such folder.
    pub fn load(folder: &Path) -> Result<Self> {
        let mut runs = Vec::new();
        if folder.is_dir() {
            for entry in std::fs::read_dir(folder)? {
                let path = entry?.path();
                if path.extension().is_some_and(|extension| extension == "json") {
                    runs.extend(Run::load(&path)?);
                }
            }
        }
        runs.sort_by(|a, b| (a.device(), &b.head.date).cmp(&(b.device(), &a.head.date)));
        Ok(Self { runs })
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// All runs, by device, the newest first.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The newest run of every device.
    pub(super) fn newest(&self) -> impl Iterator<Item = &Run> {
        self.runs.chunk_by(|a, b| a.device() == b.device()).map(|of_device| &of_device[0])
    }

    /// The newest runs on devices that differ from that of `run` in their memory only: their multiprocessors are as many,
    /// of the same kind and clock.
    pub(super) fn with_other_memory(&self, run: &Run) -> impl Iterator<Item = &Run> {
        let others = self.newest().filter(|other| other.device() != run.device());
        others.filter(|other| other.without_memory() == run.without_memory())
    }

    /// The newest run of every device that `directive` means and that has such rows, with these.
    pub(super) fn of_devices(
        &self,
        directive: &Directive,
    ) -> Result<Vec<(&Run, Vec<&Row>)>, String> {
        let runs =
            self.newest().filter(|run| directive.is_of(run.device()) && run.is_for(directive));
        let mut found = Vec::new();
        let mut refused = "no run on such a device is recorded".to_owned();
        for run in runs {
            match run.select(directive) {
                Ok(rows) => found.push((run, rows)),
                Err(cause) => refused = cause,
            }
        }
        match found.is_empty() {
            true => Err(refused),
            false => Ok(found),
        }
    }

    /// Refuses recordings of other kernels than those that are there: the newest of each device, as far as it says which
    /// instructions it timed. One that says why it is kept is exempt, and must have changed kernels.
    pub fn check_kernels(&self, chapters: &[&dyn AnyChapter]) -> Result<(), String> {
        for run in self.newest() {
            let file = &run.file;
            match (run.changed_kernel(chapters), &run.head.kept) {
                (Some(name), None) => {
                    return Err(format!(
                        "{name} has changed since {file} was recorded: record its chapter again, or say in the \
                         file's field `kept` why it is kept"
                    ));
                }
                (None, Some(_)) => {
                    return Err(format!(
                        "{file} has the kernels that are there: take its field `kept` out"
                    ));
                }
                (Some(_), Some(_)) | (None, None) => {}
            }
        }
        Ok(())
    }

    /// A field of the run that a directive means, or else of the one row of it.
    pub(super) fn value(&self, directive: &Directive, path: &str) -> Result<&Value, String> {
        let run = self.run_of(directive)?;
        match run.field(path) {
            Some(found) => Ok(found),
            None => (run.one_row(directive)?.field(path))
                .ok_or_else(|| format!("the recorded row has no field {path}")),
        }
    }

    /// The newest run of the device that a directive means: one with the directive's chapter if there is one, because a
    /// recording of several devices has chapter 8 only, and one of as many devices as it names.
    pub(super) fn run_of(&self, directive: &Directive) -> Result<&Run, String> {
        self.run_with(directive.device(), directive.chapter(), |run| run.is_for(directive))
    }

    /// The newest run of the device whose name contains `device`: one with this chapter that `is_meant`, if there
    /// is one; of several, that of the most devices.
    fn run_with(
        &self,
        device: &str,
        chapter: Option<u64>,
        is_meant: impl Fn(&Run) -> bool,
    ) -> Result<&Run, String> {
        let has_chapter = |run: &&Run| chapter.is_some_and(|number| run.has_chapter(number));
        let of_device = |run: &&Run| run.device().contains(device) && is_meant(run);
        // Of a device's runs the newest comes first, and the last of several greatest ones is taken.
        let found = self.runs.iter().rev().filter(of_device).filter(has_chapter);
        match found.max_by_key(|run| run.head.device.devices) {
            Some(run) => Ok(run),
            None => self.run(device),
        }
    }

    /// The newest run of the device whose name contains `device`: one with the chapter of this name if there is one, and
    /// none of earlier kernels.
    pub fn run_of_chapter(&self, device: &str, chapter: &str) -> Result<&Run, String> {
        self.run_with(device, chapter_number(chapter), |run| run.head.kept.is_none())
    }

    /// The newest run of the device whose name contains `device`.
    pub fn run(&self, device: &str) -> Result<&Run, String> {
        self.runs
            .iter()
            .find(|run| run.device().contains(device))
            .ok_or_else(|| format!("no run on a device called {device} is recorded"))
    }
}

impl Run {
    /// Reads a file; none if it says that it is something else.
    fn load(path: &Path) -> Result<Option<Self>> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let recording = Recording::read(&text)
            .with_context(|| format!("{} is not a recorded run", path.display()))?;
        let Some(Recording { head, rows, .. }) = recording.map(Recording::without_samples) else {
            return Ok(None);
        };
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (fields, rows) = (head.fields(), rows.into_iter().map(Row::of).collect());
        Ok(Some(Self { file, head, fields, rows }))
    }

    /// The device's name.
    pub fn device(&self) -> &str {
        &self.head.device.name
    }

    /// The device's model: its name without the maker and without the memory, such as `H200`.
    pub(super) fn model(&self) -> &str {
        self.device().split_whitespace().find(|word| *word != "NVIDIA").unwrap_or_default()
    }

    /// Whether a directive can mean it: a recording of several devices is for rows of as many, where the directive says
    /// how many. So rows of two devices come from a machine of two, and not from two of four.
    fn is_for(&self, directive: &Directive) -> bool {
        self.head.device.devices.zip(directive.devices()).is_none_or(|(own, wanted)| own == wanted)
    }

    /// What two devices have in common that differ in their memory only.
    fn without_memory(&self) -> (&str, u32, f64, Option<u64>) {
        let device = &self.head.device;
        let clock = device.clocks.multiprocessor_mhz;
        (&device.compute_capability, device.multiprocessors, clock, device.devices)
    }

    /// A kernel of `chapters` that is no longer the one that was recorded. One that the run does not name is newer, or
    /// the file older than these fingerprints.
    fn changed_kernel(&self, chapters: &[&dyn AnyChapter]) -> Option<String> {
        let named = |chapter: &&dyn AnyChapter| {
            let of = chapter.name();
            chapter.rungs().into_iter().map(move |rung| (format!("{of}/{}", rung.name), rung.ptx))
        };
        let is_changed = |name: &String, ptx: &str| {
            let recorded = self.head.kernels.get(name);
            recorded.is_some_and(|recorded| *recorded != kernel::fingerprint(ptx))
        };
        let mut all = chapters.iter().flat_map(named);
        all.find(|(name, ptx)| is_changed(name, ptx)).map(|(name, _)| name)
    }

    /// A field of the run as a whole, such as `device.driver`; not of its rows.
    pub fn field(&self, path: &str) -> Option<&Value> {
        field(&self.fields, path)
    }

    /// Whether a row is of the chapter of this number.
    pub(super) fn has_chapter(&self, number: u64) -> bool {
        self.rows.iter().any(|row| row.chapter() == Some(number))
    }

    /// The rows that `directive` selects; at least one.
    pub(super) fn select(&self, directive: &Directive) -> Result<Vec<&Row>, String> {
        let rows: Vec<_> = self.rows.iter().filter(|row| directive.selects(row)).collect();
        if rows.is_empty() {
            return Err(format!("no row of the run on {} is so", self.device()));
        }
        let rows = part_of_ladder(rows, directive.ends())?;
        named(rows, &directive.kernels())
    }

    /// The only row that `directive` selects.
    pub(super) fn one_row(&self, directive: &Directive) -> Result<&Row, String> {
        let rows = self.select(directive)?;
        match rows.as_slice() {
            [row] => Ok(row),
            [first, second, ..] => Err(format!(
                "{} rows of the run on {} are so; they differ in {}",
                rows.len(),
                self.device(),
                difference(first, second)
            )),
            [] => unreachable!("select returns at least one row"),
        }
    }

    /// The rate of the only row that `directive` selects, over that of the same row of the rung before.
    pub(super) fn gain(&self, directive: &Directive) -> Result<f64, String> {
        let before = directive.before().ok_or("name the rung before: before=RUNG")?;
        let rate = |row: &Row| row.gb_per_s.ok_or("the recorded row has no rate");
        Ok(rate(self.one_row(directive)?)? / rate(self.one_row(&before)?)?)
    }
}

impl Deref for Row {
    type Target = recording::Row;

    fn deref(&self) -> &recording::Row {
        &self.recorded
    }
}

impl Row {
    fn of(mut recorded: recording::Row) -> Self {
        // So that no claim holds, and no page prints a ratio, where the samples do not tell the two apart.
        if let Some(baseline) = &mut recorded.baseline
            && baseline.comparison.is_equal
        {
            baseline.comparison.ratio = 1.0;
        }
        Self { columns: recorded.columns(), recorded }
    }

    /// The column at the end of `path`, whose parts are joined by dots.
    pub(super) fn field(&self, path: &str) -> Option<&Value> {
        field(&self.columns, path)
    }

    /// The number there.
    pub(super) fn number(&self, path: &str) -> Option<f64> {
        self.field(path)?.as_f64()
    }

    /// What stands there, with its unit; empty if there is no such column.
    pub(super) fn cell(&self, path: &str) -> String {
        self.field(path).map_or(String::new(), |found| value(path, found))
    }

    /// The number of its chapter.
    pub(crate) fn chapter(&self) -> Option<u64> {
        chapter_number(&self.subject.chapter)
    }

    /// How many times as long as the kernel the library takes.
    pub(crate) fn ratio(&self) -> Option<f64> {
        self.baseline.as_ref().map(|baseline| baseline.comparison.ratio)
    }

    /// The rate that the library's time makes of the row's bytes.
    pub(super) fn baseline_rate(&self) -> Option<f64> {
        Some(self.baseline.as_ref()?.time_ms.gb_per_s(self.bytes))
    }
}

/// The rows of the kernels between the two named ones, in the order in which kernels first appear.
fn part_of_ladder<'a>(
    rows: Vec<&'a Row>,
    [from, to]: [Option<&str>; 2],
) -> Result<Vec<&'a Row>, String> {
    let kernels = kernels([&rows[..]]);
    let place = |name: &str| kernels.iter().position(|kernel| *kernel == name);
    let find = |name: &str| place(name).ok_or_else(|| format!("no such row is of {name}"));
    let first = from.map_or(Ok(0), find)?;
    let last = to.map_or(Ok(kernels.len()), find)?;
    if first > last {
        let ends = from.zip(to).map_or(String::new(), |(from, to)| format!(": {from}, {to}"));
        return Err(format!("the first kernel comes after the last{ends}"));
    }
    let meant =
        |row: &&Row| place(&row.subject.kernel).is_none_or(|place| (first..=last).contains(&place));
    Ok(rows.into_iter().filter(meant).collect())
}

/// The rows of the named kernels, each of which must have one; all, if none is named.
fn named<'a>(mut rows: Vec<&'a Row>, kernels: &[&str]) -> Result<Vec<&'a Row>, String> {
    for name in kernels {
        if !rows.iter().any(|row| row.subject.kernel == **name) {
            return Err(format!("no such row is of {name}"));
        }
    }
    rows.retain(|row| {
        kernels.is_empty() || kernels.iter().any(|name| row.subject.kernel == **name)
    });
    Ok(rows)
}

/// The kernels of one or several runs' rows in one order: that of the first run, with what only a later one
/// has behind the kernel that it follows there.
pub(super) fn kernels<'a: 'r, 'r>(runs: impl IntoIterator<Item = &'r [&'a Row]>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for rows in runs {
        let mut next = 0;
        for name in rows.iter().map(|row| &*row.subject.kernel) {
            match names.iter().position(|known| *known == name) {
                Some(place) => next = place + 1,
                None => {
                    names.insert(next, name);
                    next += 1;
                }
            }
        }
    }
    names
}

/// The value at the end of `path`, whose parts are joined by dots.
fn field<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, name| value.get(name))
}

/// The number in a chapter's name: 1 for `1`, `chapter_1` and `chapter_1_reduce`.
pub(crate) fn chapter_number(name: &str) -> Option<u64> {
    name.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty())?.parse().ok()
}

/// The columns by which two rows can be told apart: what they are of, not their results.
fn difference(a: &Row, b: &Row) -> String {
    let [a, b] = [a, b].map(|row| row.subject.columns());
    let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let differ: Vec<&str> =
        keys.into_iter().filter(|key| a.get(*key) != b.get(*key)).map(String::as_str).collect();
    match differ.is_empty() {
        true => "no key".to_owned(),
        false => differ.join(", "),
    }
}
