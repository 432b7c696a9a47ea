//! Tests that were skipped because the compiler for kernels is not here.
//!
//! A test program cannot end with a line of its own: the test harness prints the last one. So each
//! program notes what it skips, and the last program of `cargo test` reports the notes.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

fn folder(root: &Path) -> PathBuf {
    root.join("target").join("skipped_tests")
}

/// Notes that a program skips these tests, instead of what it noted before.
///
/// # Errors
/// If the note cannot be written.
pub fn note(root: &Path, program: &str, reason: &str, tests: &[String]) -> Result<()> {
    let folder = folder(root);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join(program);
    let reason = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    fs::write(&path, format!("{reason}\n{}\n", tests.join("\n")))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// Forgets what a program noted in an earlier run.
///
/// # Errors
/// If there is a note that cannot be deleted.
pub fn forget(root: &Path, program: &str) -> Result<()> {
    let path = folder(root).join(program);
    match fs::remove_file(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot delete {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// The notes of all programs in one line, if there are any; they are then forgotten.
///
/// # Errors
/// If a note cannot be read or deleted.
pub fn report(root: &Path) -> Result<Option<String>> {
    let (mut count, mut reason) = (0, None);
    for entry in fs::read_dir(folder(root)).into_iter().flatten() {
        let path = entry?.path();
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        count += text.lines().skip(1).count();
        reason = reason.or_else(|| text.lines().next().map(str::to_owned));
        fs::remove_file(&path).with_context(|| format!("cannot delete {}", path.display()))?;
    }
    Ok(reason.map(|reason| {
        let tests = if count == 1 { "test was" } else { "tests were" };
        format!("{count} {tests} skipped, because NVIDIA's compiler is not here: {reason}")
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_added_up_and_reported_once() {
        let name = format!("warp-by-warp-skipped-{}", std::process::id());
        let root = std::env::temp_dir().join(name);
        assert_eq!(report(&root).unwrap(), None);
        let tests = ["one".to_owned(), "two".to_owned()];
        note(&root, "exercises", "no\n  network", &tests[..1]).unwrap();
        note(&root, "exercises", "no\n  network", &tests).unwrap();
        note(&root, "simt-driver", "no network", &tests[..1]).unwrap();
        note(&root, "other", "no network", &tests).unwrap();
        forget(&root, "other").unwrap();
        forget(&root, "other").unwrap();
        let line = report(&root).unwrap().expect("there are notes");
        assert!(line.starts_with("3 tests were skipped"), "{line}");
        assert!(line.ends_with(": no network"), "{line}");
        assert_eq!(report(&root).unwrap(), None);
        fs::remove_dir_all(root).unwrap();
    }
}
