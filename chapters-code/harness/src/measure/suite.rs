//! Rungs of one problem, run, judged and timed.
//!
//! A [`Suite`] is a problem with its rungs. Its `run_rung` prepares a rung, launches it, has the result judged, and on a
//! GPU times it. [`AnyProblem`] hides the type of the elements from the report.

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash},
};

use cudarc::driver::{DriverError, LaunchConfig};
use recording::Baseline;

use crate::{
    Case, Error, Ladder, Launch, Problem, Traffic,
    baselines::{Baselines, LibraryRun, Ways},
    graph,
    kernel::{self, Usage},
    rung,
    simulator::Report,
    timing::{Bench, Samples, Stopwatch},
    verify::{Checker, Failure, Verdict},
};

/// A problem together with the rungs that solve it.
pub struct Suite<P: Measured> {
    /// For the hash of each [`Measured::baseline_key`], the same work by a library; looked for once. (Before the problem, so that
    /// its memory is freed while all contexts of the problem live.)
    baselines: HashMap<u64, Option<LibraryRun<P>>>,
    problem: P,
    ladder: Ladder<P>,
    /// The verdicts of memory that was judged right, by what they depend on.
    right: HashMap<Judged, Verdict>,
}

/// The hash of a promise, and the fingerprints of all memory.
type Judged = (u64, Vec<u64>);

/// What a rung did on a problem.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether the result is right, and what else was found.
    pub verdict: Verdict,
    /// What the simulator counted and found; empty on a GPU.
    pub report: Report,
    /// The time of one operation; none on the simulator, or where the launch did not end.
    pub samples: Option<Samples>,
    /// The same work by a library, timed in turn with the rung.
    pub baseline: Option<Baseline>,
    /// The time that the device's memory needs at least; none on the simulator.
    pub ceiling_ms: Option<f64>,
    /// Registers and occupancy of the kernel.
    pub usage: Usage,
    /// The bytes that the operation must move.
    pub traffic: Traffic,
}

/// What measuring a [`Problem`] needs besides: other inputs in the same memory, the time that the hardware allows, and
/// libraries that do the same work.
pub trait Measured: Problem {
    /// Fills the same buffers with the inputs of another case of the same size.
    ///
    /// # Errors
    /// [`Error::Driver`] if a copy fails.
    fn refill(&mut self, case: &Case<Self::Task>) -> Result<(), Error>;

    /// Whether the verdict of [`Problem::compare`] depends on the promise and the memory alone, and not on the number of
    /// launches.
    fn verdict_depends_on_memory_only(_promise: &Self::Promise) -> bool {
        true
    }

    /// The milliseconds that this traffic takes at least: what the memory of the device needs for it, unless something
    /// else limits the problem.
    ///
    /// # Errors
    /// [`Error::Driver`] if a measurement fails.
    fn ceiling_ms(&mut self, bench: &mut Bench, traffic: Traffic) -> Result<f64, Error> {
        bench.ceiling_ms(traffic)
    }

    /// Names the work that a launch with this promise does, if the rungs of a problem do different work. Launches with the
    /// same key are compared with the same baseline.
    fn baseline_key(_promise: &Self::Promise) -> impl Hash {}

    /// The work of a launch with this promise by a library, on the same input, in each of its ways; empty if the
    /// library lacks it.
    ///
    /// # Errors
    /// [`Error::Baseline`] if the library fails, or its result is wrong.
    fn baseline(&self, _promise: &Self::Promise, _library: &Baselines) -> Ways<Self> {
        Ok(Vec::new())
    }

    /// The work of a launch with this promise by a library that the program itself loads, in each of its ways.
    ///
    /// # Errors
    /// [`Error::Usage`] if the library is required and cannot be loaded.
    fn loaded_baseline(&self, _promise: &Self::Promise) -> Ways<Self> {
        Ok(Vec::new())
    }
}

/// A [`Suite`] of any problem.
pub trait AnyProblem {
    /// Runs a rung once on poisoned outputs, and judges the result. With a bench, times the rung and judges the
    /// result of the last sample, too. The rung is compared with the first of the libraries that can do the same
    /// work, in the fastest of that library's ways. A kernel that is wrong or does not end is an outcome, not an
    /// error.
    ///
    /// # Errors
    /// [`Error::Usage`] if no rung has the name, [`Error::Module`] if its kernels cannot be loaded,
    /// [`Error::Driver`] if the device has no room, or the result cannot be read back, and
    /// [`Error::Baseline`] if a library fails, or its result is wrong.
    fn run_rung(
        &mut self,
        name: &str,
        bench: Option<&mut Bench>,
        libraries: &[Baselines],
    ) -> Result<Outcome, Error>;

