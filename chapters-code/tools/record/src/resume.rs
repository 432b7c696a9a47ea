//! Resumes a recording. A long one can be made in parts, where a device is lent for minutes, or where
//! one chapter has changed.

use std::{fs, path::Path};

use anyhow::{Context, bail, ensure};
use recording::Recording;
use report::recorded::subject;

use crate::{file::today, schedule::Part};

/// Reads an earlier run's file, less the rows, checksums and kernels of the chapters in `rerun`, which are to be run again.
///
/// # Errors
/// If it cannot be read, or is of another device: their times do not belong side by side.
pub(crate) fn read(path: &Path, device: &str, rerun: &[String]) -> anyhow::Result<Recording> {
    let text = fs::read_to_string(path).with_context(|| {
        format!("cannot read {}; leave --resume out to begin a recording", path.display())
    })?;
    let is_none = || format!("{} is not a recording", path.display());
    let mut earlier = Recording::read(&text).with_context(is_none)?.with_context(is_none)?;
    ensure!(
        earlier.head.device.name == device,
        "{} was recorded on {}, and this is {device}: name another file with --out",
        path.display(),
        earlier.head.device.name
    );
    let is_kept = |chapter: &str| !rerun.iter().any(|rerun| rerun == chapter);
    earlier.checksums.retain(|sum| is_kept(&sum.subject.chapter));
    earlier.head.kernels.retain(|name, _| is_kept(chapter_of(name)));
    earlier.rows.retain(|row| is_kept(&row.subject.chapter));
    Ok(earlier)
}

/// The chapter of a rung's name, `chapter_1_reduce/sequential`.
fn chapter_of(name: &str) -> &str {
    name.split('/').next().unwrap_or_default()
}

/// Makes sure that no chapter gets rows of several days, which do not belong side by side: on another day than that
/// of the file, whole chapters are run again, and no others.
///
/// # Errors
/// If a part has steps left, and its chapter is not in `rerun`.
pub(crate) fn check_days(
    earlier: &Recording,
    parts: &[Part],
    rerun: &[String],
) -> anyhow::Result<()> {
    let date = &earlier.head.date;
    if date.split(", ").last() == Some(&today()) {
        return Ok(());
    }
    let has_more = |part: &&Part| {
        !part.steps.is_empty() && !rerun.iter().any(|name| name == part.chapter.name())
    };
    match parts.iter().find(has_more).map(|part| part.chapter.name()) {
        None => Ok(()),
        Some(name) => bail!(
            "the file was recorded on {date}, and lacks rows of {name}\n  remedy: record {name} again with --rerun, \
             leave it out by naming the others with --chapter, or name another file with --out"
        ),
    }
}

/// Takes the steps out of a part that need not be run.
pub(crate) fn spare(earlier: &Recording, part: &mut Part) {
    let chapter = part.chapter.name();
    part.steps.retain(|step| {
        let subject = subject(chapter, step.rung.name, &step.case);
        !earlier.rows.iter().any(|row| row.subject.can_stand_for(&subject))
    });
}

/// Joins a new recording to an earlier one. The earlier rows, checksums, conditions and ceilings stay, and the file names both
/// days, both commits, both commands, and the libraries of both.
///
/// # Errors
/// If a rung's instructions have changed since: its rows would not belong side by side.
pub(crate) fn join(new: &mut Recording, earlier: Recording) -> anyhow::Result<()> {
    let Recording { head: earlier, rows, checksums, .. } = earlier;
    let head = &mut new.head;
    for (name, kernel) in earlier.kernels {
        let now = head.kernels.entry(name.clone()).or_insert(kernel.clone());
        let chapter = chapter_of(&name);
        ensure!(
            *now == kernel,
            "{name} has changed since its rows were recorded\n  remedy: record them again with --rerun {chapter}"
        );
    }
    head.date = joined(&earlier.date, &head.date, ", ");
    head.commit = joined(&earlier.commit, &head.commit, "; ");
    head.command = joined(&earlier.command, &head.command, "; ");
    for library in earlier.libraries {
        if !head.libraries.contains(&library) {
            head.libraries.push(library);
        }
    }
    if earlier.ceilings.is_some() {
        head.ceilings = earlier.ceilings;
    }
    head.conditions = earlier.conditions;
    (new.rows, new.checksums) = (rows, checksums);
    Ok(())
}

/// Both, or the one where they are the same.
fn joined(before: &str, now: &str, separator: &str) -> String {
    match before.split(separator).any(|one| one == now) {
        true => before.into(),
        false => format!("{before}{separator}{now}"),
    }
}
