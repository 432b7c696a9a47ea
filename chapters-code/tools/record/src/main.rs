//! `cargo run --release --bin record`: every rung at every size on this machine's GPU, into one
//! file for `book/measurements/`. The program runs without the workspace: it needs nothing but a driver.

mod compile;
mod conditions;
mod file;
mod resume;
mod schedule;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use anyhow::Context;
use clap::Parser;
use harness::{Device, DeviceChoice, host_available_bytes};
use recording::Recording;
use report::{
    Row, Scope,
    cli::samples,
    progress::Progress,
    runner::{Runner, Step},
};

use crate::{conditions::Monitor, schedule::Part};

/// Runs every chapter's ladder on this machine's GPU and writes one file: times, rates, ceilings,
/// and the results' bits.
#[derive(Parser)]
#[command(name = "record", version)]
struct Arguments {
    /// The file to write; `book/measurements/<device>_<date>.json` if left out
    #[arg(long, value_name = "FILE.json")]
    out: Option<PathBuf>,

    /// Also time the same work in this baseline library (see chapters-code/tools/baselines); of several, the
    /// first that has it
    #[arg(long, value_name = "PATH")]
    baseline: Vec<PathBuf>,

    /// Three sizes and few types: half of the time
    #[arg(long)]
    quick: bool,

    /// Timing samples of a rung; 20 at least
    #[arg(long, default_value_t = 30, value_parser = samples)]
    samples: u32,

    /// Seconds after which no further case is begun; what is left out is listed in the file
    #[arg(long, default_value_t = 600, value_name = "SECONDS")]
    budget: u64,

    /// Keep the rows that the file has, and run only what it lacks: a recording in several parts
    #[arg(long)]
    resume: bool,

    /// With --resume: run these chapters again, such as chapter_2_histogram
    #[arg(long, value_name = "CHAPTER", value_delimiter = ',', requires = "resume")]
    rerun: Vec<String>,

    /// Run these chapters only, such as chapter_6_transpose: to record each with a baseline of its own
    #[arg(long, value_name = "CHAPTER", value_delimiter = ',')]
    chapter: Vec<String>,

    /// Record the chapter on several GPUs, with all GPUs of this machine, and nothing else
    #[arg(long)]
    several: bool,

    /// The commit to name in the file, if it is not the one that this program was built from
    #[arg(long)]
    commit: Option<String>,

    /// Write no file: capture every rung in a CUDA graph, replay it on other inputs, and judge each replay
    #[arg(long)]
    replay_check: bool,

    /// Compile every Nth of the modules, from the Kth on, and end: what a recording has its helpers do
    #[arg(long, hide = true, value_name = "K/N")]
    compile: Option<compile::Share>,

    /// The device; `sim` writes a file without times, to try the program out
    #[arg(long, value_enum, default_value = "gpu", value_name = "DEVICE")]
    device: DeviceChoice,
}

fn main() -> ExitCode {
    report::exit(record(Arguments::parse()))
}

fn record(arguments: Arguments) -> anyhow::Result<bool> {
    if arguments.replay_check {
        return check_replays(&Device::open(arguments.device)?);
    }
    if let Some(share) = arguments.compile {
        return compile::share(share, &Device::open(arguments.device)?).map(|()| true);
    }
    let samples = arguments.samples as usize;
    let mut runner = Runner::open(arguments.device, samples, &arguments.baseline)?;
    let devices = arguments.several.then(|| Device::count() as u64);
    if let Some(devices) = devices {
        let name = &mut runner.device.properties.name;
        *name = format!("{name} × {devices}");
    }
    let out = arguments.out.clone().unwrap_or_else(|| default_path(&runner));
    let scope = match (runner.device.is_simulated(), arguments.quick) {
        (true, _) => Scope::Trial,
        (false, true) => Scope::Quick,
        (false, false) => Scope::Full,
    };
    let mut parts = schedule::parts(scope, arguments.several);
    let mut broken = match arguments.several {
        true => Vec::new(),
        false => schedule::broken_parts(scope),
    };
    known(&arguments.rerun, &parts)?;
    known(&arguments.chapter, &parts)?;
    if !arguments.chapter.is_empty() {
        let wanted = |part: &Part| arguments.chapter.iter().any(|name| name == part.chapter.name());
        parts.retain(wanted);
        broken.retain(wanted);
    }
    let mut recording = file::begin(&runner, arguments.commit.as_deref(), devices, &parts);
    if arguments.resume {
        let device = &runner.device.properties.name;
        let earlier = resume::read(&out, device, &arguments.rerun)?;
        for part in parts.iter_mut().chain(&mut broken) {
            resume::spare(&earlier, part);
        }
        for parts in [&parts, &broken] {
            resume::check_days(&earlier, parts, &arguments.rerun)?;
        }
        resume::join(&mut recording, earlier)?;
    }
    let earlier = recording.rows.len();
    if scope != Scope::Trial && !arguments.several {
        compile::all(&mut |said| eprintln!("{said}"))?;
    }
    // Before the minutes that it takes, not after.
    file::write(&recording, &out).with_context(|| cannot_write(&out))?;
    let monitor = Monitor::start(&runner.device);
    let deadline = Instant::now() + Duration::from_secs(arguments.budget);
    run(&mut runner, &parts, deadline, &mut recording, &out)?;
    let max_elements = match scope {
        Scope::Trial => 1 << 12,
        Scope::Quick | Scope::Full => u64::MAX,
    };
    if !arguments.several {
        recording.checksums = record::checksums::collect(&mut runner, max_elements)?;
    }
    // Before a broken kernel stops the device.
    file::write(&recording, &out)?;
    run(&mut runner, &broken, deadline, &mut recording, &out)?;
    recording.head.conditions.extend(monitor.and_then(Monitor::stop));
    file::write(&recording, &out)?;
    Ok(summarise(&recording, earlier, &out))
}

