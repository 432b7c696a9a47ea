//! Whether the pages of an earlier server are those that a build would give now.
//!
//! A build reads sources, measurements, kernels and the text of many other files, and is made by this program. The stamp
//! that it leaves beside its pages says of what: the size and the time of the last change of the program, of the simulator
//! and of each file of the project, other than those in `MADE` and `OWN`, and the environment's `VARIABLES`. Where
//! one of them differs, the pages are built again. A file that no page needs may cause a build. A change is missed if it
//! leaves a file's size and time as they were.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

/// The stamp, beside the folders of pages.
const STAMP: &str = "target/served/built.json";
/// The page that every build makes.
const PAGE: &str = "index.html";
/// Folders of what is built or fetched, wherever they are.
const MADE: [&str; 3] = ["target", "node_modules", ".git"];
/// A reader's own files, which no page shows.
const OWN: &str = "exercises";
/// How the names of variables begin that change a build.
const VARIABLES: [&str; 2] = ["MDBOOK_", "SIMT_"];

/// What a build is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Inputs {
    /// By path, from the root of the project.
    files: BTreeMap<String, Mark>,
    /// Of the environment.
    variables: BTreeMap<String, String>,
}

/// What tells two versions of a file apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Mark {
    bytes: u64,
    /// The time of the last change, in nanoseconds since 1970.
    changed: u64,
}

/// What a build leaves.
#[derive(Debug, Serialize, Deserialize)]
struct Stamp {
    /// Where its pages are, from the root of the project.
    folder: PathBuf,
    inputs: Inputs,
}

/// Finds the pages of the last good build, if nothing has changed since it began.
///
/// # Errors
/// Why there is something to build, in words.
pub(super) fn find(root: &Path, inputs: &Inputs) -> Result<PathBuf, String> {
    let read = fs::read(root.join(STAMP)).ok();
    let stamp: Option<Stamp> = read.and_then(|json| serde_json::from_slice(&json).ok());
    let Some(Stamp { folder, inputs: before }) = stamp else {
        return Err("no pages of an earlier build are there".into());
    };
    let folder = root.join(folder);
    if !folder.join(PAGE).is_file() {
        return Err("the pages of the last build are gone".into());
    }
    match before.difference(inputs) {
        Some(difference) => Err(difference),
        None => Ok(folder),
    }
}

/// Notes that the pages in `folder` are made of `inputs`, as they were when the build began.
///
/// # Errors
/// If the stamp cannot be written.
pub(super) fn note(root: &Path, folder: &Path, inputs: Inputs) -> Result<()> {
    let folder = folder.strip_prefix(root).unwrap_or(folder).to_path_buf();
    let stamp = serde_json::to_vec(&Stamp { folder, inputs })?;
    fs::write(root.join(STAMP), stamp).with_context(|| format!("cannot write {STAMP}"))
}

/// Removes the stamp, before one of the folders of pages is built anew.
pub(super) fn forget(root: &Path) {
    // Where there is none, there is nothing to remove.
    let _ = fs::remove_file(root.join(STAMP));
}

impl Inputs {
    /// What a build in `root` would be made of now, by this program.
    ///
    /// # Errors
    /// If a folder cannot be read.
    pub(super) fn now(root: &Path) -> Result<Self> {
        let program = std::env::current_exe().ok();
        let simulator = harness::driver::find_simulator().ok();
        let programs = [("this program", program), ("the simulator", simulator)];
        let programs = programs.into_iter().filter_map(|(name, path)| Some((name, path?)));
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            let name = name.to_str()?.to_owned();
            let counts = VARIABLES.iter().any(|start| name.starts_with(start));
            counts.then(|| (name, value.to_string_lossy().into_owned()))
        });
        Self::of(root, programs, variables)
    }

    fn of(
        root: &Path,
        programs: impl IntoIterator<Item = (&'static str, PathBuf)>,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self> {
        let mut inputs = Self { files: BTreeMap::new(), variables: BTreeMap::from_iter(variables) };
        for (name, path) in programs {
            let mark = Mark::of(&fs::metadata(&path)?);
            inputs.files.insert(name.to_owned(), mark);
        }
        inputs.add(root, Path::new("")).context("cannot read the project's files")?;
        Ok(inputs)
    }

    /// Adds the files of a folder of the project.
    fn add(&mut self, root: &Path, folder: &Path) -> io::Result<()> {
        let is_root = folder == Path::new("");
        for entry in fs::read_dir(root.join(folder))? {
            let name = entry?.file_name();
            let path = folder.join(&name);
            // A project may have its code elsewhere, by a link in its root. Further links could lead around in circles.
            let found = match is_root {
                true => fs::metadata(root.join(&path)),
                false => fs::symlink_metadata(root.join(&path)),
            };
            // What an editor has just moved away counts when it is there again.
            let Ok(found) = found else { continue };
            if found.is_dir() {
                if !is_aside(&name, is_root) {
                    self.add(root, &path)?;
                }
            } else if !name.to_string_lossy().ends_with('~') {
                self.files.insert(path.to_string_lossy().into_owned(), Mark::of(&found));
            }
        }
        Ok(())
    }

    /// The first thing that is not as it was, in words.
    fn difference(&self, now: &Self) -> Option<String> {
        let gone = self.files.keys().find(|name| !now.files.contains_key(*name));
        let new = now.files.keys().find(|name| !self.files.contains_key(*name));
        let changed = self.files.iter().find(|(name, mark)| now.files.get(*name) != Some(*mark));
        let changed = changed.map(|(name, _)| name);
        let file = gone.map(|name| format!("{name} is gone"));
        let file = file.or_else(|| new.map(|name| format!("{name} is new")));
        let file = file.or_else(|| changed.map(|name| format!("{name} has changed")));
        file.or_else(|| (self.variables != now.variables).then(|| self.other_variable(now)))
    }

    fn other_variable(&self, now: &Self) -> String {
        let mut all = self.variables.keys().chain(now.variables.keys());
        let name = all.find(|name| self.variables.get(*name) != now.variables.get(*name));
        format!("the variable {} has changed", name.map_or("", String::as_str))
    }
}

