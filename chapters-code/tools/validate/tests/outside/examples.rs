//! Programs that know nothing of the simulator run on it: the examples in cudarc's own crate, as
//! they are. Cargo says where they lie, so those of another version are run without being named.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use super::cargo::{self, Example, Package};
use super::run::{self, Run};
use nvrtc::locate;

/// Examples of other libraries of NVIDIA's, and why they cannot run.
const OUT_OF_SCOPE: [(&str, &str); 2] = [
    ("08-cupti", "it asks CUPTI, NVIDIA's library for profilers, which only knows NVIDIA's driver"),
    ("cufile-copy", "it asks cuFile, NVIDIA's library that reads files into the memory of a GPU"),
];

/// No example takes longer, on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// The examples, built.
struct Built {
    cudarc: Package,
    examples: Vec<Example>,
    /// Where the programs, what they say, and the driver lie.
    folder: PathBuf,
}

static BUILT: LazyLock<Built> = LazyLock::new(|| {
    let cudarc = cargo::cudarc();
    let mut examples = cudarc.examples();
    examples.retain(|example| why_not(&example.name).is_none());
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("outside_clients");
    run::lay_driver(&folder.join("driver"));
    fs::write(folder.join("Cargo.toml"), manifest(&cudarc, &examples)).expect("a file");
    // The versions of this workspace, which are all at hand: nothing is fetched.
    let lock = nvrtc::workspace().join("Cargo.lock");
    fs::copy(lock, folder.join("Cargo.lock")).expect("a file");
    let mut build = cargo::cargo();
    build.args(["build", "--quiet", "--offline", "--bins", "--target-dir"]);
    cargo::output(build.arg(folder.join("target")).current_dir(&folder));
    Built { cudarc, examples, folder }
});

/// Why an example is not run.
fn why_not(name: &str) -> Option<&'static str> {
    let mut listed = OUT_OF_SCOPE.iter();
    listed.find(|(other, _)| *other == name).map(|(_, why)| *why)
}

/// A package whose programs are the examples, where they lie.
fn manifest(cudarc: &Package, examples: &[Example]) -> String {
    let mut text = run::manifest("outside_clients", cudarc);
    for Example { name, source } in examples {
        let _ = write!(text, "[[bin]]\nname = {name:?}\npath = {source:?}\n");
    }
    text
}

/// The folder of NVRTC, if it is here or can be fetched.
fn nvrtc() -> Option<PathBuf> {
    let folder = || {
        let library = locate::library(None).ok()?;
        library.parent().map(Path::to_owned)
    };
    nvrtc::testing::has_compiler().then(folder).flatten()
}

impl Built {
    /// Runs an example in the folder where it looks for its files, with so many devices.
    fn run(&self, name: &str, nvrtc: Option<PathBuf>, devices: u32) -> Run {
        let program = self.folder.join("target/debug").join(name);
        let mut command = Command::new(program.with_extension(std::env::consts::EXE_EXTENSION));
        let folders: Vec<_> = [self.folder.join("driver")].into_iter().chain(nvrtc).collect();
        command
            .current_dir(self.cudarc.folder())
            .env(run::SEARCH_PATH, run::search_path(&folders))
            .env("SIMT_DEVICES", devices.to_string())
            .env("SIMT_INSTRUCTION_LIMIT", "10000000")
            .env_remove("SIMT_RACES");
        let said = self.folder.join(format!("{name}_{devices}"));
        run::run(&mut command, &said, LIMIT)
    }
}

/// What is wrong with a run: examples check little themselves, and some not even their results.
fn complaint(name: &str, run: &Run) -> Option<String> {
    let Some(status) = run.status else {
        return Some(format!("not done after {LIMIT:?}"));
    };
    let right = match name {
        "03-launch-kernel" | "04-streams" => are_sines(&run.stdout),
        "06-threading" => (0..10).all(|thread| greetings(&run.stdout, thread) == 2 * 1024),
        "09-constant-memory" => run.stdout.contains("All results match expected values!"),
        "10-function-attributes" => run.stdout.contains("Device: SIMT simulator"),
        "matmul-kernel" => run.stdout.contains("Found [7.0, 10.0, 15.0, 22.0]"),
        _ => true,
    };
    if !status.success() || !run.stderr.is_empty() {
        Some(format!("{status}\n{}", run.stderr))
    } else if !right {
        let start: String = run.stdout.chars().take(1000).collect();
        Some(format!("not what it should say:\n{start}"))
    } else {
        None
    }
}

/// Lines of a thread of the host: both halves of the example launch one block for each.
fn greetings(stdout: &str, thread: u32) -> usize {
    let line = format!("Hello from the cuda kernel in thread {thread}");
    stdout.lines().filter(|said| *said == line).count()
}

/// Whether found and expected sines differ by 3 units in the last place at most: CUDA's manual
/// allows `sinf` two, and Rust's is within one.
fn are_sines(stdout: &str) -> bool {
    let line = |label: &str| {
        let rest = stdout.lines().find_map(|line| line.strip_prefix(label))?;
        let numbers = rest.trim().trim_matches(['[', ']']).split(", ");
        numbers.map(|number| number.parse().ok()).collect()
    };
    let (found, expected): (Option<Vec<f32>>, Option<Vec<f32>>) = (line("Found"), line("Expected"));
    let (found, expected) = (found.unwrap_or_default(), expected.unwrap_or_default());
    let near = |(a, b): (&f32, &f32)| a.to_bits().abs_diff(b.to_bits()) <= 3;
    found.len() == 3 && expected.len() == 3 && found.iter().zip(&expected).all(near)
}

#[test]
fn the_examples_of_cudarc_run() {
    let (built, nvrtc) = (&*BUILT, nvrtc());
    assert!(built.examples.len() >= 10, "where are cudarc's examples?");
    let mut failed = Vec::new();
    for Example { name, source } in &built.examples {
        let text = fs::read_to_string(source).expect("cargo has just compiled it");
        let folder = match &nvrtc {
            _ if !text.contains("compile_ptx") => None,
            Some(folder) => Some(folder.clone()),
            None => continue,
        };
        if let Some(complaint) = complaint(name, &built.run(name, folder, 2)) {
            failed.push(format!("{name}: {complaint}"));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn without_a_device_they_fail() {
    let run = BUILT.run("01-allocate", None, 0);
    let complaint = complaint("01-allocate", &run).expect("there is nothing to allocate on");
    assert!(complaint.contains("CUDA_ERROR_NO_DEVICE"), "{complaint}");
}

#[test]
fn what_is_out_of_scope_is_there() {
    let names: Vec<_> = cargo::cudarc().examples().into_iter().map(|e| e.name).collect();
    for (name, why) in OUT_OF_SCOPE {
        assert!(names.iter().any(|other| other == name), "{name} has gone");
        eprintln!("out of scope: {name}: {why}");
    }
}

#[test]
fn wrong_sines_are_seen() {
    let (found, wrong) = ("Found [0.5, 1, 0.25]", "Found [0.5, 1.000001, 0.25]");
    let expected = "Expected [0.5, 1, 0.25000006]";
    assert!(are_sines(&format!("{found}\n{expected}")));
    for text in [&format!("{wrong}\n{expected}"), found, ""] {
        assert!(!are_sines(text), "{text}");
    }
}
