//! This program once more, as a process that does one job within limits.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use exercise::check::{kept, printable};
use process_control::{ChildExt, Control, ExitStatus};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

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

/// The beginning of what kernels have printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Printed {
    /// Whole lines, if it is cut.
    pub(super) text: String,
    /// Whether the kernels have printed more.
    pub(super) is_cut: bool,
}

/// What came of a process.
struct Ended {
    /// What it wrote to its standard output: at most a byte more than allowed.
    written: Vec<u8>,
    /// What it wrote to its standard error, at first.
    said: Vec<u8>,
    /// How it ended; none if the time was over.
    status: Option<ExitStatus>,
}

impl Worker {
    /// Has the process do a job, and returns its answer; see [`answer`].
    ///
    /// # Errors
    /// As [`Worker::run`].
    pub(super) fn ask<A: DeserializeOwned>(&self, job: &impl Serialize) -> Result<A> {
        self.ask_and_hear(job).map(|(answer, _)| answer)
    }

    /// Has the process do a job, and returns its answer, and what kernels have printed meanwhile.
    ///
    /// # Errors
    /// As [`Worker::run`].
    pub(super) fn ask_and_hear<A: DeserializeOwned>(
        &self,
        job: &impl Serialize,
    ) -> Result<(A, Printed)> {
        let written = self.run(&serde_json::to_vec(job)?)?;
        // A driver may print what a kernel has printed when the process ends, which is after the answer.
        let mut parts: Vec<&[u8]> = written.split(|byte| *byte == MARK).collect();
        let mut last_first = parts.iter().enumerate().rev();
        let found =
            last_first.find_map(|(at, part)| Some((at, serde_json::from_slice(part).ok()?)));
        let (at, answer) = found.context("its process gave no answer")?;
        parts.remove(at);
        Ok((answer, Printed::of(&parts.concat(), false)))
    }

    /// Has the process do a job for what it writes to its standard output. More than is allowed is cut off, and so is
    /// what it would write after the time is over.
    ///
    /// # Errors
    /// What the process says of its failure.
    pub(super) fn hear(&self, job: &impl Serialize) -> Result<Printed> {
        let ended = self.control(&serde_json::to_vec(job)?)?;
        let is_cut = ended.status.is_none() || ended.written.len() > self.output;
        let kept = ended.written.len().min(self.output);
        if ended.status.is_some_and(|status| !status.success()) {
            return Err(self.failure(&ended));
        }
        Ok(Printed::of(&ended.written[..kept], is_cut))
    }

    /// Has the process read `job` from its standard input, and returns what it writes to its standard output.
    ///
    /// # Errors
    /// Which limit was reached, or what the process says of its failure.
    fn run(&self, job: &[u8]) -> Result<Vec<u8>> {
        let ended = self.control(job)?;
        let Some(status) = ended.status else {
            bail!("it was stopped after {} s", self.time.as_secs_f64());
        };
        if ended.written.len() > self.output {
            bail!("it was stopped, because it has more than {} bytes of output", self.output);
        }
        match status.success() {
            true => Ok(ended.written),
            false => Err(self.failure(&ended)),
        }
    }

    /// Runs the process within its limits.
    fn control(&self, job: &[u8]) -> Result<Ended> {
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
        let status = control.wait()?.map(|ended| ended.status);
        Ok(Ended { written: written.take(), said: said.take(), status })
    }

    /// Why a process has ended before its time.
    fn failure(&self, ended: &Ended) -> anyhow::Error {
        let said = String::from_utf8_lossy(&ended.said);
        let status = ended.status.map(|status| status.to_string()).unwrap_or_default();
        // A driver may have reported something before.
        let error = said.split("error: ").last().filter(|error| error.len() < said.len());
        match (error.map(str::trim), self.memory) {
            (Some(error), _) => anyhow!("{error}"),
            (None, Some(memory)) => {
                anyhow!("its process ended ({status}) with at most {} MiB of memory", memory >> 20)
            }
            (None, None) => anyhow!("its process ended ({status})"),
        }
    }
}

impl Printed {
    /// The beginning of a text, which was perhaps cut already.
    fn of(bytes: &[u8], is_cut: bool) -> Self {
        let is_cut = is_cut || bytes.len() > PRINTED;
        let mut bytes = &bytes[..bytes.len().min(PRINTED)];
        if is_cut && let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') {
            bytes = &bytes[..=end];
        }
        Self { text: printable(&String::from_utf8_lossy(bytes)), is_cut }
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
    let answer = [&[MARK][..], &serde_json::to_vec(&answer)?, &[MARK]].concat();
    Ok(std::io::stdout().write_all(&answer)?)
}

/// Stands before and after an answer, among what kernels print. JSON has no such byte.
const MARK: u8 = 0x1e;
/// The most bytes that are shown of what kernels print.
pub(super) const PRINTED: usize = 16 << 10;

/// The most bytes that are kept of what a process says of its failure.
const SAID: usize = 4096;

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A shell script, with limits that are soon reached.
    fn worker(script: &str) -> Worker {
        Worker {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            time: Duration::from_secs(2),
            memory: Some(64 << 20),
            output: 1000,
        }
    }

    /// What comes of it.
    fn run(script: &str) -> Result<Vec<u8>> {
        worker(script).run(b"job")
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

    /// What a shell script prints, of which at most 1000 bytes are kept.
    fn heard(script: &str) -> Result<Printed> {
        worker(script).hear(&())
    }

    #[test]
    fn what_is_printed_is_cut_after_a_whole_line() {
        let printed = |text: &str, is_cut| Printed { text: text.to_owned(), is_cut };
        assert_eq!(heard("echo one; printf two").expect("it ends"), printed("one\ntwo", false));
        let long = heard("while :; do echo aaaaaaaa; done").expect("what was printed before");
        assert_eq!(long, printed(&"aaaaaaaa\n".repeat(111), true));
        let waiting = heard("echo before; while :; do :; done").expect("what was printed before");
        assert_eq!(waiting, printed("before\n", true));
        let error = heard("echo before; echo error: no run >&2; exit 1").expect_err("it fails");
        assert_eq!(error.to_string(), "no run");
    }

    #[test]
    fn an_answer_is_told_from_what_kernels_print() {
        let mark = |script: &str| script.replace('|', "\\036");
        for (script, printed) in [
            ("printf '|[1,2]|'", ""),
            ("printf 'lane 0\\n|[1,2]|'", "lane 0\n"),
            ("printf 'lane 0\\n|[1,2]|lane 1\\n'", "lane 0\nlane 1\n"),
            ("printf 'a|b\\n|[1,2]|c|d\\n'", "ab\ncd\n"),
        ] {
            let heard: (Vec<u32>, Printed) =
                worker(&mark(script)).ask_and_hear(&()).expect("an answer");
            assert_eq!(heard, (vec![1, 2], Printed { text: printed.into(), is_cut: false }));
        }
        let none = worker("printf 'lane 0\\n'").ask_and_hear::<Vec<u32>>(&());
        assert_eq!(none.expect_err("none").to_string(), "its process gave no answer");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_takes_much_memory_fails() {
        // On a busy machine it needs longer than 2 s to take so much.
        let patient = Worker {
            time: Duration::from_secs(60),
            ..worker("a=aaaaaaaa; while :; do a=$a$a; done")
        };
        let error = patient.run(b"job").expect_err("too much memory");
        assert!(error.to_string().contains("64 MiB"), "{error}");
    }
}
