//! One rung from its launch to its verdict.
//!
//! A chapter has a [`Problem`]: buffers on the device, a reference result and a judge. A [`Rung`] describes one
//! way to solve it, and its function `prepare` gives a [`Launch`]. A [`Posed`] is a problem with its rungs. Its
//! `run_rung` prepares a rung, launches it and has the result judged. [`AnyProblem`] hides the type of the elements
//! from the report.

use std::{
    borrow::Cow,
    collections::{HashMap, hash_map::Entry},
    hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash},
};

use cudarc::driver::{CudaFunction, DriverError, LaunchConfig};

use crate::{
    Case, Device, Error,
    baselines::{Baselines, Way},
    buffer::Memory,
    graph,
    kernel::{self, PtxText, Usage},
    simulator::Report,
    timing::{Bench, Comparison, Samples, Stopwatch},
    verify::{Checker, Failure, Verdict},
};

/// A problem together with the rungs that solve it.
pub struct Posed<P: Problem> {
    /// For each number of [`Problem::work`], the same work by a library; looked for once. (Before the problem, so that
    /// its memory is freed while all contexts of the problem live.)
    baselines: HashMap<u32, Option<Way<P>>>,
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
    pub baseline: Option<Compared>,
    /// The time that the device's memory needs at least; none on the simulator.
    pub ceiling_ms: Option<f64>,
    /// Registers and occupancy of the kernel.
    pub usage: Usage,
    /// The bytes that the operation must move.
    pub traffic: Traffic,
}

/// A library's time beside a rung's.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The library.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The library's call.
    pub call: String,
    /// Its samples, each taken right after one of the rung's.
    pub samples: Samples,
    /// The library's time over the rung's.
    pub comparison: Comparison,
}

/// The bytes that an operation on a given input must read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
}

impl Traffic {
    /// The bytes read and written, in total.
    pub fn bytes(self) -> u64 {
        self.read + self.written
    }

    /// Bytes read beyond those written.
    pub fn only_read(self) -> u64 {
        self.read.saturating_sub(self.written)
    }
}

/// A [`Posed`] problem of any type.
pub trait AnyProblem {
    /// Runs a rung once on poisoned outputs, and judges the result. With a bench, times the rung and judges the
    /// result of the last sample, too. The rung is compared with the first of the libraries that can do the same
    /// work, in the fastest of that library's ways. A kernel that is wrong or does not end is an outcome, not an
    /// error.
    ///
    /// # Errors
    /// [`Error::Usage`] where no rung has the name, [`Error::Module`] where its kernels cannot be loaded,
    /// [`Error::Driver`] where the device has no room, or the result cannot be read back, and
    /// [`Error::Baseline`] where a library fails, or its result is wrong.
    fn run_rung(
        &mut self,
        name: &str,
        bench: Option<&mut Bench>,
        libraries: &[Baselines],
    ) -> Result<Outcome, Error>;

    /// Captures one launch of a rung in a CUDA graph, and replays the graph on the inputs of other cases of the
    /// same size. Gives the verdict of each replay.
    ///
    /// # Errors
    /// As [`AnyProblem::run_rung`].
    fn replays(&mut self, name: &str, cases: &[Case]) -> Result<Vec<Verdict>, Error>;

    /// Prepares a rung without running it, and gives the configuration with which its kernel would be launched.
    ///
    /// # Errors
    /// As [`AnyProblem::run_rung`].
    fn config(&self, name: &str) -> Result<LaunchConfig, Error>;
}

impl<P: Problem + 'static> Posed<P> {
    /// A problem with its ladders, one after the other, as a problem of any type.
    pub fn any<const LADDERS: usize>(
        problem: P,
        ladders: [Ladder<P>; LADDERS],
    ) -> Box<dyn AnyProblem> {
        Box::new(Self::new(problem, ladders.into_iter().flatten().collect()))
    }
}

impl<P: Problem> Posed<P> {
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

