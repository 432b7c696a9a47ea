//! What a chapter hands to the harness, and one rung from launch to verdict.

use cudarc::driver::{DriverError, sys::CUresult};

use crate::{
    Case, Device, Error, Row, Shape,
    baselines::{BaselineRun, Baselines},
    ceiling::{Ceiling, Ceilings},
    kernel::Usage,
    row,
    rung::Enqueue,
    simulator::Report,
    timing::{Stopwatch, Time},
    typed::Rung,
    verify::{Checker, Failure, Verdict},
};

/// A rung as the harness lists and selects it.
#[derive(Clone, Copy, Debug)]
pub struct RungInfo {
    /// Its name, which is also that of its kernel file.
    pub name: &'static str,
    /// Its idea in a line.
    pub idea: &'static str,
    /// For a rung that is shown because it is wrong: what can notice it. Empty for the others.
    pub caught_by: &'static [Checker],
    /// What its rate is compared with.
    pub ceiling: Ceiling,
    /// The most elements on which it runs unless it is asked for by name.
    pub most_elements: u64,
    /// The least compute capability that has a kernel of it, times ten.
    pub target: i32,
    /// Whether it would never end on a GPU: only the simulator, which notices, runs it.
    pub is_endless: bool,
}

impl RungInfo {
    /// A rung that is meant to be right, for any device and size.
    pub const fn new(name: &'static str, idea: &'static str, ceiling: Ceiling) -> Self {
        Self {
            name,
            idea,
            caught_by: &[],
            ceiling,
            most_elements: u64::MAX,
            target: 0,
            is_endless: false,
        }
    }

    /// Whether it is shown because it is wrong.
    pub fn is_broken(&self) -> bool {
        !self.caught_by.is_empty()
    }
}

/// Why a rung does not run on a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The case is a matrix, and the rung is for vectors.
    WantsVector,
    /// The case is a vector, and the rung is for matrices.
    WantsMatrix,
    /// The case is a rectangle, and the rung is for squares.
    WantsSquare,
    /// It has no kernel for the operator and the type.
    NoKernel,
    /// It is for something else than what the case asks for.
    OfAnotherKind,
    /// It gives a segment to one thread or block, which would take too long over the longest.
    TooLong {
        /// The longest segments that it runs on, in elements.
        most: u64,
    },
    /// Its histogram has no room for so many bins.
    TooManyBins {
        /// How many it has room for.
        most: u32,
    },
    /// What stands here, said of the rung.
    Because(&'static str),
}

/// A chapter: its ladder, and how to set up the problem that its rungs solve.
pub trait Chapter {
    /// The crate's name, such as `chapter_1_reduce`.
    fn name(&self) -> &'static str;
    /// What the ladder does, in a line.
    fn summary(&self) -> &'static str;
    /// The rungs in order, the broken ones last.
    fn ladder(&self) -> Vec<Rung> {
        Vec::new()
    }
    /// The rungs in order, the broken ones last.
    fn rungs(&self) -> Vec<RungInfo> {
        self.ladder().iter().map(Rung::info).collect()
    }
    /// The sizes to run where none is asked for.
    fn default_shapes(&self, device: &Device) -> Vec<Shape> {
        vec![Shape::usual_vector(device)]
    }
    /// The case that a rung is run on when `case` is asked for: the same, save for broken rungs,
    /// which need what brings out their fault.
    fn case_for(&self, rung: &str, case: &Case) -> Case {
        let found = self.ladder().into_iter().find(|known| known.name == rung);
        found.map_or(*case, |rung| (rung.adapts)(case))
    }
    /// What a case is called in a table's title and in messages, such as `sum of 2^20 f32`.
    fn title(&self, case: &Case) -> String {
        case.to_string()
    }
    /// Why a rung does not run on a case, if it does not.
    fn refusal(&self, rung: &str, case: &Case) -> Option<Refusal> {
        let found = self.ladder().into_iter().find(|known| known.name == rung)?;
        (found.refuses)(&found, case)
    }
    /// Refuses a case that makes no sense for the chapter, before anything runs.
    ///
    /// # Errors
    /// [`Error::Usage`] with what would make sense.
    fn check(&self, _case: &Case) -> Result<(), Error> {
        Ok(())
    }
    /// Device memory that a case takes, in bytes.
    fn device_bytes(&self, case: &Case) -> u64;
    /// Makes a case's input, puts it on the device and computes what should come out.
    ///
    /// # Errors
    /// [`Error::Driver`] where its memory is not to be had.
    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn Problem>, Error>;
}

