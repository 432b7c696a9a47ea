//! Starts the process that checks a submission, gives it limits, and reads its report.

use std::{
    io::Write as _,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use anyhow::{Context, Result, bail};
use process_control::{ChildExt, Control};

use super::{Failure, Job, Outcome, Target};
use crate::diagnosis::Diagnosis;

/// Starts processes that check, and gives them limits.
#[derive(Clone, Debug)]
pub struct Supervisor {
    /// This program.
    pub program: PathBuf,
    /// The limit of a whole check, compilation included. On the simulator it is processor time, so that a busy machine
    /// fails no submission.
    pub time: Duration,
    /// Bytes of address space; where the system can limit that.
    pub memory: usize,
}

/// Where this program lies; on Linux also after it was built anew while it runs.
///
/// # Errors
/// If the system does not say which program this is.
pub fn this_program() -> std::io::Result<PathBuf> {
    match cfg!(target_os = "linux") {
        true => Ok("/proc/self/exe".into()),
        false => std::env::current_exe(),
    }
}

/// The limit by the clock, as a multiple of the limit of processor time. Windows has only the clock.
const CLOCK: u32 = if cfg!(unix) { 5 } else { 1 };

/// Of what a kernel prints, so much is kept.
const PRINTED: usize = 16 * 1024;

/// A process that prints more is ended.
const FLOOD: usize = 1 << 20;

/// The command of this program that does a job.
pub const WORKER: &str = "check-one-submission";

impl Supervisor {
    /// With the limits that students have.
    ///
    /// # Errors
    /// If the system does not say which program this is.
    pub fn new() -> Result<Self> {
        Ok(Self { program: this_program()?, time: Duration::from_secs(60), memory: 6 << 30 })
    }

    /// Checks a submission in a process of its own.
    ///
    /// # Errors
    /// What no submission can be blamed for: the process does not start, or finds no compiler.
    pub fn check(&self, mut job: Job) -> Result<Outcome> {
        let folder = tempfile::tempdir().context("cannot make a folder for the report")?;
        job.report = folder.path().join("report.json");
        job.seconds = self.time.as_secs();
        // A kernel on a GPU takes no processor time.
        let clock = match job.target {
            Target::Simulator => self.time.saturating_mul(CLOCK),
            Target::Gpu => self.time,
        };
        let child = self.start(&job)?;
        let (printed, keep) = kept(PRINTED);
        let (flooded, keep) = cut_off(child.id(), keep);
        let (said, keep_said) = kept(PRINTED);
        let control = child
            .controlled_with_output()
            .stdout_filter(keep)
            .stderr_filter(keep_said)
            .time_limit(clock)
            .terminate_for_timeout();
        // A GPU's driver reserves far more address space than it uses.
        #[cfg(any(target_os = "linux", target_os = "android", windows))]
        let control = match job.target {
            Target::Simulator => control.memory_limit(self.memory),
            Target::Gpu => control,
        };
        let stopped = |limit: String| {
            let seen = format!("it was stopped after {limit}");
            Ok(Outcome::failed(Failure::new(Diagnosis::TimeLimit, seen)))
        };
        let Some(ended) = control.wait()? else {
            return stopped(format!("{} s", clock.as_secs()));
        };
        if used_its_time(ended.status) {
            return stopped(format!("{} s of processor time", job.seconds));
        }
        let (printed, said) = (text(&printed), text(&said));
        if flooded.load(Ordering::Relaxed) {
            let seen = format!("it printed more than {} KiB", FLOOD >> 10);
            let failure = Failure::new(Diagnosis::Flood, seen);
            return Ok(Outcome { printed, ..Outcome::failed(failure) });
        }
        let report = std::fs::read(&job.report).ok();
        match report.and_then(|report| serde_json::from_slice::<Outcome>(&report).ok()) {
            Some(outcome) if ended.status.success() => Ok(finished(outcome, printed, &said)),
            _ => self.died(&said, &ended.status.to_string()),
        }
    }

    /// A process that has its job.
    fn start(&self, job: &Job) -> Result<Child> {
        let mut child = Command::new(&self.program)
            .arg(WORKER)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start the process that checks")?;
        let mut stdin = child.stdin.take().context("a process has a standard input")?;
        // A process that ends at once closes the pipe; why it ended is told by its status.
        let _ = stdin.write_all(&serde_json::to_vec(job)?);
        Ok(child)
    }

    /// Why a process left no report.
    fn died(&self, said: &str, status: &str) -> Result<Outcome> {
        let of_memory = ["memory allocation of", "out of memory"];
        if !status.contains("signal") && !of_memory.iter().any(|text| said.contains(text)) {
            bail!("{}", said.trim().trim_start_matches("error: "));
        }
        let memory = self.memory >> 20;
        let seen = format!("its process ended ({status}) with at most {memory} MiB of memory");
        let failure = Failure::new(Diagnosis::MemoryLimit, seen);
        Ok(Outcome::failed(match said.lines().find(|line| !line.trim().is_empty()) {
            Some(line) => failure.note(line.trim()),
            None => failure,
        }))
    }
}

/// Limits the processor time of this process. The system ends the process at the limit.
#[cfg(unix)]
pub fn limit_processor_time(seconds: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    // If the system refuses a limit, the clock ends the process later. An ended process leaves no core file.
    for (resource, limit) in [(Resource::Cpu, seconds), (Resource::Core, 0)] {
        let _ = setrlimit(resource, Rlimit { current: Some(limit), ..getrlimit(resource) });
    }
}

#[cfg(not(unix))]
pub fn limit_processor_time(_seconds: u64) {}

/// Whether the system has ended a process at that limit.
#[cfg(unix)]
fn used_its_time(status: process_control::ExitStatus) -> bool {
    status.signal() == Some(rustix::process::Signal::XCPU.as_raw())
}

#[cfg(not(unix))]
fn used_its_time(_status: process_control::ExitStatus) -> bool {
    false
}

fn text(kept: &Kept) -> String {
    super::printable(&String::from_utf8_lossy(&kept.take()))
}

/// The beginning of a process's output.
#[derive(Clone, Default)]
pub struct Kept(Arc<Mutex<Vec<u8>>>);

impl Kept {
    /// Returns what was kept so far, and forgets it.
    pub fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A filter of output, for a process with limits, that keeps the first `most` bytes.
pub fn kept(most: usize) -> (Kept, impl FnMut(&[u8]) -> std::io::Result<bool> + Send + 'static) {
    let kept = Kept::default();
    let keep = kept.clone();
    let filter = move |bytes: &[u8]| {
        let mut kept = keep.0.lock().unwrap_or_else(PoisonError::into_inner);
        let room = most.saturating_sub(kept.len());
        kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
        Ok(false)
    };
    (kept, filter)
}

/// A filter of a process's output that ends the process when it has printed more than [`FLOOD`], and a flag that
/// says so then.
fn cut_off(
    pid: u32,
    mut keep: impl FnMut(&[u8]) -> std::io::Result<bool> + Send + 'static,
) -> (Arc<AtomicBool>, impl FnMut(&[u8]) -> std::io::Result<bool> + Send + 'static) {
    let flooded = Arc::new(AtomicBool::new(false));
    let (flag, mut count) = (flooded.clone(), 0);
    let filter = move |bytes: &[u8]| {
        count += bytes.len();
        if count > FLOOD && !flag.swap(true, Ordering::Relaxed) {
            end(pid);
        }
        keep(bytes)
    };
    (flooded, filter)
}

/// Ends a process that this one has started, and whose output it is still reading.
fn end(pid: u32) {
    let pid = pid.to_string();
    // Where there is no such program, the time limit ends it.
    let _ = match cfg!(windows) {
        true => Command::new("taskkill").args(["/F", "/PID", &pid]).output(),
        false => Command::new("kill").args(["-9", &pid]).output(),
    };
}

/// The outcome, with what came by other ways.
fn finished(mut outcome: Outcome, printed: String, said: &str) -> Outcome {
    outcome.printed = printed;
    if let Err(failure) = &mut outcome.verdict {
        failure.seen = super::printable(&failure.seen);
        for note in &mut failure.notes {
            *note = super::printable(note);
        }
        let is_driver = matches!(failure.diagnosis, Diagnosis::Module | Diagnosis::Resources);
        if let (true, Some(line)) = (is_driver, said.lines().next()) {
            failure.notes.insert(0, line.trim().to_owned());
        }
    }
    outcome
}
