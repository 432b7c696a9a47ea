//! What a chapter gives to its program, the recorder and the tests.

use harness::{Case, Device, Dtype, Error, Input, Op, Posed, Rung, Shape, Task};

use crate::{
    asked::Asked,
    planned::{Planned, Scope},
};

/// A chapter: its rungs, and the problems that they solve. Whoever knows the chapter only by its name has an
/// [`AnyChapter`](crate::AnyChapter), which every chapter is.
pub trait Chapter: Send + Sync {
    /// What its cases ask for besides size, type, operator and input.
    type Task: Task;

    /// The name of the crate, such as `chapter_1_reduce`.
    const NAME: &'static str;

    /// What the rungs do, in a line.
    const SUMMARY: &'static str;

    /// The type of elements to run if none is asked for.
    const DEFAULT_DTYPE: Dtype = Dtype::F32;

    /// Whether the program has options for types, operators and inputs.
    const HAS_TYPES: bool = true;

    /// The largest vector that the lab offers.
    const LARGEST_IN_LAB: u64 = 1 << 16;

    /// The rungs in order, the broken ones last.
    fn rungs(&self) -> Vec<Rung<Self::Task>>;

    /// Makes the inputs of a case on the device, and computes what should come out.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room.
    fn problem(&self, device: &Device, case: &Case<Self::Task>) -> Posed<Self::Task>;

    /// The memory that a case takes on each device, in bytes.
    fn device_bytes(&self, case: &Case<Self::Task>) -> u64;

    /// The sizes to run if none is asked for.
    fn default_shapes(&self, device: &Device) -> Vec<Shape> {
        vec![device.usual_vector()]
    }

    /// What to run if a command line asks for this: every combination of the values, with the default of an option that
    /// is left out.
    ///
    /// # Errors
    /// [`Error::Usage`] if options contradict each other.
    fn tasks(&self, asked: &Asked) -> Result<Vec<Self::Task>, Error> {
        Ok(asked.combinations())
    }

    /// What a case is called in a table's title and in messages, such as `sum of 2^20 f32`.
    fn title(&self, case: &Case<Self::Task>) -> String {
        case.to_string()
    }

    /// The case with what the chapter fixes, or fills in, for its task.
    fn complete(&self, case: &Case<Self::Task>) -> Case<Self::Task> {
        *case
    }

    /// The case that a rung runs on if `case` is asked for.
    fn case_for(&self, rung: &Rung<Self::Task>, case: &Case<Self::Task>) -> Case<Self::Task> {
        rung.case_for(&self.complete(case))
    }

    /// Refuses a case that makes no sense for the chapter, before anything runs.
    ///
    /// # Errors
    /// [`Error::Usage`] with what would make sense.
    fn check(&self, _case: &Case<Self::Task>) -> Result<(), Error> {
        Ok(())
    }

    /// The number of devices that a case uses at the same time.
    fn devices(&self, _case: &Case<Self::Task>) -> usize {
        1
    }

    /// The cases whose results a recorded run keeps bit by bit, for other devices to reproduce.
    fn checksum_cases(&self) -> Vec<Case<Self::Task>> {
        Vec::new()
    }

    /// Cases of a size on which, together, every rung that is for that shape runs: what is counted and profiled, and
    /// what the lab shows.
    fn sample_cases(&self, shape: Shape) -> Vec<Case<Self::Task>> {
        vec![sum(shape, Dtype::F32).with(Self::Task::default())]
    }

    /// What tells apart sample cases of one size and type on which the same rung runs, such as `/offset 1`.
    fn variant(&self, _case: &Case<Self::Task>) -> String {
        String::new()
    }

    /// Cases of `n` elements on which, together, every broken rung shows its fault.
    fn broken_cases(&self, n: u64) -> Vec<Case<Self::Task>> {
        vec![sum(Shape::Vector { n }, Dtype::F32).with(Self::Task::default())]
    }

    /// Cases on which, together, every rung is captured in a graph and replayed; none if that is not done.
    fn replay_cases(&self) -> Vec<Case<Self::Task>> {
        let shapes = [EVEN, MATRIX, SQUARE].into_iter();
        shapes.flat_map(|shape| self.sample_cases(shape)).collect()
    }

    /// The same case with other inputs, on which a captured graph is replayed.
    fn other_inputs(&self, case: &Case<Self::Task>) -> Vec<Case<Self::Task>> {
        [1, 2, 3, 4].map(|seed| Case { seed, ..*case }).into()
    }

    /// What a recorded run has of this chapter.
    fn recorded(&self, _scope: Scope) -> Vec<Planned<Self::Task>> {
        Vec::new()
    }

    /// The rung of this name, if there is one.
    fn find(&self, name: &str) -> Option<Rung<Self::Task>> {
        self.rungs().into_iter().find(|rung| rung.name == name)
    }
}

/// 256 blocks of 256 threads have one element per thread.
pub const EVEN: Shape = Shape::Vector { n: 1 << 16 };
/// No block size divides this size.
pub const ODD: Shape = Shape::Vector { n: 100_003 };
/// A matrix whose sides are no powers of two.
pub const MATRIX: Shape = Shape::Matrix { rows: 300, cols: 200 };
/// For rungs that work in place.
pub const SQUARE: Shape = Shape::Matrix { rows: 200, cols: 200 };

/// The sum of uniform elements of a type, with seed 1, without a task.
pub fn sum(shape: Shape, dtype: Dtype) -> Case {
    let (op, input) = (Op::Sum, Input::Uniform);
    Case { shape, dtype, op, input, seed: 1, task: (), block: None }
}
