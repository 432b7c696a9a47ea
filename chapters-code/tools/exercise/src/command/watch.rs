//! Checks on every save.

use std::{
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use anyhow::{Context, Result};
use notify::{Event, RecursiveMode, Watcher};
use report::terminal::{print, width, wrap_after};

use super::{check_one, chosen, student::Student};
use crate::course::{Course, Exercise};

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
        let right = check_one(course, exercise, student, None).unwrap_or_else(|error| {
            eprintln!("error: {error:#}");
            false
        });
        if let (true, Some(next)) = (right, student.next_after(course, exercise)) {
            let text = format!("To go on, edit and save {}.", student.name(next));
            print(&wrap_after("  ", &text, width()))?;
        }
        print("\nWatching; Ctrl-C ends.\n")?;
        let Some(changed) = saved(&events, &path, right) else {
            return Ok(());
        };
        let of_file = |exercise: &&Exercise| student.path(exercise).ends_with(&changed);
        wanted = course.exercises.iter().find(of_file).map(Exercise::number);
    }
}

/// Waits for a save: of this file, or, after a pass, of any. Says which, by its chapter's folder and
/// its name; nothing if files are no longer watched.
fn saved(events: &Receiver<notify::Result<Event>>, path: &Path, any: bool) -> Option<PathBuf> {
    let tail = |path: &Path| {
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        Path::new(folder).join(path.file_name().unwrap_or_default())
    };
    let wanted = tail(path);
    loop {
        let event = events.recv().ok()?;
        let Some(event) = event.ok().filter(|event| !event.kind.is_access()) else {
            continue;
        };
        let matters = |changed: &PathBuf| match any {
            true => changed.extension().is_some_and(|is| is == "cu" || is == "toml"),
            false => *changed == wanted,
        };
        let changed = event.paths.iter().map(|path| tail(path)).find(matters);
        if changed.is_some() {
            while events.recv_timeout(SETTLED).is_ok() {}
            return changed;
        }
    }
}
