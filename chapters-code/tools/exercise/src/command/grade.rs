//! Grades a folder of submissions, for people or for Gradescope.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use clap::Args;
use harness::Shape;
use report::terminal::print;
use serde::Serialize;

use super::{student::Submission, tell};
use crate::{
    check::{Failure, Outcome, Supervisor, Target, fresh_seed},
    course::{Course, Exercise},
    diagnosis::Diagnosis,
};

/// What `grade` is told.
#[derive(Args)]
pub struct Grading {
    /// The folder of the submissions: laid out as exercises/ is, or all files side by side
    folder: PathBuf,
    /// Write Gradescope's results format to this file; `-` is standard output
    #[arg(long, value_name = "PATH")]
    json: Option<PathBuf>,
    /// Seeds of the inputs, which nobody needs to know [default: another one for each submission]
    #[arg(long, value_name = "N", value_delimiter = ',')]
    seeds: Vec<u64>,
    /// Sizes beside those of the exercises, such as 777,5000 or, for matrices, 33x65
    #[arg(long, value_name = "SIZE", value_delimiter = ',')]
    sizes: Vec<Shape>,
    /// Only these exercises, by number or name
    #[arg(long, value_name = "EXERCISE", value_delimiter = ',')]
    only: Vec<String>,
    /// Seconds that a submission may take, compilation included
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    time_limit: u64,
    /// MiB of memory that a submission may take
    #[arg(long, value_name = "MIB", default_value_t = 6144)]
    memory_limit: usize,
}

/// Points of an exercise.
const POINTS: f64 = 10.0;
/// Of one that is right and costs too much.
const COSTLY: f64 = 5.0;

/// What Gradescope reads.
#[derive(Serialize)]
struct Results {
    score: f64,
    execution_time: f64,
    output: String,
    stdout_visibility: &'static str,
    tests: Vec<Graded>,
}

/// One exercise's result.
#[derive(Serialize)]
struct Graded {
    number: String,
    name: String,
    score: f64,
    max_score: f64,
    status: &'static str,
    output: String,
    visibility: &'static str,
    /// What is wrong, by name; Gradescope passes it over.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnosis: Option<Diagnosis>,
}

/// Grades every exercise of the course, or those that are wanted.
pub fn grade(course: &Course, grading: &Grading) -> Result<()> {
    super::setup::look()?;
    let begin = Instant::now();
    let metadata = fs::metadata(&grading.folder);
    let is_folder = metadata.is_ok_and(|metadata| metadata.is_dir());
    anyhow::ensure!(is_folder, "{} is no folder", grading.folder.display());
    let supervisor = Supervisor {
        time: Duration::from_secs(grading.time_limit),
        memory: grading.memory_limit << 20,
        ..Supervisor::new()?
    };
    let wanted: Vec<&Exercise> = match grading.only.is_empty() {
        true => course.exercises.iter().collect(),
        false => {
            let find = |text: &String| course.find(text);
            grading.only.iter().map(find).collect::<Result<_>>()?
        }
    };
    let mut tests = Vec::new();
    for exercise in wanted {
        let graded = grading.one(exercise, &supervisor)?;
        if grading.json.is_none() {
            print(&for_people(&graded))?;
        }
        tests.push(graded);
    }
    let score: f64 = tests.iter().map(|test| test.score).sum();
    let most: f64 = tests.iter().map(|test| test.max_score).sum();
    let output = format!("{score} of {most} points");
    let results = Results {
        score,
        execution_time: begin.elapsed().as_secs_f64(),
        output,
        stdout_visibility: "hidden",
        tests,
    };
    let text = serde_json::to_string_pretty(&results)? + "\n";
    match &grading.json {
        None => print(&format!("\n{}\n", results.output))?,
        Some(path) if path == Path::new("-") => print(&text)?,
        Some(path) => {
            fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}

impl Grading {
    fn one(&self, exercise: &Exercise, supervisor: &Supervisor) -> Result<Graded> {
        let Some(path) = find(&self.folder, exercise) else {
            return Ok(graded(exercise, 0.0, "there is no such file".into(), None));
        };
        let submission = match read(&path) {
            Ok(bytes) => {
                Submission { name: exercise.file_name(), bytes, skeleton: exercise.skeleton()? }
            }
            Err(reason) => return Ok(graded(exercise, 0.0, reason, None)),
        };
        let outcome = match submission.job(exercise, Target::Simulator) {
            Ok(mut job) => {
                job.seeds = match self.seeds[..] {
                    [] => vec![fresh_seed()],
                    _ => self.seeds.clone(),
                };
                job.sizes = self.sizes_for(exercise);
                match supervisor.check(job) {
                    Ok(outcome) => outcome,
                    // Whatever is the matter with one check, the others are graded.
                    Err(error) => {
                        let said = format!("the check itself failed: {error:#}");
                        return Ok(graded(exercise, 0.0, said, None));
                    }
                }
            }
            Err(failure) => Outcome::failed(failure),
        };
        let score = match outcome.failure() {
            None => POINTS,
            Some(Failure { diagnosis: Diagnosis::Cost, .. }) => COSTLY,
            Some(_) => 0.0,
        };
        let told = tell::outcome(exercise, &submission, Target::Simulator, &outcome);
        let told = console::strip_ansi_codes(&told).into_owned();
        let diagnosis = outcome.failure().map(|failure| failure.diagnosis);
        Ok(graded(exercise, score, told, diagnosis))
    }

    /// The sizes that an exercise can be run on: those of its kind, and none where its own are all
    /// that make sense.
    fn sizes_for(&self, exercise: &Exercise) -> Vec<String> {
        let declaration = &exercise.declaration;
        if !declaration.sizes.is_empty() {
            return Vec::new();
        }
        let fit = self
            .sizes
            .iter()
            .filter(|shape| declaration.operation.accepts(**shape))
            .filter(|shape| declaration.largest.is_none_or(|most| shape.elements() <= most));
        fit.map(Shape::to_string).collect()
    }
}

fn graded(exercise: &Exercise, score: f64, output: String, diagnosis: Option<Diagnosis>) -> Graded {
    Graded {
        number: exercise.number(),
        name: format!("{} {}", exercise.number(), exercise.declaration.title),
        score,
        max_score: POINTS,
        status: if score == POINTS { "passed" } else { "failed" },
        output,
        visibility: "visible",
        diagnosis,
    }
}

/// Where a submission is: in its chapter's folder, or beside all others.
fn find(folder: &Path, exercise: &Exercise) -> Option<PathBuf> {
    let file = exercise.file();
    let name = file.file_name()?;
    let flat = format!("{}_{}", exercise.chapter, name.to_string_lossy());
    let bare = format!("{}.{}", exercise.name, file.extension()?.to_string_lossy());
    let candidates = [folder.join(&file), folder.join(flat), folder.join(bare)];
    candidates.into_iter().find(|path| path.symlink_metadata().is_ok())
}

/// A submission's bytes. A link may lead to what is not the student's, and a pipe may have no end.
fn read(path: &Path) -> Result<Vec<u8>, String> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() => fs::read(path).map_err(|error| error.to_string()),
        Ok(_) => Err("it is no plain file".into()),
        Err(error) => Err(error.to_string()),
    }
}

fn for_people(graded: &Graded) -> String {
    let Graded { name, score, max_score, output, .. } = graded;
    match graded.status {
        "passed" => format!("{score:>4} / {max_score}  {name}\n"),
        _ => {
            let lines = output.lines().map(|line| format!("             {line}\n"));
            format!("{score:>4} / {max_score}  {name}\n{}", lines.collect::<String>())
        }
    }
}
