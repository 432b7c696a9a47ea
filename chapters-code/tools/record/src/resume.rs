//! Resumes a recording. A long one can be made in parts, where a device is lent for minutes, or where
//! one chapter has changed.

use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::Path,
};

use anyhow::{Context, bail, ensure};
use harness::ceiling::Ceilings;
use report::recorded::{Checksum, RecordedRow, Subject};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{conditions::Conditions, file::today, schedule::Part};

/// An earlier run's file, as far as it is kept.
pub(crate) struct Resumed {
    /// The days that it was recorded on.
    pub(crate) date: String,
    /// The commits that it was recorded at.
    pub(crate) commit: String,
    /// The commands.
    pub(crate) command: String,
    /// The ceilings of its first run.
    pub(crate) ceilings: Option<Ceilings>,
    /// The conditions of its runs.
    pub(crate) conditions: Vec<Conditions>,
    /// What stands for the instructions of each rung.
    pub(crate) kernels: BTreeMap<String, String>,
    /// Its rows, as they stand there.
    pub(crate) rows: Vec<Box<RawValue>>,
    /// Its checksums.
    pub(crate) checksums: Vec<Checksum>,
    subjects: HashSet<Subject>,
}

#[derive(Deserialize)]
struct File {
    device: Device,
    date: String,
    commit: String,
    command: String,
    ceilings: Option<Ceilings>,
    #[serde(default)]
    conditions: Vec<Conditions>,
    #[serde(default)]
    kernels: BTreeMap<String, String>,
    rows: Vec<Box<RawValue>>,
    checksums: Vec<Checksum>,
}

#[derive(Deserialize)]
struct Device {
    name: String,
}

impl Resumed {
    /// Reads a file, less the rows and checksums of the chapters in `rerun`, which are to be run again.
    ///
    /// # Errors
    /// If it cannot be read, or is of another device: their times do not belong side by side.
    pub(crate) fn read(path: &Path, device: &str, rerun: &[String]) -> anyhow::Result<Self> {
        let text = fs::read_to_string(path).with_context(|| {
            format!("cannot read {}; leave --resume out to begin a recording", path.display())
        })?;
        let file: File = serde_json::from_str(&text)
            .with_context(|| format!("{} is not a recording", path.display()))?;
        ensure!(
            file.device.name == device,
            "{} was recorded on {}, and this is {device}: name another file with --out",
            path.display(),
            file.device.name
        );
        let mut earlier = Self {
            date: file.date,
            commit: file.commit,
            command: file.command,
            ceilings: file.ceilings,
            conditions: file.conditions,
            kernels: file.kernels,
            rows: Vec::new(),
            checksums: file.checksums,
            subjects: HashSet::new(),
        };
        let is_kept = |chapter: &str| !rerun.iter().any(|rerun| rerun == chapter);
        earlier.checksums.retain(|sum| is_kept(&sum.chapter));
        earlier.kernels.retain(|name, _| name.split('/').next().is_some_and(is_kept));
        for raw in file.rows {
            let row: RecordedRow = serde_json::from_str(raw.get())
                .with_context(|| format!("a row of {}", path.display()))?;
            if is_kept(row.subject.chapter()) {
                earlier.subjects.insert(row.subject);
                earlier.rows.push(raw);
            }
        }
        Ok(earlier)
    }

    /// Makes sure that no chapter gets rows of several days, which do not belong side by side: on another day than that
    /// of the file, whole chapters are run again, and no others.
    ///
    /// # Errors
    /// If a part has steps left, and its chapter is not in `rerun`.
    pub(crate) fn check_days(&self, parts: &[Part], rerun: &[String]) -> anyhow::Result<()> {
        if self.date.split(", ").last() == Some(&today()) {
            return Ok(());
        }
        let has_more = |part: &&Part| {
            !part.steps.is_empty() && !rerun.iter().any(|name| name == part.chapter.name())
        };
        match parts.iter().find(has_more).map(|part| part.chapter.name()) {
            None => Ok(()),
            Some(name) => bail!(
                "the file was recorded on {}, and lacks rows of {name}\n  remedy: record {name} again with --rerun, \
                 leave it out by naming the others with --chapter, or name another file with --out",
                self.date
            ),
        }
    }

    /// Takes the steps out of a part that need not be run.
    pub(crate) fn spare(&self, part: &mut Part) {
        let chapter = part.chapter.name();
        part.steps.retain(|step| {
            let subject = Subject::new(chapter, step.rung.name, &step.case);
            !self.subjects.contains(&subject)
        });
    }
}