    /// Prepares a rung without running it, and gives the configuration with which its kernel would be launched.
    ///
    /// # Errors
    /// As [`AnyProblem::run_rung`].
    fn config(&self, name: &str) -> Result<LaunchConfig, Error>;
}

/// A problem with its rungs, or the error that stood in the way.
pub type Posed<T> = Result<Box<dyn AnySuite<T>>, Error>;

/// A [`Suite`] of any problem whose cases have the task `T`.
pub trait AnySuite<T>: AnyProblem {
    /// Captures one launch of a rung in a CUDA graph, and replays the graph on the inputs of other cases of the
    /// same size. Gives the verdict of each replay.
    ///
    /// # Errors
    /// As [`AnyProblem::run_rung`].
    fn replays(&mut self, name: &str, cases: &[Case<T>]) -> Result<Vec<Verdict>, Error>;
}

impl<P: Measured + 'static> Suite<P> {
    /// A problem with its ladder, as a suite of any problem.
    pub fn boxed(problem: P, ladder: Ladder<P>) -> Box<dyn AnySuite<P::Task>> {
        Box::new(Self::new(problem, ladder))
    }
}

impl<P: Measured> Suite<P> {
    /// A problem with its ladder.
    pub fn new(problem: P, ladder: Ladder<P>) -> Self {
        Self { problem, ladder, baselines: HashMap::new(), right: HashMap::new() }
    }

    fn prepare(&self, name: &str) -> Result<Launch<P>, Error> {
        let found = self.ladder.iter().find(|(rung, _)| rung.name == name);
        let (rung, prepare) = found.ok_or_else(|| Error::unknown_kernel(name))?;
        let p = &self.problem;
        let launch = prepare(p, rung).map_err(|error| kernel::explain(p.device(), rung, error))?;
        let (x, y, z) = launch.config.block_dim;
        let own = x * y * z;
        match p.case().block.filter(|&threads| threads != own) {
            None => Ok(launch),
            Some(threads) => Err(Error::Usage(format!(
                "{name} does not run in blocks of {threads} threads; its own have {own}"
            ))),
        }
    }

    /// The verdict of [`rung::judge`]. Memory in which other launches left the same bits, and which was right then,
    /// is not judged again: most rungs of a ladder leave the same ones, and to judge them copies gigabytes to the host.
    fn judge_once(&mut self, promise: &P::Promise, launches: u64) -> Result<Verdict, Error> {
        let p = &mut self.problem;
        if !P::verdict_depends_on_memory_only(promise) {
            return rung::judge(p, promise, launches);
        }
        let fingerprints = p.memory().into_iter().map(|memory| memory.fingerprint());
        let Some(fingerprints) = fingerprints.collect::<Result<_, _>>()? else {
            return rung::judge(p, promise, launches);
        };
        let promised = hash(promise);
        match self.right.entry((promised, fingerprints)) {
            Entry::Occupied(known) => Ok(known.get().clone()),
            Entry::Vacant(new) => {
                let verdict = rung::judge(p, promise, launches)?;
                if verdict.is_correct() {
                    new.insert(verdict.clone());
                }
                Ok(verdict)
            }
        }
    }
}

