//! A student's files, and what has been passed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{ErrorKind, Read as _, Write as _},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use report::terminal::{width, wrap_after};
use serde::{Deserialize, Serialize};

use crate::{
    check::{self, Failure, Job, Outcome, Supervisor, Target, compile},
    course::{Course, Exercise},
    diagnosis::Diagnosis,
};

/// A folder with a file for each exercise, and a record of what was passed.
pub struct Student {
    folder: PathBuf,
    state: State,
}

#[derive(Default, Serialize, Deserialize)]
struct State {
    /// Exercises that were passed, by name.
    passed: Vec<String>,
    /// Hints that were given.
    hints: BTreeMap<String, usize>,
    /// Exercises whose task a check has shown.
    #[serde(default)]
    shown: BTreeSet<String>,
}

/// A file to check.
pub struct Submission {
    /// What messages call it.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// What was in it at first, without the task.
    pub skeleton: String,
}

impl Student {
    /// Makes the files that are not there yet, and reads the record.
    ///
    /// # Errors
    /// If a file cannot be written, or the record cannot be read: it is never begun anew unasked.
    pub fn open(folder: &Path, course: &Course) -> Result<Self> {
        for exercise in &course.exercises {
            let path = folder.join(exercise.file());
            if path.symlink_metadata().is_err() {
                create(&path, &exercise.file_at_first()?)?;
            }
        }
        let state = read_state(&folder.join(STATE))?;
        Ok(Self { folder: folder.to_path_buf(), state })
    }

    /// The folder of the files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// An exercise's file.
    pub fn path(&self, exercise: &Exercise) -> PathBuf {
        self.folder.join(exercise.file())
    }

    /// What messages call an exercise's file.
    pub fn name(&self, exercise: &Exercise) -> String {
        xtask::kernel::relative(&crate::workspace(), &self.path(exercise))
    }

    /// Whether an exercise was passed.
    pub fn has_passed(&self, exercise: &Exercise) -> bool {
        self.state.passed.contains(&exercise.name)
    }

    /// The first exercise that was not passed.
    pub fn next<'c>(&self, course: &'c Course) -> Option<&'c Exercise> {
        let mut all = course.exercises.iter();
        all.find(|exercise| !self.has_passed(exercise))
    }

    /// The first exercise behind this one that was not passed; if all are, the first of the course.
    pub fn next_after<'c>(&self, course: &'c Course, passed: &Exercise) -> Option<&'c Exercise> {
        let behind = course.exercises.iter().skip_while(|exercise| exercise.name != passed.name);
        behind.into_iter().find(|exercise| !self.has_passed(exercise)).or_else(|| self.next(course))
    }

    /// Notes a pass.
    pub fn passed(&mut self, exercise: &Exercise) -> Result<()> {
        if !self.has_passed(exercise) {
            self.state.passed.push(exercise.name.clone());
        }
        self.keep()
    }

    /// Whether a check shows the task: the first one does.
    pub fn shows_task(&mut self, exercise: &Exercise) -> Result<bool> {
        let is_first = self.state.shown.insert(exercise.name.clone());
        if is_first {
            self.keep()?;
        }
        Ok(is_first)
    }

    /// The next hint.
    pub fn hint(&mut self, exercise: &Exercise) -> Result<String> {
        let hints = &exercise.declaration.hints;
        let given = self.state.hints.entry(exercise.name.clone()).or_default();
        let at = (*given).min(hints.len() - 1);
        *given = (at + 1).min(hints.len());
        self.keep()?;
        let more = match hints.len() - at - 1 {
            0 => "that was the last one".to_owned(),
            1 => "ask again for another one".to_owned(),
            left => format!("ask again for another one; there are {left}"),
        };
        let label = format!("hint {} of {}: ", at + 1, hints.len());
        Ok(format!("{}({more})\n", wrap_after(&label, &hints[at], width())))
    }

    /// Moves what is there aside, under a name that no earlier reset has used, and makes the file anew.
    pub fn reset(&self, exercise: &Exercise) -> Result<String> {
        let path = self.path(exercise);
        let first = exercise.file_at_first()?;
        if read_plain(&path).is_ok_and(|bytes| bytes == first.as_bytes()) {
            return Ok(format!("{} is as it was at first; nothing is changed\n", path.display()));
        }
        let numbered = |number| path.with_extension(format!("before-reset-{number}"));
        let kept = (1..).map(numbered).find(|kept| kept.symlink_metadata().is_err());
        let kept = kept.context("every number is taken")?;
        match fs::rename(&path, &kept) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {
                create(&path, &first)?;
                return Ok(format!("{} was gone, and is there again\n", path.display()));
            }
            Err(error) => bail!("cannot move {} aside: {error}", path.display()),
        }
        create(&path, &first)?;
        Ok(format!("{} is as it was at first; yours is now {}\n", path.display(), kept.display()))
    }

    /// The discussion of what was passed.
    pub fn discussion(&self, exercise: &Exercise) -> Result<String> {
        if !self.has_passed(exercise) {
            let number = exercise.number();
            bail!(
                "you have not passed {number} yet\n  remedy: `cargo exercise check {number}` checks \
                 it, and `cargo exercise hint {number}` helps"
            );
        }
        let Some(text) = exercise.discussion()? else {
            bail!("this copy of the course comes without discussions");
        };
        if !exercise.has_kernel() {
            return Ok(text);
        }
        Ok(match exercise.cut()?.solution {
            Some(solution) => format!("{text}\n```cuda\n{solution}```\n"),
            None => text,
        })
    }

    /// An exercise's file, to be checked.
    pub fn submission(&self, exercise: &Exercise) -> Result<Submission> {
        let path = self.path(exercise);
        let bytes = read_plain(&path).map_err(|reason| {
            let (path, number) = (path.display(), exercise.number());
            anyhow::anyhow!(
                "cannot read {path}: {reason}\n  remedy: `cargo exercise reset {number}` moves it \
                 aside, and makes the file as it was at first"
            )
        })?;
        Ok(Submission { name: self.name(exercise), bytes, skeleton: exercise.skeleton()? })
    }

    fn keep(&self) -> Result<()> {
        let text = serde_json::to_string_pretty(&self.state)?;
        let path = self.folder.join(STATE);
        compile::replace(&path, &text).with_context(|| format!("cannot write {}", path.display()))
    }
}