/// Prints the rungs whose replays are wrong, and how many rungs there were.
fn check_replays(device: &Device) -> anyhow::Result<bool> {
    let (mut replayed, mut wrong) = (0, 0);
    record::replays::all(device, &mut |replays| {
        replayed += 1;
        if !replays.wrong.is_empty() {
            wrong += 1;
            println!("WRONG: {}: {}", replays.name, replays.wrong.join("; "));
        }
        Ok(())
    })?;
    let device = &device.properties.name;
    println!("{device}: {replayed} rungs captured and replayed, {wrong} of them wrong");
    Ok(wrong == 0)
}

/// Refuses the name of a chapter that is not recorded.
fn known(chapters: &[String], parts: &[Part]) -> anyhow::Result<()> {
    let names: BTreeSet<&str> = parts.iter().map(|part| part.chapter.name()).collect();
    for chapter in chapters {
        anyhow::ensure!(
            names.contains(&**chapter),
            "there is no chapter {chapter}; there are {}",
            names.iter().copied().collect::<Vec<_>>().join(", ")
        );
    }
    Ok(())
}

fn cannot_write(out: &Path) -> String {
    format!("cannot write {}; name a file in a folder that exists with --out", out.display())
}

/// `book/measurements/nvidia_h200_2026-11-23.json`, or the bare name elsewhere.
fn default_path(runner: &Runner) -> PathBuf {
    let name = runner.device.properties.name.to_lowercase();
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name = format!("{}_{}.json", words.collect::<Vec<_>>().join("_"), file::today());
    let folder = Path::new("book/measurements");
    if folder.is_dir() { folder.join(name) } else { PathBuf::from(name) }
}

/// How often the file is written meanwhile, so that an interruption loses little.
const WRITE_EVERY: Duration = Duration::from_secs(10);

/// Runs part after part, and writes the file.
fn run(
    runner: &mut Runner,
    parts: &[Part],
    deadline: Instant,
    recording: &mut Recording,
    out: &Path,
) -> anyhow::Result<()> {
    let progress = Progress::new(parts.iter().map(|part| part.steps.len()).sum());
    let mut written = Instant::now();
    for part in parts {
        recording.skipped.extend(part.skipped.iter().cloned());
        if part.steps.is_empty() {
            continue;
        }
        if Instant::now() > deadline {
            recording.skipped.push(file::over_budget(part));
            continue;
        }
        let begun = Instant::now();
        run_part(runner, part, &progress, recording)?;
        progress.say(&format!(
            "{}: {}, {} kernels, {:.1} s",
            part.chapter.name(),
            part.name,
            part.steps.len(),
            begun.elapsed().as_secs_f64()
        ));
        if written.elapsed() > WRITE_EVERY {
            file::write(recording, out)?;
            written = Instant::now();
        }
    }
    Ok(file::write(recording, out)?)
}

fn run_part(
    runner: &mut Runner,
    part: &Part,
    progress: &Progress,
    recording: &mut Recording,
) -> anyhow::Result<()> {
    if !fits(runner, part)? {
        recording.skipped.push(file::too_large(part));
        return Ok(());
    }
    let mut done = |row: Row| {
        if !row.is_as_declared() {
            progress.say(&format!(
                "WRONG: {} at {} {} {}: {}",
                row.subject.kernel,
                row.case.shape,
                row.case.op,
                row.case.dtype,
                row.failures.join("; ")
            ));
        }
        recording.rows.push(row.recorded);
        Ok(())
    };
    if part.is_timed {
        return runner.run_steps(part.chapter, &part.steps, progress, &mut done);
    }
    let bench = runner.bench.take();
    let result = runner.run_steps(part.chapter, &part.steps, progress, &mut done);
    runner.bench = bench;
    result
}

/// Whether every case of a part fits the device, and twice its input the host.
fn fits(runner: &Runner, part: &Part) -> anyhow::Result<bool> {
    let on_device = |step: &Step| part.chapter.bytes_on(&runner.device, &step.case);
    let on_host = |step: &Step| 2 * step.case.input_bytes();
    let largest = |bytes: &dyn Fn(&Step) -> u64| part.steps.iter().map(bytes).max().unwrap_or(0);
    let host = host_available_bytes().unwrap_or(u64::MAX);
    Ok(largest(&on_device) <= runner.device.free_bytes()? && largest(&on_host) <= host)
}

/// Says what was recorded; true if every rung that came after the `earlier` rows was as it should be.
fn summarise(recording: &Recording, earlier: usize, out: &Path) -> bool {
    let wrong = recording.rows[earlier..].iter().filter(|row| !row.is_as_declared()).count();
    println!(
        "{}: {} rows, {} checksums, {} skipped, {wrong} wrong",
        out.display(),
        recording.rows.len(),
        recording.checksums.len(),
        recording.skipped.len()
    );
    wrong == 0
}
