//! What a rung is, and what it solves.
//!
//! A chapter has a [`Problem`]: buffers on the device, a reference result and a comparison with it. A [`Rung`]
//! describes one way to solve it, and its function `prepare` gives a [`Launch`]. [`crate::suite`] launches it and has
//! the result judged.

use std::{borrow::Cow, hash::Hash};

use cudarc::driver::{CudaFunction, DriverError, LaunchConfig};

use crate::{
    Case, Device, Error, Task,
    buffer::Memory,
    kernel::{self, PtxText},
    verify::{Checker, Verdict},
};

/// The problem that the rungs of a chapter solve: buffers on a device, the expected result, and how the two are
/// compared.
pub trait Problem: Sized {
    /// What the chapter's cases ask for.
    type Task: Task;

    /// What a launch promises of its result, such as the depth of its tree of additions. The tolerance of
    /// [`Problem::compare`] is derived from the promise.
    type Promise: Hash;

    /// The device that holds the buffers.
    fn device(&self) -> &Device;

    /// The case that the buffers were made for.
    fn case(&self) -> &Case<Self::Task>;

    /// All inputs and outputs.
    fn memory(&mut self) -> Vec<&mut dyn Memory>;

    /// Compares the outputs with the reference. `launches` is how often the rung ran since the last reset; only rungs
    /// that add to their output need it.
    ///
    /// # Errors
    /// [`Error::Driver`] if the results cannot be read back.
    fn compare(&self, promise: &Self::Promise, launches: u64) -> Result<Verdict, Error>;

    /// The bytes that the operation must move: what this input forces it to read, once, and every output once.
    fn traffic(&self, promise: &Self::Promise) -> Traffic;

    /// Fills all outputs with poison, and restores what the rungs change in place.
    ///
    /// # Errors
    /// The driver's error.
    fn reset(&mut self) -> Result<(), DriverError> {
        self.memory().into_iter().try_for_each(|memory| memory.poison())
    }

    /// The other devices that the rungs launch on, if there are several.
    fn peers(&self) -> &[Device] {
        &[]
    }
}

/// Compares the outputs of a problem with the reference, and its inputs with what they were. An input that has changed
/// is restored. `launches` is how often the rung ran since the last reset.
///
/// # Errors
/// [`Error::Driver`] if the results cannot be read back.
pub fn judge<P: Problem>(
    problem: &mut P,
    promise: &P::Promise,
    launches: u64,
) -> Result<Verdict, Error> {
    let mut verdict = problem.compare(promise, launches)?;
    for memory in problem.memory() {
        verdict.failures.extend(memory.change()?);
    }
    Ok(verdict)
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
pub type Prepare<P> = fn(&P, &Rung<<P as Problem>::Task>) -> Prepared<P>;

/// A rung that is ready to run on the problem `P`, or the error that stood in the way.
pub type Prepared<P> = Result<Launch<P>, Error>;

/// The rungs of a problem, in order, each with the function that prepares it.
pub type Ladder<P> = Vec<(Rung<<P as Problem>::Task>, Prepare<P>)>;

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
pub fn rungs<P: Problem>(ladder: &Ladder<P>) -> Vec<Rung<P::Task>> {
    ladder.iter().map(|(rung, _)| *rung).collect()
}

/// A kernel and its launch: one optimization step of a chapter. Every rung has a kernel, `kernels/<name>.cu`; rungs
/// that are launched alike stand in one file of `src/rungs/`, with the function that launches them.
#[derive(Clone, Copy, Debug)]
pub struct Rung<T: 'static = ()> {
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
    pub max_elements: u64,
    /// Whether the kernel never ends on a GPU. The simulator detects that, so only the simulator runs it.
    pub is_endless: bool,
    /// Gives the reason why the rung does not run on a case, if there is one.
    pub refuses: fn(&Self, &Case<T>) -> Option<Refusal>,
    /// Changes a case to the nearest one that shows what the rung is for. Broken rungs need it.
    pub adapts: fn(&Case<T>) -> Case<T>,
    /// Whether the result of a case may differ in the last bits from run to run.
    pub varies: fn(&Case<T>) -> bool,
}

impl<T: Task> Rung<T> {
    /// A correct rung for every case, compared with the bandwidth of reading.
    pub const fn new(name: &'static str, idea: &'static str, ptx: PtxText) -> Self {
        Self {
            name,
            idea,
            ptx,
            caught_by: &[],
            made_of: None,
            max_elements: u64::MAX,
            is_endless: false,
            refuses: |_, _| None,
            adapts: Case::clone,
            varies: |_| false,
        }
    }

    /// The same rung, refused where `refuses` gives a reason.
    pub const fn refuses(self, refuses: fn(&Self, &Case<T>) -> Option<Refusal>) -> Self {
        Self { refuses, ..self }
    }

    /// The same rung, left out above `max_elements` unless it is asked for by name.
    pub const fn up_to(self, max_elements: u64) -> Self {
        Self { max_elements, ..self }
    }

    /// The same rung, marked as broken on purpose: made of the right rung `of`. The checks in `caught_by` detect the
    /// fault.
    pub const fn broken(self, of: &'static str, caught_by: &'static [Checker]) -> Self {
        Self { made_of: Some(of), caught_by, ..self }
    }

    /// The same rung, run on `adapts(case)` where `case` is asked for.
    pub const fn adapts(self, adapts: fn(&Case<T>) -> Case<T>) -> Self {
        Self { adapts, ..self }
    }

    /// The same rung, whose result varies in the last bits where `varies` is true.
    pub const fn varies(self, varies: fn(&Case<T>) -> bool) -> Self {
        Self { varies, ..self }
    }

    /// The same rung, marked as one that never ends on a GPU.
    pub const fn endless(self) -> Self {
        Self { is_endless: true, ..self }
    }

    /// The reason why the rung does not run on a case, if there is one.
    pub fn refusal(&self, case: &Case<T>) -> Option<Refusal> {
        (self.refuses)(self, case)
    }

    /// The case that the rung runs on where `case` is asked for.
    pub fn case_for(&self, case: &Case<T>) -> Case<T> {
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
pub const SINGLE_THREAD_MAX: u64 = 1 << 20;

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

    /// A case of another task than the rung's own.
    pub const fn another_task() -> Self {
        Self::because("does something else; see --list")
    }
}
