//! What the rungs that copy solve: buffers on the device, the expected result, and the judge. The other
//! problems are beside it; what all of them share is here, too.

use std::hash::{Hash, Hasher};

use harness::{
    Case, ChapterParameters, Device, Dtype, Error, InputArray, Memory, Op, Output, Problem,
    Refusal, Rung, Shape, Traffic,
    baselines::{Baselines, Way},
    inputs,
    verify::Verdict,
};

use crate::{AccessParameters, Order, Task, baseline, reference, traffic::Prediction};

/// The reason of a rung that is for another pattern of access than the case.
pub const ANOTHER_TASK: Refusal = Refusal::because("does something else; see --list");

/// What a launch promises: its kind of result, and what it asks of the memory.
pub struct Promise<P, R> {
    /// The kind of result, which the judge compares with the reference.
    pub result: R,
    /// The requests and sectors of one launch on a problem, by formula.
    pub traffic: fn(&P) -> Prediction,
}

/// The judge does not look at the traffic.
impl<P, R: Hash> Hash for Promise<P, R> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.result.hash(state);
    }
}

/// A copy of an array, whole, shifted or strided, or the sums of its pairs.
pub struct Copies {
    /// The device and its stream.
    pub device: Device,
    /// Size, pattern and input.
    pub case: Case,
    /// The number of elements that are copied, or of sums.
    pub n: u64,
    /// The elements by which one side of a shifted copy is displaced; 0 for other copies.
    pub offset: u64,
    /// The elements from one that is copied to the next; 1 for a copy without gaps.
    pub stride: u64,
    /// The elements, at least one, for drivers that allocate no empty buffer.
    pub input: InputArray<f32>,
    /// The `n` results of kernels that store them side by side.
    pub out: Output<f32>,
    /// The output of kernels that store elements at an offset or a stride. It is as long as the input, and
    /// empty where the case has neither.
    pub spread: Output<f32>,
}

/// Where a copy leaves its results.
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
}

impl Copies {
    /// Makes the input of a case and copies it to the device.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let input = InputArray::new(device, inputs::generate(case))?;
        let task = Task::of(case);
        let (offset, stride) = match task {
            Task::Offset(offset) => (offset, 1),
            Task::Stride(stride) => (0, stride),
            Task::Copy
            | Task::Pairs
            | Task::Particles
            | Task::Gather(_)
            | Task::BytesInFlight { .. } => (0, 1),
        };
        let is_displaced = matches!(task, Task::Offset(_) | Task::Stride(_));
        let spread = if is_displaced { input.host().len() } else { 0 };
        let n = task.results(case.elements());
        Ok(Self {
            device: device.clone(),
            case: *case,
            n,
            offset,
            stride,
            input,
            out: Output::new(device, n as usize)?,
            spread: Output::new(device, spread)?,
        })
    }

    fn expected(&self, result: Results) -> Vec<f32> {
        let (offset, stride) = (self.offset as usize, self.stride as usize);
        let host = self.input.host();
        match result {
            Results::Dense => reference::dense(host, offset, stride),
            Results::Spread => reference::spread(host, offset, stride),
            Results::InPlace => reference::in_place(host, offset),
            Results::PairSums => reference::pair_sums(host),
        }
    }
}

impl Problem for Copies {
    type Promise = Promise<Self, Results>;

    fn setting(&self) -> (&Device, &Case) {
        (&self.device, &self.case)
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        vec![&mut self.out, &mut self.spread, &mut self.input]
    }

    fn compare(&self, promise: &Self::Promise, _launches: u64) -> Result<Verdict, Error> {
        let out = match promise.result {
            Results::Dense | Results::PairSums => &self.out,
            Results::Spread | Results::InPlace => &self.spread,
        };
        out.compare_equal(&self.expected(promise.result))
    }

    fn traffic(&self, _promise: &Self::Promise) -> Traffic {
        Task::of(&self.case).traffic(self.n)
    }

    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.case = *case;
        self.input.refill(inputs::generate(case))
    }

    fn work(promise: &Self::Promise) -> u32 {
        promise.result as u32
    }

    fn baseline(
        &self,
        promise: &Self::Promise,
        library: &Baselines,
    ) -> Result<Vec<Way<Self>>, Error> {
        baseline::copy(self, promise.result, &self.expected(promise.result), library)
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
                _ => (!matches!(Task::of(case), $task)).then_some(ANOTHER_TASK),
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
    let repeats = AccessParameters::of(case).order.is_some_and(Order::repeats);
    let reason = "stores to each index once: give --index-order ascending, or a window's length";
    permutations_only(rung, case).or(repeats.then_some(Refusal::because(reason)))
}
