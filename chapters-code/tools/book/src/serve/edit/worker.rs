//! This program once more, as a process that does one job within limits.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use exercise::check::kept;
use process_control::{ChildExt, Control};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// How a process is started, and what it may use.
pub(super) struct Worker {
    /// The program.
    pub(super) program: PathBuf,
    /// Its arguments.
    pub(super) arguments: Vec<String>,
    /// How long the process may run.
    pub(super) time: Duration,
    /// Bytes of address space, where the system can limit that and there is to be a limit.
    pub(super) memory: Option<usize>,
    /// Bytes of output.
    pub(super) output: usize,
}

impl Worker {
    /// Has the process do a job, and returns its answer; see [`answer`].
    ///
    /// # Errors
    /// As [`Worker::run`].
    pub(super) fn ask<A: DeserializeOwned>(&self, job: &impl Serialize) -> Result<A> {
        let answer = self.run(&serde_json::to_vec(job)?)?;
        serde_json::from_slice(&answer).context("its process gave no answer")
    }

    /// Has the process read `job` from its standard input, and returns what it writes to its standard output.
    ///
    /// # Errors
    /// Which limit was reached, or what the process says of its failure.
    fn run(&self, job: &[u8]) -> Result<Vec<u8>> {
        let mut child = Command::new(&self.program)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start a process")?;
        let mut stdin = child.stdin.take().context("a process has a standard input")?;
        // What takes nothing must not keep this process waiting beyond the time limit.
        let job = job.to_vec();
        std::thread::spawn(move || stdin.write_all(&job));
        let (written, keep_written) = kept(self.output + 1); // So that too much can be told from enough.
        let (said, keep_said) = kept(SAID);
        let control = child
            .controlled_with_output()
            .stdout_filter(keep_written)
            .stderr_filter(keep_said)
            .time_limit(self.time)
            .terminate_for_timeout();
        #[cfg(any(target_os = "linux", target_os = "android", windows))]
        let control = match self.memory {
            Some(memory) => control.memory_limit(memory),
            None => control,
        };
        let Some(ended) = control.wait()? else {
            bail!("it was stopped after {} s", self.time.as_secs_f64());
        };
        let (written, said) = (written.take(), said.take());
        if written.len() > self.output {
            bail!("it was stopped, because it has more than {} bytes of output", self.output);
        }
        if !ended.status.success() {
            let said = String::from_utf8_lossy(&said);
            let ended = ended.status;
            // A driver may have reported something before.
            let error = said.split("error: ").last().filter(|error| error.len() < said.len());
            match (error.map(str::trim), self.memory) {
                (Some(error), _) => bail!("{error}"),
                (None, Some(memory)) => {
                    bail!("its process ended ({ended}) with at most {} MiB of memory", memory >> 20)
                }
                (None, None) => bail!("its process ended ({ended})"),
            }
        }
        Ok(written)
    }
}

/// The process's side of [`Worker::ask`]: reads the job from standard input, and writes what `work` makes of it to
/// standard output.
///
/// # Errors
/// Those of `work`.
pub(super) fn answer<J: DeserializeOwned, A: Serialize>(
    work: impl FnOnce(J) -> Result<A>,
) -> Result<()> {
    let mut job = Vec::new();
    std::io::stdin().read_to_end(&mut job)?;
    let answer = work(serde_json::from_slice(&job)?)?;
    Ok(std::io::stdout().write_all(&serde_json::to_vec(&answer)?)?)
}

/// The most bytes that are kept of what a process says of its failure.
const SAID: usize = 4096;

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// What comes of a shell script, with limits that are soon reached.
    fn run(script: &str) -> Result<Vec<u8>> {
        run_for(Duration::from_secs(2), script)
    }

    fn run_for(time: Duration, script: &str) -> Result<Vec<u8>> {
        let worker = Worker {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            time,
            memory: Some(64 << 20),
            output: 1000,
        };
        worker.run(b"job")
    }

    #[test]
    fn what_is_written_comes_back() {
        assert_eq!(run("cat").expect("it ends well"), b"job");
    }

    #[test]
    fn what_fails_says_why() {
        for before in ["", "echo simt: a report >&2; "] {
            let error = run(&format!("{before}echo error: no compiler >&2; exit 1"));
            assert_eq!(error.expect_err("it fails").to_string(), "no compiler");
        }
        let error = run("exit 1").expect_err("it fails").to_string();
        assert!(error.starts_with("its process ended"), "{error}");
    }

    #[test]
    fn what_has_no_end_is_stopped() {
        let start = std::time::Instant::now();
        let error = run("while :; do :; done").expect_err("it has no end");
        assert_eq!(error.to_string(), "it was stopped after 2 s");
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn what_writes_without_end_is_stopped() {
        assert!(run("while :; do echo aaaaaaaa; done").is_err());
        let error = run("head -c 1001 /dev/zero").expect_err("a byte too much");
        assert!(error.to_string().contains("more than 1000 bytes"), "{error}");
        assert_eq!(run("head -c 1000 /dev/zero").expect("enough").len(), 1000);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_takes_much_memory_fails() {
        // On a busy machine it needs longer than 2 s to take so much.
        let error = run_for(Duration::from_secs(60), "a=aaaaaaaa; while :; do a=$a$a; done")
            .expect_err("too much memory");
        assert!(error.to_string().contains("64 MiB"), "{error}");
    }
}
