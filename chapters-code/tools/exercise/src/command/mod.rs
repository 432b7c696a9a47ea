//! What `cargo exercise` does.

mod class;
mod export;
mod grade;
mod list;
mod setup;
mod student;
mod tell;
mod verify;
mod watch;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use report::terminal::print;

pub use self::setup::look as find_compiler;
use self::student::{Student, Submission};
use crate::{
    check::{self, Failure, Target},
    course::{Course, Exercise, FOLDER},
};

/// Exercises on GPU kernels, checked on a simulated GPU, and on a real one if there is one.
#[derive(Parser)]
#[command(bin_name = "cargo exercise", after_help = EXAMPLES)]
struct Cli {
    /// The folder of the course [default: that of the book]
    #[arg(long, value_name = "FOLDER", global = true)]
    course: Option<PathBuf>,
    /// The folder of your files [default: exercises]
    #[arg(long, value_name = "FOLDER", global = true)]
    files: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

const EXAMPLES: &str = "To begin with:
  cargo exercise setup       fetch the compiler, once
  cargo exercise             what there is, and what comes next
  cargo exercise watch       check on every save

Exercises are named by number or name: `cargo exercise check 1.2`, `cargo exercise hint block_sum`.";

#[derive(Subcommand)]
enum Command {
    /// Lists the exercises, with what you have passed
    List,
    /// Checks an exercise, or the next one, and says what is wrong with it
    Check {
        /// A number, such as 1.2, or a name
        exercise: Option<String>,
        /// Repeat the check that printed this seed [default: another one each time]
        #[arg(long, value_name = "N")]
        seed: Option<u64>,
    },
    /// Checks an exercise, or the next one, whenever you save it
    Watch {
        /// A number, such as 1.2, or a name
        exercise: Option<String>,
    },
    /// Says what to do in an exercise, or in the next one, and which counts are bounded
    Task {
        /// A number, such as 1.2, or a name
        exercise: Option<String>,
    },
    /// Gives a hint; ask again for the next one
    Hint {
        /// A number, such as 1.2, or a name
        exercise: Option<String>,
    },
    /// Puts your file back to what it was at first; yours is kept beside it, under a number
    Reset {
        /// A number, such as 1.2, or a name
        exercise: String,
    },
    /// Discusses the solution of an exercise that you have passed
    #[command(alias = "solution")]
    Discussion {
        /// A number, such as 1.2, or a name
        exercise: String,
    },
    /// Fetches the compiler, NVIDIA's NVRTC, into this folder; needs no root and no GPU
    Setup {
        /// Another index of Python packages than PyPI's
        #[arg(long, value_name = "URL")]
        index: Option<String>,
    },
    /// For teachers: grades a folder of submissions
    Grade(grade::Grading),
    /// For teachers: writes a copy of this workspace without solutions
    Export(export::Export),
    /// For authors: checks that solutions and variants pass, and that mutants get their diagnosis
    Verify {
        /// A number, such as 1.2, or a name; all where none is given
        exercise: Option<String>,
        /// Show the whole message for each
        #[arg(long)]
        messages: bool,
        /// From what sizes and inputs are drawn; a student's check draws another one each time
        #[arg(long, default_value_t = check::SEEDS[0])]
        seed: u64,
    },
    /// Checks one submission; the other commands start this
    #[command(name = check::WORKER, hide = true)]
    Worker,
}

/// Does what the command line says; false if a check failed.
///
/// # Errors
/// What is not the fault of a submission.
pub fn run() -> Result<bool> {
    match Cli::parse().run() {
        // Who reads the first lines alone, as in `cargo exercise list | head -5`, has what was wanted.
        Err(error) if error.downcast_ref().is_some_and(harness::Error::is_closed_pipe) => Ok(true),
        ended => ended,
    }
}

impl Cli {
    fn run(self) -> Result<bool> {
        let cli = self;
        match &cli.command {
            Some(Command::Worker) => return check::work().map(|()| true),
            Some(Command::Export(wanted)) => return export::export(wanted).map(|()| true),
            Some(Command::Setup { index }) => return setup::setup(index.as_deref()).map(|()| true),
            _ => {}
        }
        let root = crate::workspace();
        let course = Course::read(&cli.course.unwrap_or_else(|| root.join(FOLDER)))?;
        if let Some(Command::Grade(grading)) = &cli.command {
            return grade::grade(&course, grading);
        }
        if let Some(Command::Verify { exercise, messages, seed }) = &cli.command {
            return verify::verify(&course, exercise.as_deref(), *seed, *messages);
        }
        if let Some(files) = &cli.files {
            ensure!(
                files.is_dir(),
                "there is no folder {}\n  remedy: name one that is there, or make it first",
                files.display()
            );
        }
        let folder = cli.files.unwrap_or_else(|| root.join("exercises"));
        let mut student = Student::open(&folder, &course)?;
        match cli.command.unwrap_or(Command::List) {
            Command::List => print(&list::list(&course, &student)?)?,
            Command::Check { exercise, seed } => {
                let exercise = chosen(&course, &student, exercise.as_deref())?;
                return check_one(&course, exercise, &mut student, seed);
            }
            Command::Watch { exercise } => {
                watch::watch(&course, &mut student, exercise.as_deref())?
            }
            Command::Task { exercise } => {
                let exercise = chosen(&course, &student, exercise.as_deref())?;
                let heading = tell::heading(exercise, &student.name(exercise));
                print(&format!("{heading}\n{}", tell::task(exercise)))?;
            }
            Command::Hint { exercise } => {
                let exercise = chosen(&course, &student, exercise.as_deref())?;
                print(&student.hint(exercise)?)?;
            }
            Command::Reset { exercise } => {
                let exercise = course.find(&exercise)?;
                print(&student.reset(exercise)?)?;
            }
            Command::Discussion { exercise } => {
                let exercise = course.find(&exercise)?;
                print(&student.discussion(exercise)?)?;
            }
            _ => {}
        }
        Ok(true)
    }
}

/// The exercise that was named, or the first that is not passed.
fn chosen<'c>(course: &'c Course, student: &Student, text: Option<&str>) -> Result<&'c Exercise> {
    match text {
        Some(text) => course.find(text),
        None => student.next(course).context("all exercises are passed"),
    }
}

