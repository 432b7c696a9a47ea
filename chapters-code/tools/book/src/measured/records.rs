//! The recorded runs: one JSON file a device and date, as `record` writes them.

use std::{collections::BTreeSet, path::Path};

use anyhow::{Context, Result};
use harness::kernel;
use report::{AnyChapter, row::RESULTS};
use serde_json::Value;

use super::directive::Directive;

/// All recorded runs, the newest of a device first.
#[derive(Debug, Clone, Default)]
pub struct Records {
    runs: Vec<Run>,
}

/// One recorded run.
#[derive(Debug, Clone)]
pub struct Run {
    /// Its file's name.
    file: String,
    whole: Value,
}

/// The number of devices of a recording of several; null in a file of one.
const DEVICES: &str = "device.devices";

/// The field that says why a run of earlier kernels is kept.
pub(crate) const KEPT: &str = "kept";

/// What a file's `kind` says if it is a recorded run. Most say nothing.
const KIND: &str = "recorded run";

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
        runs.sort_by(|a, b| (a.device(), b.date()).cmp(&(b.device(), a.date())));
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
        const SAME: [&str; 3] = [
            "device.compute_capability",
            "device.multiprocessors",
            "device.clocks.multiprocessor_mhz",
        ];
        let is_same = |other: &Run, path| {
            let own = run.field(path);
            own.is_some() && own == other.field(path)
        };
        let others = self.newest().filter(|other| other.device() != run.device());
        let others = others.filter(|other| other.field(DEVICES) == run.field(DEVICES));
        others.filter(move |other| SAME.iter().all(|path| is_same(other, path)))
    }

    /// The newest run of every device that `directive` means and that has such rows, with these.
    pub(super) fn of_devices(
        &self,
        directive: &Directive,
    ) -> Result<Vec<(&Run, Vec<&Value>)>, String> {
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
            let file = run.file();
            match (run.changed_kernel(chapters), run.kept()) {
                (Some(name), None) => {
                    return Err(format!(
                        "{name} has changed since {file} was recorded: record its chapter again, or say in the \
                         file's field `{KEPT}` why it is kept"
                    ));
                }
                (None, Some(_)) => {
                    return Err(format!(
                        "{file} has the kernels that are there: take its field `{KEPT}` out"
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
            None => field(run.one_row(directive)?, path)
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
        match found.max_by_key(|run| run.devices()) {
            Some(run) => Ok(run),
            None => self.run(device),
        }
    }

    /// The newest run of the device whose name contains `device`: one with the chapter of this name if there is one, and
    /// none of earlier kernels.
    pub fn run_of_chapter(&self, device: &str, chapter: &str) -> Result<&Run, String> {
        self.run_with(device, chapter_number(&chapter.into()), |run| run.kept().is_none())
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
        let mut whole: Value = serde_json::from_str(&text)
            .with_context(|| format!("{} is not a recorded run", path.display()))?;
        // So that no claim holds, and no page prints a ratio, where the samples do not tell the two apart.
        for row in whole["rows"].as_array_mut().into_iter().flatten() {
            if row["baseline"]["is_equal"] == true {
                row["baseline"]["ratio"] = 1.0.into();
            }
        }
        if whole["kind"].as_str().is_some_and(|kind| kind != KIND) {
            return Ok(None);
        }
        let name = path.file_name().unwrap_or_default();
        let run = Self { file: name.to_string_lossy().into_owned(), whole };
        anyhow::ensure!(
            !run.device().is_empty() && run.whole["rows"].is_array(),
            "{} is not a recorded run: it needs device.name and rows",
            path.display()
        );
        Ok(Some(run))
    }

    /// The name of its file in the folder of the recorded runs.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The device's name.
    pub fn device(&self) -> &str {
        self.whole["device"]["name"].as_str().unwrap_or_default()
    }

    /// The device's model: its name without the maker and without the memory, such as `H200`.
    pub(super) fn model(&self) -> &str {
        self.device().split_whitespace().find(|word| *word != "NVIDIA").unwrap_or_default()
    }

    /// Whether it is of several devices together.
    pub(super) fn is_of_several(&self) -> bool {
        self.devices().is_some()
    }

    /// Whether a directive can mean it: a recording of several devices is for rows of as many, where the directive says
    /// how many. So rows of two devices come from a machine of two, and not from two of four.
    fn is_for(&self, directive: &Directive) -> bool {
        self.devices().zip(directive.devices()).is_none_or(|(own, wanted)| own == wanted)
    }

    /// How many devices it is of, if it is of several.
    fn devices(&self) -> Option<u64> {
        self.field(DEVICES).and_then(Value::as_u64)
    }

    /// The day of the run.
    pub fn date(&self) -> &str {
        self.whole["date"].as_str().unwrap_or_default()
    }

    /// Why it is kept although it is of earlier kernels, if it says so.
    pub(super) fn kept(&self) -> Option<&str> {
        self.whole[KEPT].as_str()
    }

    /// A kernel of `chapters` that is no longer the one that was recorded. One that the run does not name is newer, or
    /// the file older than these fingerprints.
    fn changed_kernel(&self, chapters: &[&dyn AnyChapter]) -> Option<String> {
        let named = |chapter: &&dyn AnyChapter| {
            let of = chapter.name();
            chapter.rungs().into_iter().map(move |rung| (format!("{of}/{}", rung.name), rung.ptx))
        };
        let is_changed = |name: &String, ptx: &str| {
            let recorded = self.whole["kernels"][name].as_str();
            recorded.is_some_and(|recorded| recorded != kernel::fingerprint(ptx))
        };
        let mut all = chapters.iter().flat_map(named);
        all.find(|(name, ptx)| is_changed(name, ptx)).map(|(name, _)| name)
    }

    /// A field of the run as a whole, such as `device.driver`; not of its rows.
    pub fn field(&self, path: &str) -> Option<&Value> {
        field(&self.whole, path)
    }

    /// The rows, in the order in which they were run.
    pub fn rows(&self) -> &[Value] {
        self.whole["rows"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Whether a row is of the chapter of this number.
    pub(super) fn has_chapter(&self, number: u64) -> bool {
        let mut rows = self.rows().iter();
        rows.any(|row| chapter_number(&row["chapter"]) == Some(number))
    }

    /// The rows that `directive` selects; at least one.
    pub(super) fn select(&self, directive: &Directive) -> Result<Vec<&Value>, String> {
        let rows: Vec<_> = self.rows().iter().filter(|row| directive.selects(row)).collect();
        if rows.is_empty() {
            return Err(format!("no row of the run on {} is so", self.device()));
        }
        let rows = part_of_ladder(rows, directive.ends())?;
        named(rows, &directive.kernels())
    }

    /// The only row that `directive` selects.
    pub(super) fn one_row(&self, directive: &Directive) -> Result<&Value, String> {
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
        let rate = |row: &Value| row["gb_per_s"].as_f64().ok_or("the recorded row has no rate");
        Ok(rate(self.one_row(directive)?)? / rate(self.one_row(&before)?)?)
    }
}

/// The rows of the kernels between the two named ones, in the order in which kernels first appear.
fn part_of_ladder<'a>(
    rows: Vec<&'a Value>,
    [from, to]: [Option<&str>; 2],
) -> Result<Vec<&'a Value>, String> {
    let kernels = kernels([&rows[..]]);
    let place = |name: &str| kernels.iter().position(|kernel| *kernel == name);
    let find = |name: &str| place(name).ok_or_else(|| format!("no such row is of {name}"));
    let first = from.map_or(Ok(0), find)?;
    let last = to.map_or(Ok(kernels.len()), find)?;
    if first > last {
        let ends = from.zip(to).map_or(String::new(), |(from, to)| format!(": {from}, {to}"));
        return Err(format!("the first kernel comes after the last{ends}"));
    }
    let meant = |row: &&Value| {
        let place = row["kernel"].as_str().and_then(place);
        place.is_none_or(|place| (first..=last).contains(&place))
    };
    Ok(rows.into_iter().filter(meant).collect())
}

/// The rows of the named kernels, each of which must have one; all, if none is named.
fn named<'a>(mut rows: Vec<&'a Value>, kernels: &[&str]) -> Result<Vec<&'a Value>, String> {
    for name in kernels {
        if !rows.iter().any(|row| row["kernel"] == **name) {
            return Err(format!("no such row is of {name}"));
        }
    }
    rows.retain(|row| kernels.is_empty() || kernels.iter().any(|name| row["kernel"] == **name));
    Ok(rows)
}

/// The kernels of one or several runs' rows in one order: that of the first run, with what only a later one
/// has behind the kernel that it follows there.
pub(super) fn kernels<'a: 'r, 'r>(runs: impl IntoIterator<Item = &'r [&'a Value]>) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for rows in runs {
        let mut next = 0;
        for name in rows.iter().filter_map(|row| row["kernel"].as_str()) {
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
pub(super) fn field<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(value, |value, name| value.get(name))
}

/// The number in a chapter's name: 1 for `1`, `"chapter_1"` and `"chapter_1_reduce"`.
pub(super) fn chapter_number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64(),
        Value::String(name) => {
            name.split(|c: char| !c.is_ascii_digit()).find(|part| !part.is_empty())?.parse().ok()
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The columns by which two rows can be told apart: what they are of, not their results.
fn difference(a: &Value, b: &Value) -> String {
    let columns = [a, b].into_iter().filter_map(Value::as_object).flat_map(|row| row.keys());
    let tells = |key: &&String| !RESULTS.contains(&key.as_str()) && a.get(key) != b.get(key);
    let keys: BTreeSet<&str> = columns.filter(tells).map(String::as_str).collect();
    match keys.is_empty() {
        true => "no key".to_owned(),
        false => keys.into_iter().collect::<Vec<_>>().join(", "),
    }
}
