//! A chapter's program as people call it: what it prints, and what it refuses.

use std::{
    env::{self, consts::EXE_SUFFIX},
    process::{Command, Output},
};

use report::AnyChapter;

use crate::{INSTRUCTIONS, stops};

/// A program, by its path: `Program::new(env!("CARGO_BIN_EXE_chapter_1"))`.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Where it is.
    pub path: &'static str,
    first: &'static str,
}

impl Program {
    /// The program of this path.
    pub const fn new(path: &'static str) -> Self {
        Self { path, first: "" }
    }

    /// The program, of which every call with arguments in one text begins with these, such as a size.
    pub const fn with(self, first: &'static str) -> Self {
        Self { first, ..self }
    }

    /// The program with these arguments, not yet started, and with what the environment says of the
    /// simulator out of the way.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.path);
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
        let output = self.run(&self.on_the_simulator(arguments));
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
        check_refusal(&self.run(&self.on_the_simulator(arguments)), arguments, parts);
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

    /// What holds for every chapter's program: the list names every rung, the manual has examples, what is not there is
    /// refused, and broken rungs are caught.
    ///
    /// # Panics
    /// If that does not hold.
    #[track_caller]
    pub fn check_common(&self, chapter: &dyn AnyChapter, size: &str) {
        let (list, manual) = (self.prints("--list"), self.prints("--help"));
        assert!(manual.contains("Examples, after"), "{manual}");
        let (mut longest, mut broken) = ("", Vec::new());
        for rung in chapter.rungs() {
            assert!(list.contains(&format!("{} ", rung.name)), "{}", rung.name);
            longest = if rung.name.len() > longest.len() { rung.name } else { longest };
            if rung.is_broken() && !stops(&rung) {
                broken.push(rung.name);
            }
        }
        let takes_input = manual.contains("--input");
        for (arguments, parts) in [
            ("-n abc", &["`abc` is not a size", "2^20"][..]),
            ("-n -1", &["`-1` is negative"]),
            ("-n 1.5", &["whole number"]),
            ("-n 2^50", &["largest size is 2^48"]),
            ("-n 2^70", &["largest size is 2^48"]),
            ("--input nonsense", if takes_input { &["nonsense", "uniform"] } else { &["--input"] }),
            ("--kernel nonsense", &["no kernel `nonsense`", longest, "remedy"]),
            ("--nonsense 16", &["--nonsense", "--help"]),
        ] {
            self.refuses(arguments, parts);
        }
        let (typed, _) = longest.split_at(longest.len() - 1);
        let parts = [&format!("did you mean `{longest}`?"), "remedy"];
        self.refuses(&format!("-n {size} --kernel {typed}"), &parts);
        if !broken.is_empty() {
            let printed = self.prints(&format!("-n {size} --broken --kernel {}", broken.join(",")));
            broken.iter().for_each(|name| assert!(printed.contains(name), "{name}"));
        }
    }

    fn on_the_simulator<'a>(&self, arguments: &'a str) -> Vec<&'a str> {
        let words = ["--device sim", self.first, arguments];
        words.into_iter().flat_map(str::split_whitespace).collect()
    }

    /// Fails where what it prints does not fit narrow and wide terminals.
    ///
    /// # Panics
    /// If that does not hold.
    #[track_caller]
    pub fn check_width(&self, arguments: &str) {
        for width in [80, 120] {
            let mut command = self.command(&self.on_the_simulator(arguments));
            let output = command.env("COLUMNS", width.to_string()).output();
            let text = stdout(&output.expect("the program starts"));
            // A path in a message is a word that cannot be broken.
            for line in text.lines().filter(|line| !line.contains(".cu:")) {
                assert!(line.chars().count() <= width, "{width}: {line}");
            }
        }
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
