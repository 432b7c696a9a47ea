//! Checks on every save.

use std::{
    path::Path,
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use anyhow::{Context, Result};
use harness::terminal::print;
use notify::{Event, RecursiveMode, Watcher};

use super::{check_one, chosen, student::Student};
use crate::course::Course;

/// How long to wait for more: an editor may save in several steps.
const SETTLED: Duration = Duration::from_millis(40);

/// Checks the exercise, or whichever comes next, now and on every save, until it is ended.
pub fn watch(course: &Course, student: &mut Student, text: Option<&str>) -> Result<()> {
    let (sender, events) = channel();
    let mut watcher = notify::recommended_watcher(sender).context("cannot watch files")?;
    let folder = student.folder().to_path_buf();
    watcher
        .watch(&folder, RecursiveMode::Recursive)
        .with_context(|| format!("cannot watch {}", folder.display()))?;
    let mut wanted = text.map(str::to_owned);
    loop {
        let exercise = chosen(course, student, wanted.as_deref())?;
        let path = student.path(exercise);
        // Whatever is wrong with the file, or with reading it, the next save may mend.
        let right = check_one(exercise, student).unwrap_or_else(|error| {
            eprintln!("error: {error:#}");
            false
        });
        if right {
            wanted = None;
            if student.next(course).is_some() {
                print("  Go on to the next one: save its file.\n")?;
            }
        }
        print("\nWatching; Ctrl-C ends.\n")?;
        if !saved(&events, &path, right) {
            return Ok(());
        }
    }
}

/// Waits for a save: of this file, or, after a pass, of any.
fn saved(events: &Receiver<notify::Result<Event>>, path: &Path, any: bool) -> bool {
    loop {
        let Ok(event) = events.recv() else {
            return false;
        };
        let Some(event) = event.ok().filter(|event| !event.kind.is_access()) else {
            continue;
        };
        let name = path.file_name();
        let matters = |changed: &Path| match any {
            true => changed
                .extension()
                .is_some_and(|is| is == "cu" || is == "toml"),
            false => changed.file_name() == name,
        };
        if event.paths.iter().any(|changed| matters(changed)) {
            while events.recv_timeout(SETTLED).is_ok() {}
            return true;
        }
    }
}
