//! What the rungs solve: an array on the device, what else their task needs there, the expected result, and the judge.

use std::hash::{Hash, Hasher};

use cudarc::driver::DriverError;
use harness::{
    Device, Dtype, Error, InputArray, Memory, Op, Output, Problem, Refusal, Shape, Traffic, inputs,
    verify::Verdict,
};

use crate::{
    Case, Rung, Task, indices,
    particles::Layout,
    reads::{self, THREADS},
    reference,
    traffic::Prediction,
};

/// What a launch promises: its kind of result, and what it asks of the memory.
pub struct Promise {
    /// The kind of result, which the judge compares with the reference.
    pub result: Results,
    /// The requests and sectors of one launch on a problem, by formula.
    pub traffic: fn(&Accesses) -> Prediction,
}

/// The judge does not look at the traffic.
impl Hash for Promise {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.result.hash(state);
    }
}

/// An array, and the memory that the rungs of a task need besides. What a task does not need is empty.
pub struct Accesses {
    /// The device and its stream.
    pub device: Device,
    /// Size, pattern and input.
    pub case: Case,
    /// The number of results: elements, sums, particles, or packs of 16 bytes that are read.
    pub n: u64,
    /// The elements by which one side of a shifted copy is displaced; 0 for other tasks.
    pub offset: u64,
    /// The elements from one that is copied to the next; 1 for a copy without gaps.
    pub stride: u64,
    /// The elements, aligned to 16 bytes; at least one, for drivers that allocate no empty buffer.
    pub input: InputArray<f32>,
    /// One index below `n` per element of a permutation.
    pub indices: InputArray<u32>,
    /// The results side by side. Of particles, a copy of the input, made at every reset, which the launches change.
    pub out: Output<f32>,
    /// The output of kernels that store elements at an offset or a stride. It is as long as the input, and
    /// empty if the case has neither.
    pub spread: Output<f32>,
    /// One word per thread of the grid that reads.
    pub words: Output<u32>,
}

/// What a launch leaves, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Results {
    /// The elements from the offset on, one per stride, side by side in `out`.
    Dense,
    /// The first elements in `spread`, from the offset on, one per stride. The others keep their poison.
    Spread,
    /// The elements in `spread`, copied there from the input and then shifted down by the offset.
    InPlace,
    /// The sums of pairs, side by side in `out`.
    PairSums,
    /// Particles of this layout in `out`, moved once more by every launch.
    Moved(Layout),
    /// `out[i] = in[indices[i]]`.
    Gathered,
    /// `out[indices[i]] = in[i]`.
    Scattered,
    /// In `words`, the exclusive or of what each thread reads.
    Words,
}

impl Accesses {
    /// Makes the input of a case and copies it to the device.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let task = case.task;
        let (all, n) = (case.elements(), task.results(case.elements()));
        let threads = |resident| reads::blocks(device, resident) * THREADS;
        let (out, spread, words) = match task {
            Task::Copy | Task::Pairs | Task::Gather(_) => (n, 0, 0),
            Task::Offset(_) | Task::Stride(_) => (n, all, 0),
            Task::Particles => (all, 0, 0),
            Task::BytesInFlight { resident, .. } => (0, 0, threads(resident)),
        };
        Ok(Self {
            device: device.clone(),
            case: *case,
            n,
            offset: if let Task::Offset(offset) = task { offset } else { 0 },
            stride: if let Task::Stride(stride) = task { stride } else { 1 },
            input: InputArray::new(device, inputs::generate(case))?,
            indices: InputArray::new(device, indices::of(case))?,
            out: Output::new(device, out as usize)?,
            spread: Output::new(device, spread as usize)?,
            words: Output::new(device, words as usize)?,
        })
    }

    /// What `out` or `spread` should hold after a number of launches.
    pub(crate) fn expected(&self, result: Results, launches: u64) -> Vec<f32> {
        let (offset, stride) = (self.offset as usize, self.stride as usize);
        let (host, indices) = (self.input.host(), self.indices.host());
        match result {
            Results::Dense => reference::dense(host, offset, stride),
            Results::Spread => reference::spread(host, offset, stride),
            Results::InPlace => reference::in_place(host, offset),
            Results::PairSums => reference::pair_sums(host),
            Results::Moved(layout) => layout.moved(launches, host),
            Results::Gathered => reference::gather(host, indices),
            Results::Scattered => reference::scatter(host, indices),
            Results::Words => Vec::new(),
        }
    }
}

impl Problem for Accesses {
    type Task = crate::Task;
    type Promise = Promise;

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        let Self { input, indices, out, spread, words, .. } = self;
        vec![out, spread, words, input, indices]
    }

    fn reset(&mut self) -> Result<(), DriverError> {
        self.memory().into_iter().try_for_each(|memory| memory.poison())?;
        match self.case.task {
            Task::Particles => self.out.copy_from(&self.input),
            _ => Ok(()),
        }
    }

    fn compare(&self, promise: &Promise, launches: u64) -> Result<Verdict, Error> {
        let expected = self.expected(promise.result, launches);
        match promise.result {
            Results::Words => {
                let (loads, resident) = self.case.task.in_flight();
                let blocks = reads::blocks(&self.device, resident);
                self.words.compare_equal(&reference::words(self.input.host(), loads, blocks))
            }
            Results::Spread | Results::InPlace => self.spread.compare_equal(&expected),
            _ => self.out.compare_equal(&expected),
        }
    }

    fn traffic(&self, _promise: &Promise) -> Traffic {
        self.case.task.traffic(self.n)
    }
}

/// Defines functions that refuse all but vectors of `f32` and the tasks of a pattern.
macro_rules! only {
    ($($name:ident: $task:pat,)*) => {$(
        #[doc = concat!("Refuses all cases but those of the task `", stringify!($task), "`.")]
        pub fn $name(_rung: &Rung, case: &Case) -> Option<Refusal> {
            match case.shape {
                Shape::Matrix { .. } => Some(Refusal::wants_vector()),
                _ if case.op != Op::Sum || case.dtype != Dtype::F32 => Some(Refusal::NoKernel),
                _ => (!matches!(case.task, $task)).then_some(Refusal::another_task()),
            }
        }
    )*};
}

only! {
    copies_only: Task::Copy,
    offsets_only: Task::Offset(_),
    strides_only: Task::Stride(_),
    pairs_only: Task::Pairs,
    particles_only: Task::Particles,
    permutations_only: Task::Gather(_),
    reads_only: Task::BytesInFlight { .. },
}

/// Refuses also permutations whose indices may repeat.
pub fn without_repeats(rung: &Rung, case: &Case) -> Option<Refusal> {
    let repeats = matches!(case.task, Task::Gather(order) if order.repeats());
    let reason = "stores to each index once: give --index-order ascending, or a window's length";
    permutations_only(rung, case).or(repeats.then_some(Refusal::because(reason)))
}