impl<P: Measured> AnyProblem for Suite<P> {
    fn run_rung(
        &mut self,
        name: &str,
        mut bench: Option<&mut Bench>,
        libraries: &[Baselines],
    ) -> Result<Outcome, Error> {
        let mut launch = self.prepare(name)?;
        let p = &mut self.problem;
        let device = p.device().clone();
        let is_timed = bench.is_some();
        let usage = kernel::usage(&device, &launch.kernel, &launch.config)?;

        device.take_report()?; // Forgets what the simulator reported of earlier launches.
        let launched = p.reset().and_then(|()| (launch.enqueue)(p));
        let ended = launched.and_then(|()| device.stream.synchronize());
        let report = device.take_report()?;
        let mut verdict = match ended {
            Ok(()) if is_timed => self.judge_once(&launch.promise, 1)?,
            Ok(()) => rung::judge(p, &launch.promise, 1)?,
            Err(error) => stopped(&report, error),
        };
        verdict.failures.extend(race(&report));

        let (mut samples, mut baseline) = (None, None);
        if let (Some(bench), Ok(())) = (&mut bench, ended) {
            let (p, stopwatch) = (&mut self.problem, &mut bench.stopwatch);
            let way = match self.baselines.entry(hash(P::baseline_key(&launch.promise))) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    new.insert(fastest(p, stopwatch, libraries, &launch.promise)?)
                }
            };
            let mut launches = 1;
            let mut operation = |p: &mut P| {
                launches += 1;
                (launch.enqueue)(p)
            };
            match way {
                None => samples = Some(stopwatch.measure(&mut || operation(p))?),
                Some(way) => {
                    let other = &mut |p: &mut P| (way.enqueue)(p);
                    let [own, of_way] = stopwatch.measure_in_turn(p, &mut operation, other)?;
                    baseline = Some(Baseline {
                        name: way.library.clone(),
                        version: way.version.clone(),
                        call: way.name.clone(),
                        time_ms: of_way.time(),
                        samples_us: of_way.microseconds(),
                        comparison: of_way.over(&own),
                    });
                    samples = Some(own);
                }
            }
            // Also where the first result was wrong: the judge restores an input that a launch destroyed.
            let last_sample = self.judge_once(&launch.promise, launches)?;
            if verdict.is_correct() {
                verdict = last_sample;
            }
        }
        let traffic = self.problem.traffic(&launch.promise);
        let ceiling_ms = bench.map(|bench| self.problem.ceiling_ms(bench, traffic)).transpose()?;
        Ok(Outcome { verdict, report, samples, baseline, ceiling_ms, usage, traffic })
    }

    fn config(&self, name: &str) -> Result<LaunchConfig, Error> {
        Ok(self.prepare(name)?.config)
    }
}

impl<P: Measured> AnySuite<P::Task> for Suite<P> {
    fn replays(&mut self, name: &str, cases: &[Case<P::Task>]) -> Result<Vec<Verdict>, Error> {
        let mut launch = self.prepare(name)?;
        self.right.clear(); // Other cases have other references.
        let p = &mut self.problem;
        let device = p.device().clone();
        // The driver may load a kernel at its first launch, which a capture cannot hold.
        let launched = p.reset().and_then(|()| (launch.enqueue)(p));
        let ended = launched.and_then(|()| device.stream.synchronize());
        ended.map_err(|error| device.explain("launching before a capture", error))?;
        let graph = graph::capture(&device, || {
            fork(p)?;
            (launch.enqueue)(p)?;
            join(p)
        })?;
        let mut verdicts = Vec::new();
        for case in cases {
            p.refill(case)?;
            device.take_report()?;
            let replayed = p.reset().and_then(|()| join(p)).and_then(|()| graph.launch());
            let ended = replayed.and_then(|()| device.stream.synchronize());
            ended.map_err(|error| device.explain("replaying a graph", error))?;
            let races = race(&device.take_report()?);
            let mut verdict = rung::judge(p, &launch.promise, 1)?;
            verdict.failures.extend(races);
            verdicts.push(verdict);
        }
        Ok(verdicts)
    }
}

/// Lets the streams of the other devices wait for that of the problem's device: a capture then holds their work, too.
fn fork<P: Problem>(problem: &P) -> Result<(), DriverError> {
    problem.peers().iter().try_for_each(|peer| peer.stream.join(&problem.device().stream))
}

/// Lets the stream of the problem's device wait for those of the other devices.
fn join<P: Problem>(problem: &P) -> Result<(), DriverError> {
    problem.peers().iter().try_for_each(|peer| problem.device().stream.join(&peer.stream))
}

/// The fastest of the ways of the first library that can do the work of a launch with this promise.
fn fastest<P: Measured>(
    problem: &P,
    stopwatch: &mut Stopwatch,
    libraries: &[Baselines],
    promise: &P::Promise,
) -> Result<Option<LibraryRun<P>>, Error> {
    let of_libraries = libraries.iter().map(|library| problem.baseline(promise, library));
    for ways in of_libraries.chain([problem.loaded_baseline(promise)]) {
        let mut timed = Vec::new();
        for mut way in ways? {
            let time = stopwatch.estimate(&mut || (way.enqueue)(problem))?;
            timed.push((time.median, way));
        }
        timed.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        if let Some((_, way)) = timed.into_iter().next() {
            return Ok(Some(way));
        }
    }
    Ok(None)
}

