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

use super::{
    class::{self, Table},
    student::{Submission, read_plain},
    tell,
};
use crate::{
    check::{self, Failure, Job, Outcome, SEEDS, Supervisor, Target},
    course::{Course, Exercise},
    diagnosis::Diagnosis,
};

/// What `grade` is told.
#[derive(Args)]
pub struct Grading {
    /// A student's folder, laid out as exercises/ is or with all files side by side; or a folder of
    /// such folders, one per student
    folder: PathBuf,
    /// Write Gradescope's results format to this file, `-` for standard output; for a folder of
    /// students, to NAME.json in this folder
    #[arg(long, value_name = "PATH")]
    json: Option<PathBuf>,
    /// For a folder of students: write a table of students and exercises to this file, as .csv, .json or text
    #[arg(long, value_name = "PATH")]
    table: Option<PathBuf>,
    /// The file with the secret that the private inputs are made of, another one for each exercise [default:
    /// one that is made once, in target/exercises]
    #[arg(long, value_name = "PATH", conflicts_with = "seeds")]
    secret: Option<PathBuf>,
    /// Seeds of the private inputs, in place of those that the secret gives
    #[arg(long, value_name = "N", value_delimiter = ',')]
    seeds: Vec<u64>,
    /// Private sizes, beside those of the exercises, such as 777,5000 or, for matrices, 33x65
    #[arg(long, value_name = "SIZE", value_delimiter = ',')]
    sizes: Vec<Shape>,
    /// Only these exercises, by number or name
    #[arg(long, value_name = "EXERCISE", value_delimiter = ',')]
    only: Vec<String>,
    /// Seconds of processor time that a check may take, compilation included; on a GPU and on Windows, seconds by the clock
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    time_limit: u64,
    /// MiB of memory that a check may take
    #[arg(long, value_name = "MIB", default_value_t = 6144)]
    memory_limit: usize,
}

impl Grading {
    /// Whether a file is one that this grading, or the one before it, has written.
    fn is_written(&self, path: &Path) -> bool {
        let written = [&self.json, &self.table].into_iter().flatten();
        let real = |path: &Path| path.canonicalize().ok();
        written.filter_map(|own| real(own)).any(|own| real(path) == Some(own))
    }
}

/// Elements of a private size at most, so that a right kernel ends in time.
const LARGEST: u64 = 1 << 22;

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

/// Grades the exercises of the course, or those that are wanted, for one student or for many.
///
/// # Errors
/// If the grading itself fails: a folder, an option, a compiler, a process. Then no results are
/// written, because a student would have lost points by it. False if something in the folder was not graded,
/// which is named then.
pub fn grade(course: &Course, grading: &Grading) -> Result<bool> {
    super::setup::look()?;
    let folder = &grading.folder;
    let is_folder = fs::metadata(folder).is_ok_and(|metadata| metadata.is_dir());
    anyhow::ensure!(is_folder, "{} is no folder", folder.display());
    for size in &grading.sizes {
        anyhow::ensure!(
            size.elements() <= LARGEST,
            "--sizes {size}: a private size has at most {LARGEST} elements, so that right kernels end in time"
        );
    }
    let wanted: Vec<&Exercise> = match grading.only.is_empty() {
        true => course.exercises.iter().collect(),
        false => {
            let find = |text: &String| course.find(text);
            grading.only.iter().map(find).collect::<Result<_>>()?
        }
    };
    let grader = Grader {
        grading,
        wanted,
        secret: secret(grading)?,
        supervisor: Supervisor {
            time: Duration::from_secs(grading.time_limit),
            memory: grading.memory_limit << 20,
            ..Supervisor::new()?
        },
    };
    let students = class::students(folder, course)?;
    let mut left = Vec::new();
    match students.is_empty() {
        true => {
            grader.grade(folder, grading.json.as_deref())?;
            left.extend(class::unused(folder, course)?);
        }
        false => {
            grader.grade_all(&students)?;
            left.extend(class::strangers(folder)?);
            for student in &students {
                left.extend(class::unused(student, course)?);
            }
        }
    }
    left.retain(|path| !grading.is_written(path));
    for path in &left {
        let shown = check::printable(&path.display().to_string());
        eprintln!("not graded: {shown}: it is no submission to an exercise");
    }
    Ok(left.is_empty())
}

