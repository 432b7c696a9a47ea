//! What the tests of submissions have in common.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::Duration,
};

use exercise::{
    check::Supervisor,
    course::{Course, Exercise, FOLDER},
};

pub use nvrtc::testing::has_compiler;

/// The program.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_exercise");

/// The number of seeds of weak memory with which exhaustive tests run right kernels.
pub const MANY_WEAK_SEEDS: u64 = 200;

/// The course of the book.
pub fn course() -> Course {
    Course::read(&exercise::workspace().join(FOLDER)).expect("the course can be read")
}

/// The exercise that most of these tests are about.
pub fn block_sum() -> Exercise {
    let course = course();
    course.find("block_sum").expect("it is there").clone()
}

/// The solution of an exercise.
pub fn solution(exercise: &Exercise) -> String {
    let cut = exercise.cut().expect("its marks pair");
    cut.solution.expect("the course has solutions")
}

/// A student's folder, and the exercise that most of these tests are about; none without a compiler, and then the calling
/// test is noted as skipped.
pub fn to_check() -> Option<(Folder, Exercise)> {
    has_compiler().then(|| (Folder::new(), block_sum()))
}

/// Whoever starts checks, with a minute for each.
pub fn supervisor() -> Supervisor {
    Supervisor { program: PROGRAM.into(), time: Duration::from_secs(60), memory: 6 << 30 }
}

/// A student's folder.
pub struct Folder(pub tempfile::TempDir);

impl Folder {
    /// An empty one.
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("there is room"))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The file of an exercise.
    pub fn file(&self, exercise: &Exercise) -> PathBuf {
        self.path().join(exercise.file())
    }

    /// Puts something into the file of an exercise.
    pub fn put(&self, exercise: &Exercise, bytes: &[u8]) {
        let path = self.file(exercise);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it is made");
        fs::write(path, bytes).expect("it is written");
    }

    /// A command line on this folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.arg("--files").arg(self.path()).args(arguments);
        command
    }

    /// Runs a command on this folder.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("it runs")
    }
}

/// What a program wrote, on both ways.
pub fn said(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    format!("{out}{err}")
}
