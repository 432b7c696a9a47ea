//! A chapter's program as people call it: what it prints, and what it refuses.

use std::{
    env::{self, consts::EXE_SUFFIX},
    process::{Command, Output},
};

use report::AnyChapter;

use crate::INSTRUCTIONS;

/// A program, by its path: `Program(env!("CARGO_BIN_EXE_chapter_1"))`.
#[derive(Clone, Copy, Debug)]
pub struct Program(pub &'static str);

impl Program {
    /// The program with these arguments, not yet started, and with what the environment says of the
    /// simulator out of the way.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.0);
        command
            .args(arguments)
            .env_remove("SIMT_DEVICES")
            .env("SIMT_INSTRUCTION_LIMIT", INSTRUCTIONS.to_string());
        command
    }

    /// Runs it.
    ///
    /// # Panics
    /// If it does not start.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program starts")
    }

    /// Runs it on the simulator with arguments in one text, which must succeed; what it prints.
    ///
    /// # Panics
    /// If it fails.
    #[track_caller]
    pub fn prints(&self, arguments: &str) -> String {
        let output = self.run(&on_the_simulator(arguments));
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments}: {message}");
        stdout(&output)
    }

    /// Runs it on the simulator with arguments in one text, which it must refuse as
    /// [`check_refusal`] says.
    ///
    /// # Panics
    /// If it does not.
    #[track_caller]
    pub fn refuses(&self, arguments: &str, parts: &[&str]) {
        check_refusal(&self.run(&on_the_simulator(arguments)), arguments, parts);
    }

    /// The object that it writes with `--json -` and arguments in one text.
    ///
    /// # Panics
    /// If it fails, or writes anything else.
    #[track_caller]
    pub fn row(&self, arguments: &str) -> serde_json::Value {
        let text = self.prints(&format!("{arguments} --json -"));
        serde_json::from_str(text.trim()).expect("JSON")
    }

    /// The program, of which every call begins with these arguments, such as a size.
    pub const fn with(self, first: &'static str) -> ProgramWith {
        ProgramWith { program: self, first }
    }

    /// Fails unless the list names every rung, and the manual has examples.
    ///
    /// # Panics
    /// If that does not hold.
    #[track_caller]
    pub fn check_manual(&self, chapter: &dyn AnyChapter) {
        let list = self.prints("--list");
        for rung in chapter.rungs() {
            assert!(list.contains(&format!("{} ", rung.name)), "{}", rung.name);
        }
        let manual = self.prints("--help");
        assert!(manual.contains("Examples, after"), "{manual}");
    }

    /// Fails where what it prints does not fit narrow and wide terminals.
    ///
    /// # Panics
    /// If that does not hold.
    #[track_caller]
    pub fn check_width(&self, arguments: &str) {
        for width in [80, 120] {
            let mut command = self.command(&on_the_simulator(arguments));
            let output = command.env("COLUMNS", width.to_string()).output();
            let text = stdout(&output.expect("the program starts"));
            // A path in a message is a word that cannot be broken.
            for line in text.lines().filter(|line| !line.contains(".cu:")) {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
    }
}

/// A program with arguments that every call begins with.
#[derive(Clone, Copy, Debug)]
pub struct ProgramWith {
    program: Program,
    first: &'static str,
}

impl ProgramWith {
    /// As [`Program::prints`].
    ///
    /// # Panics
    /// If it fails.
    #[track_caller]
    pub fn prints(&self, arguments: &str) -> String {
        self.program.prints(&format!("{} {arguments}", self.first))
    }

    /// As [`Program::refuses`].
    ///
    /// # Panics
    /// If it does not.
    #[track_caller]
    pub fn refuses(&self, arguments: &str, parts: &[&str]) {
        self.program.refuses(&format!("{} {arguments}", self.first), parts);
    }

    /// As [`Program::row`].
    ///
    /// # Panics
    /// If it fails, or writes anything else.
    #[track_caller]
    pub fn row(&self, arguments: &str) -> serde_json::Value {
        self.program.row(&format!("{} {arguments}", self.first))
    }

    /// Runs broken rungs of these names, each of which must be in what it prints; that text.
    ///
    /// # Panics
    /// If it fails, or one is missing.
    #[track_caller]
    pub fn check_broken(&self, names: &[&str]) -> String {
        let text = self.prints(&format!("--broken --kernel {}", names.join(",")));
        for name in names {
            assert!(text.contains(name), "{name}");
        }
        text
    }
}

/// Runs an example of the crate under test, such as `plain_1`, on the simulator. It must succeed, cause no report, and
/// print all the parts. `cargo test` builds the examples, unless it is told which targets to build.
///
/// # Panics
/// If that does not hold.
#[track_caller]
pub fn check_example(name: &str, parts: &[&str]) {
    let test = env::current_exe().expect("the test's path");
    // Tests are in `deps/`, which has `examples/` beside it.
    let folder = test.ancestors().nth(2).expect("the folder of the build").join("examples");
    let program = folder.join(format!("{name}{EXE_SUFFIX}"));
    let output = Command::new(&program)
        .env("CUDA_VISIBLE_DEVICES", "") // no GPU, which it would prefer
        .env("SIMT_STRICT", "1")
        .env_remove("SIMT_DEVICES")
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}; was it built?", program.display()));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {message}");
    let printed = stdout(&output);
    for part in parts {
        assert!(printed.contains(part), "{name}: no `{part}` in:\n{printed}");
    }
}

fn on_the_simulator(arguments: &str) -> Vec<&str> {
    let fixed = ["--device", "sim"].into_iter();
    fixed.chain(arguments.split_whitespace()).collect()
}

/// What a program printed.
pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Fails unless a program ended with status 1 or 2 and a message that has all the parts, without a
/// panic and without a table.
///
/// # Panics
/// If that does not hold.
#[track_caller]
pub fn check_refusal(output: &Output, what: &str, parts: &[&str]) {
    let message = String::from_utf8_lossy(&output.stderr);
    let status = output.status.code();
    assert!(matches!(status, Some(1 | 2)), "{what}: status {status:?}\n{message}");
    assert!(!message.contains("panicked"), "{what}: {message}");
    for part in parts {
        assert!(message.contains(part), "{what}: no `{part}` in:\n{message}");
    }
    let printed = stdout(output);
    assert!(!printed.contains("verdict"), "{what}: {printed}");
}
