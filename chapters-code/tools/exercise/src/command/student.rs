//! A student's files, and what has been passed.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::{
    check::{self, Failure, Job, Outcome, Supervisor, Target},
    course::{Course, Exercise},
    diagnosis::Diagnosis,
};

/// A folder with a file for each exercise, and a note of what was passed.
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
}

/// A file to check.
pub struct Submission {
    /// What messages call it.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// What was in it at first.
    pub skeleton: String,
}

impl Student {
    /// Makes the files that are not there yet.
    pub fn open(folder: &Path, course: &Course) -> Result<Self> {
        for exercise in &course.exercises {
            let path = folder.join(exercise.file());
            if !path.exists() {
                write(&path, &exercise.skeleton()?)?;
            }
        }
        let state = fs::read_to_string(folder.join(STATE)).unwrap_or_default();
        Ok(Self {
            folder: folder.to_path_buf(),
            // A note that cannot be read is begun anew: it holds nothing that cannot be had again.
            state: serde_json::from_str(&state).unwrap_or_default(),
        })
    }

    /// The folder of the files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// An exercise's file.
    pub fn path(&self, exercise: &Exercise) -> PathBuf {
        self.folder.join(exercise.file())
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

    /// Notes a pass.
    pub fn passed(&mut self, exercise: &Exercise) -> Result<()> {
        if !self.has_passed(exercise) {
            self.state.passed.push(exercise.name.clone());
        }
        self.keep()
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
        let number = at + 1;
        Ok(format!("hint {number} of {}: {}\n({more})\n", hints.len(), hints[at].trim()))
    }

    /// Puts a file back, and keeps the old one.
    pub fn reset(&self, exercise: &Exercise) -> Result<String> {
        let path = self.path(exercise);
        let kept = path.with_extension("before-reset");
        fs::copy(&path, &kept).with_context(|| format!("cannot write {}", kept.display()))?;
        write(&path, &exercise.skeleton()?)?;
        Ok(format!("{} is as it was at first; yours is {}\n", path.display(), kept.display()))
    }

    /// The discussion of what was passed.
    pub fn discussion(&self, exercise: &Exercise) -> Result<String> {
        if !self.has_passed(exercise) {
            let name = &exercise.name;
            bail!("pass {name} first; `cargo exercise hint {name}` helps");
        }
        let mut text = match exercise.discussion()? {
            Some(discussion) => discussion,
            None => bail!("this copy of the course comes without discussions"),
        };
        if let (true, Some(solution)) = (exercise.has_kernel(), exercise.cut()?.solution) {
            text += &format!("\n```cuda\n{solution}```\n");
        }
        Ok(text)
    }

    /// An exercise's file, to be checked.
    pub fn submission(&self, exercise: &Exercise) -> Result<Submission> {
        let path = self.path(exercise);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Submission {
            name: xtask::kernel::relative(&crate::workspace(), &path),
            bytes,
            skeleton: exercise.skeleton()?,
        })
    }

    fn keep(&self) -> Result<()> {
        write(&self.folder.join(STATE), &serde_json::to_string_pretty(&self.state)?)
    }
}

impl Submission {
    /// Checks it, as students do.
    pub fn check(&self, exercise: &Exercise, target: Target) -> Result<Outcome> {
        match self.job(exercise, target) {
            Ok(job) => Supervisor::new()?.check(job),
            Err(failure) => Ok(Outcome::failed(failure)),
        }
    }

    /// What the process that checks is told; or why it need not be asked.
    pub fn job(&self, exercise: &Exercise, target: Target) -> Result<Job, Failure> {
        let text = check::text(&self.bytes)?;
        if text == self.skeleton {
            let seen = "the file is as it was at first";
            return Err(Failure::new(Diagnosis::NotBegun, seen));
        }
        Ok(Job::new(exercise, text, &self.name, target))
    }
}

/// The note of what was passed, among the files.
const STATE: &str = ".passed.json";

fn write(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .with_context(|| format!("cannot write {}", path.display()))
}
