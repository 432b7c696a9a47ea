//! One rung from its launch to its verdict.
//!
//! A chapter has a [`Problem`]: typed buffers on the device, a reference result and a judge. A [`Rung`]
//! describes one way to solve the problem. Its function `prepare` loads the kernels and gives a
//! [`Launch`], which enqueues them as often as it is asked to.

use cudarc::driver::{CudaFunction, DriverError, LaunchConfig};

use crate::{
    Case, Device, Error, Operation,
    baselines::{BaselineRun, Baselines},
    ceiling::Ceiling,
    kernel::{self, Usage},
    ladder::{Refusal, RungInfo},
    verify::{Checker, Verdict},
};

/// A kernel and its launch: one optimization step of a chapter. Every rung has a file of its own,
/// `src/rungs/<name>.rs`, and a kernel, `kernels/<name>.cu`.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// The name in tables, on the command line and in recordings.
    pub name: &'static str,
    /// The idea that sets the rung apart from the one before it, in a line.
    pub idea: &'static str,
    /// The kernels as PTX.
    pub ptx: &'static str,
    /// The bandwidth that the rung's rate is compared with.
    pub ceiling: Ceiling,
    /// The checks that detect what is wrong with a broken rung; empty for a correct one.
    pub caught_by: &'static [Checker],
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
    pub const fn new(name: &'static str, idea: &'static str, ptx: &'static str) -> Self {
        Self {
            name,
            idea,
            ptx,
            ceiling: Ceiling::Read,
            caught_by: &[],
            most_elements: u64::MAX,
            is_endless: false,
            refuses: |_, _| None,
            adapts: |case| *case,
            varies: |_| false,
        }
    }

    /// The same rung, compared with another ceiling.
    pub const fn against(self, ceiling: Ceiling) -> Self {
        Self { ceiling, ..self }
    }

    /// The same rung, refused where `refuses` gives a reason.
    pub const fn refuses(self, refuses: fn(&Rung, &Case) -> Option<Refusal>) -> Self {
        Self { refuses, ..self }
    }

    /// The same rung, left out above `most_elements` unless it is asked for by name.
    pub const fn up_to(self, most_elements: u64) -> Self {
        Self {
            most_elements,
            ..self
        }
    }

    /// The same rung, marked as broken on purpose. The checks in `caught_by` detect the fault.
    pub const fn broken(self, caught_by: &'static [Checker]) -> Self {
        Self { caught_by, ..self }
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
        Self {
            is_endless: true,
            ..self
        }
    }

    /// Whether the rung is wrong on purpose.
    pub fn is_broken(&self) -> bool {
        !self.caught_by.is_empty()
    }

    /// The rung as the harness lists it.
    pub fn info(&self) -> RungInfo {
        RungInfo {
            caught_by: self.caught_by,
            ceiling: self.ceiling,
            most_elements: self.most_elements,
            target: kernel::lowest_target(&[self.ptx]),
            is_endless: self.is_endless,
            ..RungInfo::new(self.name, self.idea, self.ceiling)
        }
    }

    /// Whether the rung's PTX has an entry point of this name.
    pub fn has_entry(&self, name: &str) -> bool {
        kernel::has_entry(&[self.ptx], name)
    }
}

/// The problem that the rungs of a chapter solve: buffers on a device, the expected result, and the judge.
pub trait Problem: Sized {
    /// What a launch promises of its result, such as the depth of its tree of additions. The judge
    /// derives its tolerance from the promise.
    type Promise;

    /// The device that holds the buffers.
    fn device(&self) -> &Device;

    /// The case that the buffers were made for.
    fn case(&self) -> &Case;

    /// Fills all outputs with poison, and restores what the rungs change in place.
    ///
    /// # Errors
    /// The driver's error.
    fn reset(&mut self) -> Result<(), DriverError>;

    /// Compares the outputs with the reference, and the inputs with what they were. `launches` is how often
    /// the rung ran since the last reset. An input that has changed is restored.
    ///
    /// # Errors
    /// [`Error::Driver`] where the results cannot be read back.
    fn judge(&mut self, promise: &Self::Promise, launches: u64) -> Result<Verdict, Error>;

    /// The bytes that the operation must move: every input once, every output once.
    fn bytes(&self, promise: &Self::Promise) -> u64;

    /// Fills the same buffers with the inputs of another case of the same size.
    ///
    /// # Errors
    /// [`Error::Driver`] where a copy fails.
    fn refill(&mut self, case: &Case) -> Result<(), Error>;