impl Mark {
    fn of(file: &Metadata) -> Self {
        let changed = file.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let changed = changed.and_then(|time| u64::try_from(time.as_nanos()).ok());
        Self { bytes: file.len(), changed: changed.unwrap_or_default() }
    }
}

/// Whether a folder holds nothing that a build reads.
fn is_aside(name: &OsStr, is_in_root: bool) -> bool {
    MADE.iter().any(|made| name == *made) || is_in_root && name == OWN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, file: &str, text: &str) {
        let path = root.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn inputs(root: &Path, variables: &[(&str, &str)]) -> Inputs {
        let programs = [("this program", root.join("target/debug/book"))];
        let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        Inputs::of(root, programs, variables).expect("a project")
    }

    /// A project with pages that are current.
    fn built() -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path();
        for file in ["book/a.md", "chapters-code/c/kernels/k.cu", "target/debug/book", "Cargo.toml"]
        {
            write(root, file, "as it was");
        }
        let pages = root.join("target/served/1");
        write(&pages, PAGE, "a page");
        note(root, &pages, inputs(root, &[])).expect("a stamp");
        assert_eq!(find(root, &inputs(root, &[])), Ok(pages));
        folder
    }

    /// Why pages are built again after a change.
    fn reason(change: impl FnOnce(&Path)) -> String {
        let folder = built();
        change(folder.path());
        let root = folder.path();
        find(root, &inputs(root, &[])).expect_err("they are not current")
    }

    #[test]
    fn what_is_changed_new_or_gone_is_named() {
        let changed = |file: &'static str| reason(|root| write(root, file, "as it is now"));
        assert_eq!(changed("book/a.md"), "book/a.md has changed");
        assert_eq!(
            changed("chapters-code/c/kernels/k.cu"),
            "chapters-code/c/kernels/k.cu has changed"
        );
        assert_eq!(changed("Cargo.toml"), "Cargo.toml has changed");
        assert_eq!(changed("book/measurements/new.json"), "book/measurements/new.json is new");
        assert_eq!(changed("target/debug/book"), "this program has changed");
        let gone = reason(|root| fs::remove_file(root.join("book/a.md")).expect("it was there"));
        assert_eq!(gone, "book/a.md is gone");
    }

    #[test]
    fn a_change_that_keeps_the_size_is_seen() {
        let touched = reason(|root| {
            let file = fs::File::options().append(true).open(root.join("book/a.md"));
            let later = std::time::SystemTime::now() + std::time::Duration::from_secs(1);
            file.and_then(|file| file.set_modified(later)).expect("a time");
        });
        assert_eq!(touched, "book/a.md has changed");
    }

    #[test]
    fn variables_and_missing_pages_are_named() {
        let folder = built();
        let root = folder.path();
        let with = inputs(root, &[("MDBOOK_BOOK__TITLE", "another")]);
        let other = "the variable MDBOOK_BOOK__TITLE has changed";
        assert_eq!(find(root, &with).expect_err("another title"), other);
        let without = reason(|root| {
            fs::remove_file(root.join("target/served/1").join(PAGE)).expect("a page");
        });
        assert_eq!(without, "the pages of the last build are gone");
        assert_eq!(reason(forget), "no pages of an earlier build are there");
        assert_eq!(
            reason(|root| write(root, STAMP, "no JSON")),
            "no pages of an earlier build are there"
        );
    }

    #[test]
    fn what_no_page_is_made_of_changes_nothing() {
        let folder = built();
        let root = folder.path();
        for file in [
            "target/other",
            "chapters-code/c/target/a.d",
            "chapters-code/tools/book/editor/node_modules/a.js",
            "exercises/chapter_1/1_a.cu",
            "book/a.md~",
            ".git/index",
        ] {
            write(root, file, "new");
            assert!(find(root, &inputs(root, &[])).is_ok(), "{file}");
        }
        write(root, "chapters-code/exercises/a.cu", "of the project");
        assert!(find(root, &inputs(root, &[])).is_err());
    }
}