/// Where the secret is kept that no option names, below the workspace.
const SECRET: &str = "target/exercises/secret";

/// What the private seeds are made of. Without `--secret` it is made once and kept, so that grading again gives the
/// same grades.
fn secret(grading: &Grading) -> Result<String> {
    let read = |path: &Path| {
        fs::read_to_string(path)
            .with_context(|| format!("cannot read the secret {}", path.display()))
    };
    if let Some(path) = &grading.secret {
        let secret = read(path)?.trim().to_owned();
        anyhow::ensure!(!secret.is_empty(), "the secret {} is empty", path.display());
        return Ok(secret);
    }
    let path = crate::workspace().join(SECRET);
    if path.is_file() || !grading.seeds.is_empty() {
        return Ok(read(&path).unwrap_or_default());
    }
    let secret: String = (0..4).map(|_| format!("{:06}", check::fresh_seed())).collect();
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(&path, &secret))
        .with_context(|| format!("cannot write the secret {}", path.display()))?;
    Ok(secret)
}

struct Grader<'g> {
    grading: &'g Grading,
    wanted: Vec<&'g Exercise>,
    secret: String,
    supervisor: Supervisor,
}

impl Grader<'_> {
    /// Grades many students, and goes on where the grading of one fails.
    fn grade_all(&self, students: &[PathBuf]) -> Result<()> {
        if let Some(folder) = &self.grading.json {
            anyhow::ensure!(
                folder != Path::new("-"),
                "the results of {} students do not fit into one file: name a folder after --json",
                students.len()
            );
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let mut faults = Vec::new();
        let exercises = self.wanted.iter().map(|exercise| exercise.number()).collect();
        let mut table = Table { exercises, ..Table::default() };
        for student in students {
            let name = student.file_name().unwrap_or_default().to_string_lossy().into_owned();
            print(&format!("\n{name}\n"))?;
            let json = self.grading.json.as_ref().map(|folder| folder.join(format!("{name}.json")));
            match self.grade(student, json.as_deref()) {
                Ok(points) => table.students.push((name, points)),
                Err(error) => faults.push(format!("{name}: {error:#}")),
            }
        }
        print(&format!("\n{}", table.text()))?;
        if let Some(path) = &self.grading.table {
            table.write(path)?;
        }
        anyhow::ensure!(faults.is_empty(), "not all was graded:\n{}", faults.join("\n"));
        Ok(())
    }

    /// Grades one student. Returns the points, exercise by exercise.
    fn grade(&self, folder: &Path, json: Option<&Path>) -> Result<Vec<f64>> {
        let begin = Instant::now();
        let mut tests = Vec::new();
        let mut faults = Vec::new();
        for exercise in &self.wanted {
            match self.one(folder, exercise) {
                Ok(graded) => {
                    if json.is_none() {
                        print(&for_people(&graded))?;
                    }
                    tests.push(graded);
                }
                // Whatever is the matter with one check, the others are graded.
                Err(error) => faults.push(format!("{}: {error:#}", exercise.number())),
            }
        }
        anyhow::ensure!(
            faults.is_empty(),
            "the grading itself failed, so no results are written:\n{}",
            faults.join("\n")
        );
        let points: Vec<f64> = tests.iter().map(|test| test.score).collect();
        let score: f64 = points.iter().sum();
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
        match json {
            None => print(&format!("\n{}\n", results.output))?,
            Some(path) if path == Path::new("-") => print(&text)?,
            Some(path) => {
                fs::write(path, text)
                    .with_context(|| format!("cannot write {}", path.display()))?;
            }
        }
        Ok(points)
    }

    fn one(&self, folder: &Path, exercise: &Exercise) -> Result<Graded> {
        let Some(path) = class::find(folder, exercise) else {
            return Ok(graded(exercise, 0.0, "there is no such file".into(), None));
        };
        let submission = match read(folder, &path) {
            Ok(bytes) => {
                Submission { name: exercise.file_name(), bytes, skeleton: exercise.skeleton()? }
            }
            Err(reason) => return Ok(graded(exercise, 0.0, reason, None)),
        };
        let job = match submission.job(exercise, Target::Simulator) {
            Ok(job) => job,
            Err(failure) => {
                let outcome = Outcome::failed(failure);
                return Ok(judged(exercise, &submission, &outcome));
            }
        };
        // First on public inputs: all that is said of those may be shown.
        let public = self.supervisor.check(Job { seeds: SEEDS.to_vec(), ..job.clone() })?;
        let limits = [Diagnosis::TimeLimit, Diagnosis::MemoryLimit];
        if public.failure().is_some_and(|failure| limits.contains(&failure.diagnosis)) {
            self.check_the_solution(exercise)?;
        }
        if public.failure().is_some() || !exercise.has_kernel() {
            return Ok(judged(exercise, &submission, &public));
        }
        let outcome = self.supervisor.check(self.private(exercise, job))?;
        let Some(failure) = outcome.failure() else {
            return Ok(judged(exercise, &submission, &public));
        };
        self.check_the_solution(exercise)?;
        // What is said of private inputs is for the teacher: standard error is not shown to students.
        let judged = judged(exercise, &submission, &outcome);
        eprintln!("{}: {}", folder.display(), for_people(&judged));
        let said = format!(
            "right on the public inputs, and not on private ones; `cargo exercise check {}` draws other inputs each time",
            exercise.number()
        );
        Ok(graded(exercise, points(failure), said, Some(failure.diagnosis)))
    }

    fn private(&self, exercise: &Exercise, job: Job) -> Job {
        Job { seeds: self.seeds(exercise), sizes: self.sizes_for(exercise), ..job }
    }

    /// The private seeds of an exercise: the same for all students, and whenever it is graded.
    fn seeds(&self, exercise: &Exercise) -> Vec<u64> {
        if !self.grading.seeds.is_empty() {
            return self.grading.seeds.clone();
        }
        let hash = xtask::kernel::hash(&[&*self.secret, &*exercise.name]);
        let seed = |digits: &str| u64::from_str_radix(digits, 16).unwrap_or_default();
        vec![seed(&hash[..8]), seed(&hash[8..16])]
    }

    /// Checks that the course's own solution is right on the private inputs, within the limits.
    ///
    /// # Errors
    /// If it is not: then the limits or the inputs are at fault, and no student.
    fn check_the_solution(&self, exercise: &Exercise) -> Result<()> {
        let Some(solution) = exercise.cut()?.solution else {
            return Ok(());
        };
        let job = Job::new(exercise, solution, &exercise.file_name(), Target::Simulator);
        let outcome = self.supervisor.check(self.private(exercise, job))?;
        match outcome.failure() {
            None => Ok(()),
            Some(failure) => anyhow::bail!(
                "the solution of the course fails with these limits, seeds and sizes, too: {}: {}",
                failure.diagnosis.text(),
                failure.seen
            ),
        }
    }

    /// The sizes that an exercise can be run on: those of its kind, and none if its own are all
    /// that make sense.
    fn sizes_for(&self, exercise: &Exercise) -> Vec<String> {
        let declaration = &exercise.declaration;
        if !declaration.sizes.is_empty() {
            return Vec::new();
        }
        let fit = self.grading.sizes.iter().filter(|shape| declaration.operation.accepts(**shape));
        fit.map(Shape::to_string).collect()
    }
}

/// The grade of a check whose whole message may be shown.
fn judged(exercise: &Exercise, submission: &Submission, outcome: &Outcome) -> Graded {
    let told = tell::outcome(exercise, submission, Target::Simulator, outcome);
    let told = console::strip_ansi_codes(&told).into_owned();
    let score = outcome.failure().map_or(POINTS, points);
    let diagnosis = outcome.failure().map(|failure| failure.diagnosis);
    graded(exercise, score, told, diagnosis)
}

fn points(failure: &Failure) -> f64 {
    match failure.diagnosis {
        Diagnosis::Cost => COSTLY,
        _ => 0.0,
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

/// A submission's bytes. No link in its path may lead out of the student's folder.
fn read(folder: &Path, path: &Path) -> Result<Vec<u8>, String> {
    let real = |path: &Path| path.canonicalize().map_err(|error| error.to_string());
    let is_inside = path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink())
        || real(path)?.starts_with(real(folder)?);
    match is_inside {
        true => read_plain(path),
        false => Err("its folder is a link that leads out of the submission".into()),
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
