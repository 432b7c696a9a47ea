//! Which sources of the book were saved.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use notify::{Event, RecursiveMode, Watcher};

/// What the book is made of, within the project.
const SOURCES: [&str; 3] = ["book", "book.toml", "chapters-code"];

/// How long to wait for more: an editor may save in several steps, and several files.
const SETTLED: Duration = Duration::from_millis(60);

type Events = Receiver<notify::Result<Event>>;

/// The files that are saved from now on, relative to `root`, those saved at about the same time
/// together; never none.
///
/// # Errors
/// If the system cannot watch them.
pub(super) fn changes(root: &Path) -> Result<impl Iterator<Item = Vec<PathBuf>>> {
    let root = root.canonicalize()?;
    let (sender, events) = channel();
    let mut watcher = notify::recommended_watcher(sender).context("cannot watch the sources")?;
    for source in SOURCES {
        watcher
            .watch(&root.join(source), RecursiveMode::Recursive)
            .with_context(|| format!("cannot watch {source}"))?;
    }
    Ok(std::iter::from_fn(move || {
        let _watching = &watcher;
        next(&root, &events)
    }))
}

/// The next files that matter. What was saved while the last build ran is among them: one build does
/// for all.
fn next(root: &Path, events: &Events) -> Option<Vec<PathBuf>> {
    let mut paths = Vec::new();
    while paths.is_empty() {
        paths.extend(saved(root, events.recv().ok()?));
        while let Ok(event) = events.recv_timeout(SETTLED) {
            paths.extend(saved(root, event));
        }
    }
    paths.sort();
    paths.dedup();
    Some(paths)
}

/// The files of the book that an event says were saved.
fn saved(root: &Path, event: notify::Result<Event>) -> Vec<PathBuf> {
    // A build reads the sources, which is an event too.
    let Some(event) = event.ok().filter(|event| !event.kind.is_access()) else {
        return Vec::new();
    };
    let paths = event.paths.iter().filter_map(|path| path.strip_prefix(root).ok());
    paths.filter(|path| matters(path)).map(Path::to_path_buf).collect()
}

/// Whether a file is the book's, and neither hidden, nor an editor's, nor built.
fn matters(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let of_editor = name.ends_with(['~', '#']) || name.ends_with(".tmp") || name == "4913";
    let aside = |part: &str| part.starts_with('.') || part == "target";
    !of_editor && path.extension().is_some() && !path.iter().any(|p| p.to_str().is_none_or(aside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_matter_and_what_editors_leave_does_not() {
        for path in ["book/a.md", "book.toml", "chapters-code/c/kernels/k.cu"] {
            assert!(matters(Path::new(path)), "{path}");
        }
        for path in [
            "book/.a.md.swp",
            "book/a.md~",
            "book/4913",
            "chapters-code/simulator/fuzz/target/a.rs",
        ] {
            assert!(!matters(Path::new(path)), "{path}");
        }
    }
}