/// A case whose input is on the device.
pub trait Problem {
    /// Loads a rung's kernels and allocates what they write.
    ///
    /// # Errors
    /// [`Error::Usage`] for a rung that there is not, [`Error::Module`] where its kernels cannot be
    /// loaded, [`Error::Driver`] where its memory is not to be had.
    fn operation(&mut self, rung: &str) -> Result<Box<dyn Operation + '_>, Error>;
    /// From now on launches rungs with blocks of so many threads; a rung whose kernel does not take
    /// that many is refused by [`Problem::operation`].
    ///
    /// # Errors
    /// [`Error::Usage`] where the chapter's rungs have blocks of fixed sizes.
    fn set_block(&mut self, _threads: u32) -> Result<(), Error> {
        Err(Error::Usage(
            "the rungs of this chapter have blocks of fixed sizes".into(),
        ))
    }
    /// A library's run of the same work on the same buffers; none where it has no such call.
    ///
    /// # Errors
    /// [`Error::Baseline`] where the library fails, or its result is wrong.
    fn baseline<'a>(
        &'a mut self,
        baselines: &'a Baselines,
    ) -> Result<Option<BaselineRun<'a>>, Error>;
    /// A library's run of what one rung alone does; none where the one above stands for it too.
    ///
    /// # Errors
    /// As [`Problem::baseline`].
    fn own_baseline<'a>(
        &'a mut self,
        _rung: &str,
        _baselines: &'a Baselines,
    ) -> Result<Option<BaselineRun<'a>>, Error> {
        Ok(None)
    }
}

/// A rung that is ready to be launched, again and again.
pub trait Operation {
    /// Fills everything that the rung should write with poison.
    ///
    /// # Errors
    /// What the driver says.
    fn poison(&mut self) -> Result<(), DriverError>;
    /// Enqueues one complete operation, all its kernels, on the device's stream.
    ///
    /// # Errors
    /// What the driver says of the launches; what becomes of them shows later.
    fn launch(&mut self) -> Result<(), DriverError>;
    /// Counts as a launch, though `by` enqueues the work: it gets the input and the output.
    ///
    /// # Errors
    /// What `by` returns, and `CUDA_ERROR_NOT_SUPPORTED` for an operation that has not one input.
    fn launch_by(&mut self, _by: &mut Enqueue<'_>) -> Result<(), DriverError> {
        Err(DriverError(CUresult::CUDA_ERROR_NOT_SUPPORTED))
    }
    /// Counts a launch that a graph replays.
    fn replayed(&mut self) {}
    /// Fills the same buffers with the inputs of another case of the same size.
    ///
    /// # Errors
    /// [`Error::Usage`] for an operation that cannot.
    fn refill(&mut self, _case: &Case) -> Result<(), Error> {
        Err(Error::Usage(
            "the inputs of this operation cannot be replaced".into(),
        ))
    }
    /// Whether [`Operation::refill`] works.
    fn refills(&self) -> bool {
        false
    }
    /// Judges what the last launch left behind, and whether the input is intact.
    ///
    /// # Errors
    /// [`Error::Driver`] where the results cannot be read back.
    fn verify(&mut self) -> Result<Verdict, Error>;
    /// Bytes that the operation must move: each input once, each output once.
    fn bytes(&self) -> u64;
    /// What the main kernel takes from a multiprocessor.
    ///
    /// # Errors
    /// [`Error::Driver`] where the driver does not say.
    fn usage(&self) -> Result<Usage, Error>;
}

/// What measuring needs, on a GPU.
pub struct Bench {
    /// Times operations.
    pub stopwatch: Stopwatch,
    /// What to compare them with.
    pub ceilings: Ceilings,
}

impl Bench {
    /// Measures the ceilings; `samples` a measurement.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room for the buffers, or a call fails.
    pub fn new(device: &Device, samples: usize) -> Result<Self, Error> {
        let mut stopwatch = Stopwatch::new(device, samples)?;
        let ceilings = Ceilings::measure(device, &mut stopwatch)?;
        Ok(Self {
            stopwatch,
            ceilings,
        })
    }
}

/// A rung's run: what is to be run, where.
#[derive(Clone, Copy)]
pub struct Run<'a> {
    /// The chapter.
    pub chapter: &'a dyn Chapter,
    /// The device.
    pub device: &'a Device,
    /// The rung.
    pub rung: RungInfo,
    /// The case that the problem was made for.
    pub case: Case,
}

