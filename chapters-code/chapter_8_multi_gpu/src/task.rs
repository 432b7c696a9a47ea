//! What a case asks for, such as an all-reduce.

use harness::{Dtype, Op, Refusal, Shape, names};

use crate::{Case, DeviceParameters};

names! {
    /// What the devices do together, as `--task` spells it.
    pub enum Task {
        /// Every device gets the sum of the arrays of all devices.
        AllReduce = "all-reduce",
        /// Every device gets one part of the sum of the arrays of all devices.
        ReduceScatter = "reduce-scatter",
        /// Every device gets the parts of all devices.
        AllGather = "all-gather",
        /// Every device sends one part of its array to each device.
        AllToAll = "all-to-all",
        /// A matrix that is spread by rows is transposed; the result is spread by rows, too.
        Transpose = "transpose",
        /// The first device gets the sum of an array that is spread over the devices.
        Reduce = "reduce",
        /// The first device gets the histogram of an array that is spread over the devices.
        Histogram = "histogram",
        /// Each element of an array that is spread over the devices becomes the sum of all elements up to it.
        Scan = "scan",
        /// The elements that are at least 0, of an array that is spread over the devices, side by side and in order.
        Compact = "compact",
    }
}

impl Task {
    /// Whether the task is for matrices. All others are for vectors.
    pub fn is_for_matrices(self) -> bool {
        self == Self::Transpose
    }

    /// The reason why the rungs of this task do not run on a case, if there is one: it is of another task, its shape is
    /// not the task's, or it is not a sum of f32. Arrays of i64 can be reduced and scanned, too.
    pub fn refusal(self, case: &Case) -> Option<Refusal> {
        if of(case) != self {
            let reason = format!("is for the task {self}: give --task {self}");
            return Some(Refusal::Unsuited(reason.into()));
        }
        let has_kernel = match case.dtype {
            Dtype::F32 => true,
            Dtype::I64 => matches!(self, Self::Reduce | Self::Scan),
            _ => false,
        };
        match (case.shape, self.is_for_matrices()) {
            (Shape::Vector { .. }, true) => Some(Refusal::wants_matrix()),
            (Shape::Matrix { .. }, false) => Some(Refusal::wants_vector()),
            _ => (case.op != Op::Sum || !has_kernel).then_some(Refusal::NoKernel),
        }
    }
}

/// The same devices with a task. A vector becomes a square matrix of about as many elements, with whole
/// packs in a row, where the task is for matrices.
pub fn doing(task: Task, case: &Case) -> Case {
    let parameters = DeviceParameters { task: Some(task), ..case.task };
    let shape = match case.shape {
        Shape::Vector { n } if task.is_for_matrices() => {
            let side = n.isqrt().next_multiple_of(4);
            Shape::Matrix { rows: side, cols: side }
        }
        shape => shape,
    };
    Case { shape, ..*case }.with(parameters)
}

/// The task of a case: an all-reduce if the case does not say.
pub fn of(case: &Case) -> Task {
    case.task.task.unwrap_or(Task::AllReduce)
}