    /// The verdict of [`Problem::judge`]. Memory in which other launches left the same bits, and which was right then,
    /// is not judged again: most rungs of a ladder leave the same ones, and to judge them copies gigabytes to the host.
    fn judge_once(&mut self, promise: &P::Promise, launches: u64) -> Result<Verdict, Error> {
        let p = &mut self.problem;
        if !P::is_settled(promise) {
            return p.judge(promise, launches);
        }
        let fingerprints = p.memory().into_iter().map(|memory| memory.fingerprint());
        let Some(fingerprints) = fingerprints.collect::<Result<_, _>>()? else {
            return p.judge(promise, launches);
        };
        let promised = BuildHasherDefault::<DefaultHasher>::default().hash_one(promise);
        match self.right.entry((promised, fingerprints)) {
            Entry::Occupied(known) => Ok(known.get().clone()),
            Entry::Vacant(new) => {
                let verdict = p.judge(promise, launches)?;
                if verdict.is_correct() {
                    new.insert(verdict.clone());
                }
                Ok(verdict)
            }
        }
    }
}

impl<P: Problem> AnyProblem for Posed<P> {
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
            Ok(()) => p.judge(&launch.promise, 1)?,
            Err(error) => stopped(&report, error),
        };
        verdict.failures.extend(race(&report));

        let (mut samples, mut baseline) = (None, None);
        if let (Some(bench), Ok(())) = (&mut bench, ended) {
            let (p, stopwatch) = (&mut self.problem, &mut bench.stopwatch);
            let way = match self.baselines.entry(P::work(&launch.promise)) {
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
                    baseline = Some(Compared {
                        name: way.library.clone(),
                        version: way.version.clone(),
                        call: way.name.clone(),
                        comparison: Comparison::of(&of_way, &own),
                        samples: of_way,
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

    fn replays(&mut self, name: &str, cases: &[Case]) -> Result<Vec<Verdict>, Error> {
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
            let mut verdict = p.judge(&launch.promise, 1)?;
            verdict.failures.extend(races);
            verdicts.push(verdict);
        }
        Ok(verdicts)
    }

    fn config(&self, name: &str) -> Result<LaunchConfig, Error> {
        Ok(self.prepare(name)?.config)
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
fn fastest<P: Problem>(
    problem: &P,
    stopwatch: &mut Stopwatch,
    libraries: &[Baselines],
    promise: &P::Promise,
) -> Result<Option<Way<P>>, Error> {
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

/// The verdict of a launch that did not end.
fn stopped(report: &Report, error: DriverError) -> Verdict {
    let cause = report.fault().map(|fault| fault.message.clone());
    let message = cause.unwrap_or_else(|| crate::error::Cuda(error).to_string());
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

/// The problem that the rungs of a chapter solve: buffers on a device, the expected result, and the judge.
pub trait Problem: Sized {
    /// What a launch promises of its result, such as the depth of its tree of additions. The judge
    /// derives its tolerance from the promise.
    type Promise: Hash;

    /// The device that holds the buffers, and the case that they were made for.
    fn setting(&self) -> (&Device, &Case);

    /// All inputs and outputs.
    fn memory(&mut self) -> Vec<&mut dyn Memory>;

    /// Compares the outputs with the reference. `launches` is how often the rung ran since the last reset; only rungs
    /// that add to their output need it.
    ///
    /// # Errors
    /// [`Error::Driver`] where the results cannot be read back.
    fn compare(&self, promise: &Self::Promise, launches: u64) -> Result<Verdict, Error>;

    /// Whether the verdict of [`Problem::compare`] depends on the promise and the memory alone, and not on the number of
    /// launches.
    fn is_settled(_promise: &Self::Promise) -> bool {
        true
    }

    /// The other devices that the rungs launch on, where there are several.
    fn peers(&self) -> &[Device] {
        &[]
    }

    /// The device that holds the buffers.
    fn device(&self) -> &Device {
        self.setting().0
    }

    /// The case that the buffers were made for.
    fn case(&self) -> &Case {
        self.setting().1
    }

    /// Fills all outputs with poison, and restores what the rungs change in place.
    ///
    /// # Errors
    /// The driver's error.
    fn reset(&mut self) -> Result<(), DriverError> {
        self.memory().into_iter().try_for_each(|memory| memory.poison())
    }

    /// Compares the outputs with the reference, and the inputs with what they were. An input that has changed is
    /// restored.
    ///
    /// # Errors
    /// [`Error::Driver`] where the results cannot be read back.
    fn judge(&mut self, promise: &Self::Promise, launches: u64) -> Result<Verdict, Error> {
        let mut verdict = self.compare(promise, launches)?;
        for memory in self.memory() {
            verdict.failures.extend(memory.change()?);
        }
        Ok(verdict)
    }

    /// The bytes that the operation must move: what this input forces it to read, once, and every output once.
    fn traffic(&self, promise: &Self::Promise) -> Traffic;

    /// The milliseconds that this traffic takes at least: what the memory of the device needs for it, unless something
    /// else limits the problem.
    ///
    /// # Errors
    /// [`Error::Driver`] where a measurement fails.
    fn ceiling_ms(&mut self, bench: &mut Bench, traffic: Traffic) -> Result<f64, Error> {
        bench.ceiling_ms(traffic)
    }

    /// Fills the same buffers with the inputs of another case of the same size.
    ///
    /// # Errors
    /// [`Error::Driver`] where a copy fails.
    fn refill(&mut self, case: &Case) -> Result<(), Error>;

    /// A number for the work that a launch with this promise does, where the rungs of a problem do different work.
    /// Launches with the same number are compared with the same baseline.
    fn work(_promise: &Self::Promise) -> u32 {
        0
    }

    /// The work of a launch with this promise by a library, on the same input, in each of its ways; empty where the
    /// library lacks it.
    ///
    /// # Errors
    /// [`Error::Baseline`] where the library fails, or its result is wrong.
    fn baseline(
        &self,
        _promise: &Self::Promise,
        _library: &Baselines,
    ) -> Result<Vec<Way<Self>>, Error> {
        Ok(Vec::new())
    }

    /// The work of a launch with this promise by a library that the program itself loads, in each of its ways.
    ///
    /// # Errors
    /// [`Error::Usage`] where the library is not to be had and cannot be done without.
    fn loaded_baseline(&self, _promise: &Self::Promise) -> Result<Vec<Way<Self>>, Error> {
        Ok(Vec::new())
    }
}

/// A rung that is ready to run: its kernels are loaded and its scratch memory is allocated.
pub struct Launch<P: Problem> {
    /// The kernel that reads the input. The table shows its registers and its occupancy.
    pub kernel: CudaFunction,
    /// The configuration with which that kernel is launched.
    pub config: LaunchConfig,
    /// What the launch promises of its result.
    pub promise: P::Promise,
    /// The closure that launches all of the rung's kernels.
    pub enqueue: Enqueue<P>,
}

/// Enqueues all kernels of one operation on the stream of the problem's device.
type Enqueue<P> = Box<dyn FnMut(&mut P) -> Result<(), DriverError>>;

impl<P: Problem> Launch<P> {
    /// A launch whose closure `enqueue` enqueues one complete operation on the problem's stream.
    pub fn new(
        kernel: CudaFunction,
        config: LaunchConfig,
        promise: P::Promise,
        enqueue: impl FnMut(&mut P) -> Result<(), DriverError> + 'static,
    ) -> Self {
        Self { kernel, config, promise, enqueue: Box::new(enqueue) }
    }
}

/// Loads the kernels of a rung and allocates its scratch memory. The function takes the rung because a broken
/// rung, which has its own PTX, is prepared by the function of the rung that it is a broken version of.
pub type Prepare<P> = fn(&P, &Rung) -> Prepared<P>;

/// A rung that is ready to run on the problem `P`, or the error that stood in the way.
pub type Prepared<P> = Result<Launch<P>, Error>;

/// The rungs of a problem, in order, each with the function that prepares it.
pub type Ladder<P> = Vec<(Rung, Prepare<P>)>;

/// A [`Ladder`] of the modules that are named: each has a `RUNG` and a function `prepare`. A `RUNG` is a
/// static: each unit of code that uses a constant gets its own copy of the PTX.
#[macro_export]
macro_rules! ladder {
    [$($rung:ident),* $(,)?] => {
        vec![$(($rung::RUNG, $rung::prepare as $crate::rung::Prepare<_>)),*]
    };
}

/// The static `RUNG` of a rung's file, by its name and its idea: a [`Rung`] of `kernels/<name>.ptx`, or of another text
/// that follows as `ptx = text`. The methods of [`Rung`] that stand behind that are applied to it:
/// `rung!("shuffle", "the last steps by shuffles", refuses(vectors_only))`.
#[macro_export]
macro_rules! rung {
    ($name:literal, $idea:literal $(, $method:ident($argument:expr))*) => {
        $crate::rung!(
            $name, $idea, ptx = $crate::ptx!("kernels/" $name ".ptx") $(, $method($argument))*
        );
    };
    ($name:literal, $idea:literal, ptx = $ptx:expr $(, $method:ident($argument:expr))*) => {
        #[doc = concat!("The rung `", $name, "`: ", $idea, ".")]
        pub static RUNG: $crate::Rung =
            $crate::Rung::new($name, $idea, $ptx)$(.$method($argument))*;
    };
}

/// A [`Rung`] that is wrong on purpose: its name, the right rung that it is made of, the checks that detect its fault,
/// and its idea. Its kernels are those of `kernels/broken/<name>.ptx`, unless a text is given before the checks.
#[macro_export]
macro_rules! broken {
    ($name:literal, $of:literal, [$($by:ident),*], $idea:literal) => {
        $crate::broken!($name, $of, $crate::ptx!("kernels/broken/" $name ".ptx"), [$($by),*], $idea)
    };
    ($name:literal, $of:literal, $ptx:expr, [$($by:ident),*], $idea:literal) => {
        $crate::Rung::new($name, $idea, $ptx).broken($of, &[$($crate::verify::Checker::$by),*])
    };
}

/// The rungs of a ladder without their functions.
pub fn rungs<P: Problem>(ladder: &Ladder<P>) -> Vec<Rung> {
    ladder.iter().map(|(rung, _)| *rung).collect()
}

/// A kernel and its launch: one optimization step of a chapter. Every rung has a file of its own,
/// `src/rungs/<name>.rs`, and a kernel, `kernels/<name>.cu`.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// The name in tables, on the command line and in recordings.
    pub name: &'static str,
    /// The idea that sets the rung apart from the one before it, in a line.
    pub idea: &'static str,
    /// The kernels as PTX.
    pub ptx: PtxText,
    /// The checks that detect what is wrong with a broken rung; empty for a correct one.
    pub caught_by: &'static [Checker],
    /// The right rung that a broken rung is made of; `None` for a correct one.
    pub made_of: Option<&'static str>,
    /// The largest size, in elements, on which the rung runs unless it is asked for by name.
    pub most_elements: u64,
    /// Whether the kernel never ends on a GPU. The simulator detects that, so only the simulator runs it.
    pub is_endless: bool,
    /// Gives the reason why the rung does not run on a case, if there is one.
    pub refuses: fn(&Rung, &Case) -> Option<Refusal>,
    /// Changes a case to the nearest one that shows what the rung is for. Broken rungs need it.
    pub adapts: fn(&Case) -> Case,
    /// Whether the result of a case may differ in the last bits from run to run.
    pub varies: fn(&Case) -> bool,
}

impl Rung {
    /// A correct rung for every case, compared with the bandwidth of reading.
    pub const fn new(name: &'static str, idea: &'static str, ptx: PtxText) -> Self {
        Self {
            name,
            idea,
            ptx,
            caught_by: &[],
            made_of: None,
            most_elements: u64::MAX,
            is_endless: false,
            refuses: |_, _| None,
            adapts: Case::clone,
            varies: |_| false,
        }
    }

    /// The same rung, refused where `refuses` gives a reason.
    pub const fn refuses(self, refuses: fn(&Rung, &Case) -> Option<Refusal>) -> Self {
        Self { refuses, ..self }
    }

    /// The same rung, left out above `most_elements` unless it is asked for by name.
    pub const fn up_to(self, most_elements: u64) -> Self {
        Self { most_elements, ..self }
    }

    /// The same rung, marked as broken on purpose: made of the right rung `of`. The checks in `caught_by` detect the
    /// fault.
    pub const fn broken(self, of: &'static str, caught_by: &'static [Checker]) -> Self {
        Self { made_of: Some(of), caught_by, ..self }
    }

    /// The same rung, run on `adapts(case)` where `case` is asked for.
    pub const fn adapts(self, adapts: fn(&Case) -> Case) -> Self {
        Self { adapts, ..self }
    }

    /// The same rung, whose result varies in the last bits where `varies` is true.
    pub const fn varies(self, varies: fn(&Case) -> bool) -> Self {
        Self { varies, ..self }
    }

    /// The same rung, marked as one that never ends on a GPU.
    pub const fn endless(self) -> Self {
        Self { is_endless: true, ..self }
    }

    /// The reason why the rung does not run on a case, if there is one.
    pub fn refusal(&self, case: &Case) -> Option<Refusal> {
        (self.refuses)(self, case)
    }

    /// The case that the rung runs on where `case` is asked for.
    pub fn case_for(&self, case: &Case) -> Case {
        (self.adapts)(case)
    }

    /// Whether the rung is wrong on purpose.
    pub fn is_broken(&self) -> bool {
        !self.caught_by.is_empty()
    }

    /// The least compute capability that can run the rung, times ten.
    pub fn target(&self) -> u32 {
        kernel::target(&self.ptx)
    }

    /// Whether the rung's PTX has an entry point of this name.
    pub fn has_entry(&self, name: &str) -> bool {
        kernel::has_entry(&self.ptx, name)
    }
}

/// The number of elements that one thread alone gets through in a fraction of a second: an element takes it some
/// hundred nanoseconds on a GPU.
pub const MOST_OF_ONE_THREAD: u64 = 1 << 20;

/// Why a rung does not run on a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The rung has no kernel for the operator and the type of the case.
    NoKernel,
    /// The rung is for other cases. The text follows the rung's name: `is for vectors: give -n N`.
    Unsuited(Cow<'static, str>),
    /// The rung is for such cases, but this one would take too long or too much memory. The text follows the
    /// rung's name: `has room for up to 1024 bins`.
    LeftOut(Cow<'static, str>),
}

impl Refusal {
    /// Any other reason. The text follows the rung's name.
    pub const fn because(reason: &'static str) -> Self {
        Self::Unsuited(Cow::Borrowed(reason))
    }

    /// A matrix, for a rung that is for vectors.
    pub const fn wants_vector() -> Self {
        Self::because("is for vectors: give -n N")
    }

    /// A vector, for a rung that is for matrices.
    pub const fn wants_matrix() -> Self {
        Self::because("is for matrices: give -n ROWSxCOLS")
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::{DeviceChoice, Dtype, Op, Output, verify};

    /// One number, which must be 1.
    struct Number {
        device: Device,
        case: Case,
        out: Output<u32>,
        judged: Cell<u64>,
    }

    impl Problem for Number {
        /// From which launch on the number is wrong.
        type Promise = u64;

        fn setting(&self) -> (&Device, &Case) {
            (&self.device, &self.case)
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

        fn refill(&mut self, _case: &Case) -> Result<(), Error> {
            Ok(())
        }
    }

    fn prepare(p: &Number, rung: &Rung) -> Result<Launch<Number>, Error> {
        let kernel = kernel::load(&p.device, &rung.ptx, "empty")?;
        let wrong_from = rung.most_elements;
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
        let mut posed = Posed::new(problem, vec![(rung.up_to(wrong_from), prepare as Prepare<_>)]);
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