/// Runs a rung once on poisoned outputs and verifies it; times it where there is a bench, and then
/// verifies what the last sample left.
///
/// # Errors
/// Only where the run could not be made. A kernel that is wrong or is stopped is a result.
pub fn run_rung(
    run: Run<'_>,
    problem: &mut dyn Problem,
    bench: Option<&mut Bench>,
) -> Result<Row, Error> {
    let device = run.device;
    let mut operation = problem.operation(run.rung.name)?;
    let usage = operation.usage()?;
    let Once {
        mut verdict,
        report,
        finished,
    } = once(device, &mut *operation)?;
    let ceilings = bench.as_ref().map(|bench| bench.ceilings.clone());
    let time = match bench {
        Some(bench) if finished => {
            let time = bench.stopwatch.measure(&mut || operation.launch())?;
            // Also where it was wrong already: verifying restores an input that a launch destroyed.
            let last_sample = operation.verify()?;
            if verdict.is_correct() {
                verdict = last_sample;
            }
            Some(time)
        }
        _ => None,
    };
    Ok(row(
        run,
        verdict,
        &report,
        Measured {
            time,
            ceilings,
            usage,
            bytes: operation.bytes(),
        },
    ))
}

/// What one operation left behind.
pub(crate) struct Once {
    pub(crate) verdict: Verdict,
    pub(crate) report: Report,
    /// Whether it came to its end.
    pub(crate) finished: bool,
}

/// Launches an operation on poisoned outputs and verifies what it wrote.
pub(crate) fn once(device: &Device, operation: &mut dyn Operation) -> Result<Once, Error> {
    device.take_report();
    let launched = operation.poison().and_then(|()| operation.launch());
    let finished = launched.and_then(|()| device.stream.synchronize());
    let report = device.take_report();
    let mut verdict = match finished {
        Ok(()) => operation.verify()?,
        Err(error) => stopped(&report, error),
    };
    verdict.failures.extend(race(&report));
    Ok(Once {
        verdict,
        report,
        finished: finished.is_ok(),
    })
}

/// A launch that did not finish.
fn stopped(report: &Report, error: DriverError) -> Verdict {
    let cause = report.fault().map(|fault| fault.message.clone());
    let message = cause.unwrap_or_else(|| crate::error::Cuda(error).to_string());
    Verdict::of(Failure {
        by: Checker::Fault,
        message,
    })
}

/// The first of the races that were found.
pub(crate) fn race(report: &Report) -> Option<Failure> {
    let races = report.races();
    let first = races.first()?;
    let more = if races.len() > 1 {
        format!(" (and {} more)", races.len() - 1)
    } else {
        String::new()
    };
    Some(Failure {
        by: Checker::Races,
        message: format!("{}{more}", first.message),
    })
}

struct Measured {
    time: Option<Time>,
    ceilings: Option<Ceilings>,
    usage: Usage,
    bytes: u64,
}

fn row(run: Run<'_>, verdict: Verdict, report: &Report, measured: Measured) -> Row {
    let Run {
        chapter,
        device,
        rung,
        case,
    } = run;
    let Measured {
        time,
        ceilings,
        usage,
        bytes,
    } = measured;
    let ceiling = rung.ceiling;
    let rate = time.map(|time| time.gb_per_s(bytes));
    let of = |whole: f64| rate.map(|rate| rate / whole);
    let (n, rows, cols) = Row::sizes(&case);
    Row {
        chapter: chapter.name(),
        kernel: rung.name,
        n,
        rows,
        cols,
        dtype: case.dtype.name(),
        op: case.op.name(),
        input: case.input.name(),
        seed: case.seed,
        parameters: case.parameters,
        device: device.properties.name.clone(),
        simulated: device.is_simulated(),
        broken: rung.is_broken(),
        caught: row::caught(&verdict.failures, rung.caught_by, device.is_simulated()),
        correct: verdict.is_correct(),
        failures: verdict
            .failures
            .iter()
            .map(|failure| failure.message.clone())
            .collect(),
        error: verdict.error,
        error_bound: verdict.error_bound,
        bytes,
        time_ms: time,
        gb_per_s: rate,
        ceiling,
        fraction_of_ceiling: ceilings.as_ref().and_then(|all| of(all.gb_per_s(ceiling))),
        fraction_of_peak: ceilings.as_ref().and_then(|all| of(all.peak_gb_per_s)),
        registers: usage.registers,
        occupancy: usage.occupancy,
        baseline: None,
        counters: report.counters(),
        races: report.races(),
        title: chapter.title(&case),
        checksum: verdict.checksum,
        found: verdict.failures,
        caught_by: rung.caught_by,
    }
}

/// Times a library's run of the same work; none where it has no such call.
///
/// # Errors
/// [`Error::Driver`] where measuring fails.
pub fn time_baseline(
    baseline: Option<BaselineRun<'_>>,
    bench: &mut Bench,
) -> Result<Option<Time>, Error> {
    baseline
        .map(|mut baseline| bench.stopwatch.measure(&mut *baseline))
        .transpose()
}
