//! A kernel's text becomes PTX, in a process of its own.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use exercise::check::{includes, text, this_program};
use lab::data::only_entries;
use nvrtc::locate;
use regex::Regex;
use serde::{Deserialize, Serialize};
use xtask::kernel::{self, Kernel, quoted_include};
use xtask::ptx;

use super::worker::{self, Worker};

/// The command of this program that does a job.
pub const WORKER: &str = "compile-one-kernel";

/// How long a compiler may run: as long as a check of an exercise.
const TIME: Duration = Duration::from_secs(30);
/// Bytes of address space that a compiler may use.
const MEMORY: usize = 4 << 30;
/// The most bytes of PTX, as JSON has it.
const OUTPUT: usize = 8 << 20;

/// What is to be compiled.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Job {
    /// The file that the text is for, such as `chapters-code/chapter_1_reduce/kernels/sequential.cu`. The compiler's
    /// options, and the files that the text may include, are those of this file.
    file: String,
    /// The text.
    source: String,
    /// The kernels that are wanted; of others there is no PTX.
    entries: Vec<String>,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", untagged)]
pub(super) enum Compiled {
    /// The text has no error.
    Right {
        /// Its PTX.
        ptx: String,
    },
    /// It has some.
    Wrong {
        /// What the compiler says.
        log: String,
        /// The lines that it names.
        lines: Vec<Line>,
    },
}

/// A line of the text, and what is to be said of it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Line {
    /// From 1.
    pub(super) line: usize,
    /// In words.
    pub(super) text: String,
}

/// Compiles in a process of its own.
///
/// # Errors
/// If a limit is reached, or there is no compiler or no such kernel.
pub(super) fn in_a_process(root: &Path, job: Job) -> Result<Compiled> {
    let worker = Worker {
        program: this_program()?,
        arguments: vec![WORKER.to_owned()],
        time: TIME,
        memory: Some(MEMORY),
        output: OUTPUT,
    };
    worker.ask(&(root, job)).context("the kernel could not be compiled")
}

/// Reads a job from standard input, does it, and writes what came of it to standard output.
///
/// # Errors
/// If there is no compiler, or no such kernel.
pub fn work() -> Result<()> {
    worker::answer(|(root, job): (PathBuf, Job)| compile(&root, &job))
}

fn compile(root: &Path, job: &Job) -> Result<Compiled> {
    let kernel = find(root, &job.file)?;
    let source = match accepted(&kernel, job) {
        Ok(source) => source,
        Err(log) => return Ok(Compiled::Wrong { log, lines: Vec::new() }),
    };
    let compiler = locate::compiler(None)?;
    match ptx::compile(root, &kernel, &source, &compiler.nvrtc, &compiler.include) {
        Ok(ptx) => {
            let ptx = only_entries(&ptx, |entry| job.entries.iter().any(|wanted| wanted == entry));
            Ok(Compiled::Right { ptx: format!("// {}\n{ptx}", kernel.name) })
        }
        Err(error) => {
            // The first line is NVRTC's name of the error.
            let said = error.root_cause().to_string();
            let log = said.split_once('\n').map_or(&*said, |(_, log)| log);
            let log = log.replace(&*kernel.path.to_string_lossy(), &kernel.name);
            let lines = lines(&log, &kernel.name);
            Ok(Compiled::Wrong { log: log.trim().to_owned(), lines })
        }
    }
}

/// The kernel of a file. Only the names of the project's kernels name one.
fn find(root: &Path, file: &str) -> Result<Kernel> {
    let kernels = kernel::all(root)?;
    let found = kernels.into_iter().find(|kernel| kernel.name == file);
    found.ok_or_else(|| anyhow!("there is no kernel {file}"))
}

/// The text, if it has the compiler read no other files than the kernel's file does.
fn accepted(kernel: &Kernel, job: &Job) -> Result<String, String> {
    let text = text(job.source.as_bytes()).map_err(|failure| failure.seen)?;
    let own = kernel::read(&kernel.path).map_err(|error| format!("{error:#}"))?;
    let own: Vec<String> = own.lines().filter_map(quoted_include).map(str::to_owned).collect();
    includes(&text, &own).map_err(|failure| {
        let mut notes = vec![format!("{} may not stand here", failure.seen)];
        notes.extend(failure.notes);
        if !own.is_empty() {
            notes.push(format!("files that this kernel includes: {}", own.join(", ")));
        }
        notes.join("\n")
    })?;
    Ok(text)
}

/// The lines of file `name` that a compiler's log names, each as `name(12): error: …`.
pub(super) fn lines(log: &str, name: &str) -> Vec<Line> {
    let pattern = format!(
        r"(?m){}\((\d+)\): (?:error|catastrophic error|warning)[^:]*: (.*)$",
        regex::escape(name)
    );
    let Ok(pattern) = Regex::new(&pattern) else { return Vec::new() };
    let line = |found: regex::Captures<'_>| {
        Some(Line { line: found[1].parse().ok()?, text: found[2].trim().to_owned() })
    };
    pattern.captures_iter(log).filter_map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().expect("it is there")
    }

    #[test]
    fn a_log_names_lines() {
        let log = "a/k.cu(12): error: identifier \"x\" is undefined\n      x = 1;\n      ^\n\n\
                   a/k.cu(20): warning #177-D: variable \"y\" was declared\n\
                   h.cuh(3): error: of another file\n1 error detected in the compilation of \"a/k.cu\".\n";
        let line = |line, text: &str| Line { line, text: text.to_owned() };
        let expected =
            [line(12, "identifier \"x\" is undefined"), line(20, "variable \"y\" was declared")];
        assert_eq!(lines(log, "a/k.cu"), expected);
    }

    /// Each kernel of the book can be edited: what it includes is accepted.
    #[test]
    fn every_kernel_is_accepted_as_it_is() {
        let kernels = kernel::all(&root()).expect("kernels");
        let of_chapters = kernels.iter().filter(|kernel| kernel.name.contains("/chapter_"));
        let mut count = 0;
        for kernel in of_chapters {
            count += 1;
            let source = kernel::read(&kernel.path).expect("a text");
            let job = Job { file: kernel.name.clone(), source, entries: Vec::new() };
            assert_eq!(accepted(kernel, &job).err(), None, "{}", kernel.name);
        }
        assert!(count > 100, "{count} kernels");
    }

    #[test]
    fn no_other_file_is_read_or_compiled() {
        let kernel = find(&root(), "chapters-code/chapter_1_reduce/kernels/sequential.cu");
        let kernel = kernel.expect("it is a kernel");
        for include in ["\"operators.cuh\"", "\"../../../Cargo.toml\"", "</etc/passwd>"] {
            let source = format!("#include {include}\n");
            let job = Job { file: kernel.name.clone(), source, entries: Vec::new() };
            let log = accepted(&kernel, &job).expect_err("the kernel includes no file");
            assert!(log.contains(include) && log.contains("may not stand here"), "{log}");
        }
        for file in [
            "chapters-code/chapter_1_reduce/kernels/../kernels/sequential.cu",
            "chapters-code/chapter_1_reduce/kernels/operators.cuh",
            "../../../etc/passwd",
            "/etc/passwd",
            "",
        ] {
            assert!(find(&root(), file).is_err(), "{file}");
        }
    }
}