fn hash(value: impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(value)
}

/// The verdict of a launch that did not end.
fn stopped(report: &Report, error: DriverError) -> Verdict {
    let cause = report.fault().map(|fault| fault.message.clone());
    let message = cause.unwrap_or_else(|| crate::error::DisplayDriverError(error).to_string());
    Verdict::of(Failure { by: Checker::Fault, message })
}

/// The first of the races that were found.
fn race(report: &Report) -> Option<Failure> {
    let mut races = report.races();
    let first = races.next()?;
    let more = match races.count() {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    Some(Failure { by: Checker::Races, message: format!("{}{more}", first.message) })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::{Device, DeviceChoice, Dtype, Op, Output, Prepare, Rung, buffer::Memory, verify};

    /// One number, which must be 1.
    struct Number {
        device: Device,
        case: Case,
        out: Output<u32>,
        judged: Cell<u64>,
    }

    impl Problem for Number {
        type Task = ();
        /// From which launch on the number is wrong.
        type Promise = u64;

        fn device(&self) -> &Device {
            &self.device
        }

        fn case(&self) -> &Case {
            &self.case
        }

        fn memory(&mut self) -> Vec<&mut dyn Memory> {
            vec![&mut self.out]
        }

        fn compare(&self, _wrong_from: &u64, _launches: u64) -> Result<Verdict, Error> {
            self.judged.set(self.judged.get() + 1);
            self.out.compare([verify::Accepted::Equal(1)])
        }

        fn traffic(&self, _wrong_from: &u64) -> Traffic {
            Traffic { read: 0, written: 4 }
        }
    }

    impl Measured for Number {
        fn refill(&mut self, _case: &Case) -> Result<(), Error> {
            Ok(())
        }
    }

    fn prepare(p: &Number, rung: &Rung) -> Result<Launch<Number>, Error> {
        let kernel = kernel::load(&p.device, &rung.ptx, "empty")?;
        let wrong_from = rung.max_elements;
        let mut launches = 0;
        let enqueue = move |p: &mut Number| {
            launches += 1;
            let stream = p.device.stream.clone();
            stream.memcpy_htod(&[1 + u32::from(launches > wrong_from)], &mut p.out.view_mut())
        };
        Ok(Launch::new(kernel, kernel::grid(1, 1), wrong_from, enqueue))
    }

    /// The verdict of a timed run whose results are wrong from some launch on, and how often they were judged.
    fn timed(wrong_from: u64) -> Result<(Verdict, u64), Error> {
        let mut device = Device::open(DeviceChoice::Sim)?;
        (device.properties.l2_bytes, device.properties.memory_bytes) = (1 << 10, 1 << 20);
        let case = Case::vector(1, Dtype::U32, Op::Sum);
        let out = Output::new(&device, 1)?;
        let problem = Number { device: device.clone(), case, out, judged: Cell::new(0) };
        let rung = Rung::new("number", "writes 1", crate::ptx!("kernels/empty.ptx"));
        let mut posed = Suite::new(problem, vec![(rung.up_to(wrong_from), prepare as Prepare<_>)]);
        let mut bench = Bench::new(&device, 1)?;
        let outcome = posed.run_rung("number", Some(&mut bench), &[])?;
        Ok((outcome.verdict, posed.problem.judged.get()))
    }

    #[test]
    fn memory_that_did_not_change_is_judged_once() -> Result<(), Error> {
        let (verdict, judged) = timed(u64::MAX)?;
        assert!(verdict.is_correct() && judged == 1, "{verdict:?}, {judged}");
        Ok(())
    }

    #[test]
    fn a_sample_that_is_wrong_is_seen() -> Result<(), Error> {
        for wrong_from in [1, 20] {
            let (verdict, judged) = timed(wrong_from)?;
            assert!(!verdict.is_correct() && judged == 2, "{verdict:?}, {judged}");
        }
        Ok(())
    }
}
