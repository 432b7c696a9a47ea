//! A copy of the course for students: without solutions, with a teacher's own exercises.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use report::terminal::print;

use crate::course::{Course, Exercise, FOLDER};

/// What `export` is told.
#[derive(Args)]
pub struct Export {
    /// Where the copy goes: a folder that is empty or not there yet
    folder: PathBuf,
    /// A folder laid out as the course is, whose files replace the course's or are added to it
    #[arg(long, value_name = "FOLDER")]
    variants: Option<PathBuf>,
    /// Copy the discussions of solutions, too
    #[arg(long)]
    with_discussions: bool,
}

/// Tests that hang on solutions.
const TESTS: &str = "chapters-code/tools/exercise/tests";
/// What stands there instead, as the package's manifest names it.
const NO_TESTS: &str =
    "//! The tests hang on solutions, which this copy does not have.\n\nfn main() {}\n";

/// Copies the files that git knows, lays the teacher's over them, and takes the solutions out.
pub fn export(export: &Export) -> Result<()> {
    let root = crate::workspace();
    empty(&export.folder)?;
    for file in tracked(&root)? {
        if !file.starts_with(TESTS) {
            copy(&root.join(&file), &export.folder.join(&file))?;
        }
    }
    let tests = export.folder.join(TESTS);
    fs::create_dir_all(&tests)?;
    fs::write(tests.join("main.rs"), NO_TESTS)?;
    let course = export.folder.join(FOLDER);
    if let Some(variants) = &export.variants {
        overlay(variants, &course)?;
    }
    let exercises = Course::read(&course)?.exercises;
    for exercise in &exercises {
        strip(exercise, export.with_discussions)?;
    }
    print(&format!(
        "{} exercises without solutions are in {}\n",
        exercises.len(),
        export.folder.display()
    ))?;
    Ok(())
}

/// Makes sure that nothing is written over.
fn empty(folder: &Path) -> Result<()> {
    let doing = || format!("cannot use {}", folder.display());
    fs::create_dir_all(folder).with_context(doing)?;
    let mut entries = fs::read_dir(folder).with_context(doing)?;
    ensure!(entries.next().is_none(), "{} is not empty", folder.display());
    Ok(())
}

/// The files of this workspace that git knows, without those that were deleted.
fn tracked(root: &Path) -> Result<Vec<PathBuf>> {
    let mut git = Command::new("git");
    let listed = git.arg("-C").arg(root).args(["ls-files", "-z"]).output();
    let listed = listed.context("cannot run git, which knows the files of this workspace")?;
    if !listed.status.success() {
        bail!("git does not list the files of {}", root.display());
    }
    let names = String::from_utf8(listed.stdout).context("a file's name is not UTF-8")?;
    let names = names.split_terminator('\0').map(PathBuf::from);
    Ok(names.filter(|name| root.join(name).is_file()).collect())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::copy(from, to))
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

fn overlay(from: &Path, to: &Path) -> Result<()> {
    let doing = || format!("cannot list {}", from.display());
    for entry in fs::read_dir(from).with_context(doing)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        match path.is_dir() {
            true => overlay(&path, &target)?,
            false => copy(&path, &target)?,
        }
    }
    Ok(())
}

/// Leaves the skeleton, and what the checker needs.
fn strip(exercise: &Exercise, with_discussions: bool) -> Result<()> {
    let folder = &exercise.folder;
    if exercise.has_kernel() {
        let skeleton = exercise.cut()?.skeleton;
        fs::write(folder.join("skeleton.cu"), skeleton)?;
    }
    for name in ["solution.cu", "mutants.toml", "discussion.md"] {
        let path = folder.join(name);
        if path.is_file() && !(with_discussions && name == "discussion.md") {
            fs::remove_file(path)?;
        }
    }
    let variants = folder.join("variants");
    if variants.is_dir() {
        fs::remove_dir_all(variants)?;
    }
    Ok(())
}