/// Checks a student's file, says what came of it, and notes a pass.
fn check_one(
    course: &Course,
    exercise: &Exercise,
    student: &mut Student,
    seed: Option<u64>,
) -> Result<bool> {
    find_compiler()?;
    print(&tell::heading(exercise, &student.name(exercise)))?;
    if student.shows_task(exercise)? {
        print(&format!("\n{}", tell::task(exercise)))?;
    }
    let submission = student.submission(exercise)?;
    let seed = seed.unwrap_or_else(check::fresh_seed);
    let Checked { failure, mut text } = check_on(&targets(), exercise, &submission, seed)?;
    let right = failure.is_none();
    if right {
        // Before it is printed: who reads the first line alone has passed as well.
        student.passed(exercise)?;
        text += &tell::passed(exercise, student.next_after(course, exercise));
    }
    print(&text)?;
    Ok(right)
}

/// What came of a check.
#[derive(Clone, Debug)]
pub struct Checked {
    /// What is wrong, if anything is.
    pub failure: Option<Failure>,
    /// The verdict as it is printed.
    pub text: String,
}

/// Checks a text as `cargo exercise check` checks a file, with a new seed. No file of the student is read or written.
///
/// # Errors
/// What is not the fault of the text, such as a missing compiler.
pub fn check_text(exercise: &Exercise, text: &str, targets: &[Target]) -> Result<Checked> {
    find_compiler()?;
    let submission = Submission {
        name: format!("exercises/{}", exercise.file_name()),
        bytes: text.as_bytes().to_vec(),
        skeleton: exercise.skeleton()?,
    };
    check_on(targets, exercise, &submission, check::fresh_seed())
}

/// Checks a submission on one target after the other, until it fails.
fn check_on(
    targets: &[Target],
    exercise: &Exercise,
    submission: &Submission,
    seed: u64,
) -> Result<Checked> {
    let mut checked = Checked { failure: None, text: String::new() };
    for &target in targets {
        let outcome = submission.check(exercise, target, seed)?;
        checked.text += &tell::outcome(exercise, submission, target, &outcome);
        if exercise.has_kernel() && outcome.check_seconds > 0.0 {
            checked.text += &tell::seed(seed);
        }
        checked.failure = outcome.failure().cloned();
        if checked.failure.is_some() {
            break;
        }
    }
    Ok(checked)
}

/// The simulator; and a GPU, if there is one.
fn targets() -> Vec<Target> {
    match harness::driver::probe_nvidia() {
        Ok(_) => vec![Target::Simulator, Target::Gpu],
        Err(_) => vec![Target::Simulator],
    }
}