impl Submission {
    /// Checks it, as students do.
    pub fn check(&self, exercise: &Exercise, target: Target, seed: u64) -> Result<Outcome> {
        match self.job(exercise, target) {
            Ok(job) => Supervisor::new()?.check(Job { seeds: vec![seed], ..job }),
            Err(failure) => Ok(Outcome::failed(failure)),
        }
    }

    /// What the process that checks is told; or why it need not be asked.
    pub fn job(&self, exercise: &Exercise, target: Target) -> Result<Job, Failure> {
        let text = check::text(&self.bytes)?;
        if is_untouched(&text, &self.skeleton) {
            let (seen, hint) = exercise.declaration.form.to_begin();
            let hint =
                format!("{hint}; `cargo exercise task {}` says what to do", exercise.number());
            return Err(Failure::new(Diagnosis::NotBegun, seen).hint(hint));
        }
        Ok(Job::new(exercise, text, &self.name, target))
    }
}

/// The record of what was passed, among the files.
const STATE: &str = ".passed.json";

/// Whether a text is what was there at first: comments alone, and the skeleton behind them.
fn is_untouched(text: &str, skeleton: &str) -> bool {
    let is_comment =
        |line: &str| line.is_empty() || line.starts_with("//") || line.starts_with("# ");
    let head = text.strip_suffix(skeleton).filter(|_| !skeleton.is_empty());
    head.is_some_and(|head| head.lines().map(str::trim).all(|line| is_comment(line) || line == "#"))
}

/// What was passed; nothing if there is no record yet.
fn read_state(path: &Path) -> Result<State> {
    if path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(State::default());
    }
    let parse = |bytes: Vec<u8>| serde_json::from_slice(&bytes).map_err(|error| error.to_string());
    read_plain(path).and_then(parse).map_err(|reason| {
        let path = path.display();
        anyhow::anyhow!(
            "cannot read the record of what you have passed, {path}: {reason}\n  remedy: mend it, \
             or move it away; then nothing counts as passed until it is checked again. Your kernels \
             stay as they are"
        )
    })
}

/// The bytes of a plain file of a size that a student's file can have; otherwise why it cannot be read.
/// A link may lead anywhere, and a pipe may have no end.
pub(super) fn read_plain(path: &Path) -> Result<Vec<u8>, String> {
    let metadata = path.symlink_metadata().map_err(|error| match error.kind() {
        ErrorKind::NotFound => "it is gone".to_owned(),
        _ => error.to_string(),
    })?;
    let kind = metadata.file_type();
    if kind.is_symlink() {
        return Err("it is a link, not a file".into());
    }
    if kind.is_dir() {
        return Err("it is a folder, not a file".into());
    }
    if !kind.is_file() {
        return Err("it is a pipe or a device, not a file".into());
    }
    if metadata.len() > LARGEST {
        return Err(format!("it has {} bytes; {LARGEST} are allowed", metadata.len()));
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// Bytes of the largest file that is read: more than a submission may have, so that the check can say
/// by how much it is too long.
const LARGEST: u64 = 1 << 20;

/// Makes a file, and its folder, if there is none yet.
fn create(path: &Path, text: &str) -> Result<()> {
    let make = || -> std::io::Result<()> {
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        fs::File::create_new(path)?.write_all(text.as_bytes())
    };
    make().with_context(|| format!("cannot write {}", path.display()))
}