    /// The same work by a library, on the same buffers; none where the library lacks it. Where `rung` is
    /// given, the work is the one that this rung alone does.
    ///
    /// # Errors
    /// [`Error::Baseline`] where the library fails, or its result is wrong.
    fn baseline<'a>(
        &'a mut self,
        _rung: Option<&Rung>,
        _baselines: &'a Baselines,
    ) -> Result<Option<BaselineRun<'a>>, Error> {
        Ok(None)
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
    enqueue: Enqueue<P>,
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
        Self {
            kernel,
            config,
            promise,
            enqueue: Box::new(enqueue),
        }
    }

    /// Enqueues one complete operation on the problem's stream.
    ///
    /// # Errors
    /// The driver's error.
    pub fn enqueue(&mut self, problem: &mut P) -> Result<(), DriverError> {
        (self.enqueue)(problem)
    }
}

/// Loads the kernels of a rung and allocates its scratch memory.
pub type Prepare<P> = fn(&P, &Rung) -> Result<Launch<P>, Error>;

/// The rungs of a problem, in order, each with the function that prepares it.
pub type Ladder<P> = Vec<(Rung, Prepare<P>)>;

/// A [`Ladder`] of the modules that are named: each has a `RUNG` and a function `prepare`.
#[macro_export]
macro_rules! ladder {
    [$($rung:ident),* $(,)?] => {
        vec![$(($rung::RUNG, $rung::prepare as $crate::typed::Prepare<_>)),*]
    };
}

/// The rungs of a ladder without their functions.
pub fn rungs<P: Problem>(ladder: &Ladder<P>) -> Vec<Rung> {
    ladder.iter().map(|(rung, _)| *rung).collect()
}

/// A problem together with the rungs that solve it.
pub struct Posed<P: Problem> {
    problem: P,
    ladder: Ladder<P>,
}

impl<P: Problem> Posed<P> {
    /// A problem with its ladder.
    pub fn new(problem: P, ladder: Ladder<P>) -> Self {
        Self { problem, ladder }
    }
}

impl<P: Problem> crate::Problem for Posed<P> {
    fn operation(&mut self, name: &str) -> Result<Box<dyn Operation + '_>, Error> {
        let found = self.ladder.iter().find(|(rung, _)| rung.name == name);
        let (rung, prepare) = found.ok_or_else(|| Error::unknown_kernel(name))?;
        let problem = &mut self.problem;
        let launch = prepare(problem, rung)
            .map_err(|error| kernel::explain(problem.device(), rung, error))?;
        let own = launch.config.block_dim.0;
        if let Some(threads) = problem.case().block.filter(|&threads| threads != own) {
            return Err(Error::Usage(format!(
                "{name} does not run in blocks of {threads} threads; its own have {own}"
            )));
        }
        Ok(Box::new(Prepared {
            problem,
            launch,
            launches: 0,
        }))
    }

    // The threads are those of the case.
    fn set_block(&mut self, _threads: u32) -> Result<(), Error> {
        Ok(())
    }

    fn baseline<'a>(
        &'a mut self,
        baselines: &'a Baselines,
    ) -> Result<Option<BaselineRun<'a>>, Error> {
        self.problem.baseline(None, baselines)
    }

    fn own_baseline<'a>(
        &'a mut self,
        name: &str,
        baselines: &'a Baselines,
    ) -> Result<Option<BaselineRun<'a>>, Error> {
        let rung = self.ladder.iter().find(|(rung, _)| rung.name == name);
        self.problem.baseline(rung.map(|(rung, _)| rung), baselines)
    }
}

/// A rung on a problem.
struct Prepared<'p, P: Problem> {
    problem: &'p mut P,
    launch: Launch<P>,
    /// How often the rung ran since the outputs were reset.
    launches: u64,
}

impl<P: Problem> Operation for Prepared<'_, P> {
    fn poison(&mut self) -> Result<(), DriverError> {
        self.launches = 0;
        self.problem.reset()
    }

    fn launch(&mut self) -> Result<(), DriverError> {
        self.launches += 1;
        self.launch.enqueue(self.problem)
    }

    fn replayed(&mut self) {
        self.launches += 1;
    }

    fn verify(&mut self) -> Result<Verdict, Error> {
        self.problem.judge(&self.launch.promise, self.launches)
    }

    fn bytes(&self) -> u64 {
        self.problem.bytes(&self.launch.promise)
    }

    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.problem.refill(case)
    }

    fn refills(&self) -> bool {
        true
    }

    fn usage(&self) -> Result<Usage, Error> {
        kernel::usage(
            self.problem.device(),
            &self.launch.kernel,
            &self.launch.config,
        )
    }
}
