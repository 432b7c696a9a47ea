//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use harness::{
    Device, Dtype, Error, Input, Ladder, Op, Posed, Refusal, Shape, Suite, Task as _, rung::rungs,
};
use report::{
    Asked, Chapter, Planned, Scope,
    chapter::{EVEN, MATRIX, ODD, SQUARE, sum},
};

use crate::{
    Case, Rung, Task, broken::broken, indices, patterns, problem::Accesses, reads, recorded,
};

/// Chapter 7.
#[derive(Clone, Copy, Debug, Default)]
pub struct Coalescing;

/// All rungs, the broken ones last.
fn all() -> Ladder<Accesses> {
    [crate::rungs(), broken()].concat()
}

impl Chapter for Coalescing {
    type Task = Task;
    const NAME: &'static str = "chapter_7_coalescing";
    const SUMMARY: &'static str = "Chapter 7, coalescing: how memory serves a warp's request";

    fn rungs(&self) -> Vec<Rung> {
        rungs(&all())
    }

    /// One of each task, or those that the options speak of.
    fn tasks(&self, asked: &Asked) -> Result<Vec<Task>, Error> {
        let mut tasks = Vec::new();
        // Last the offsets, because of the broken rung among them that stops the device.
        for options in [
            &["stride"][..],
            &["layout"],
            &["index-order"],
            &["loads-per-thread", "resident"],
            &["offset"],
        ] {
            if options.iter().any(|option| asked.has(option)) {
                tasks.extend(asked.vary(vec![Task::Copy], |option| options.contains(&option)));
            }
        }
        let all = if tasks.is_empty() { patterns::USUAL.into() } else { tasks };
        let wanted: Vec<Task> =
            all.iter().copied().filter(|task| is_wanted(*task, &asked.kernel)).collect();
        // If the names go with none of them, what runs them says so.
        Ok(if wanted.is_empty() { all } else { wanted })
    }

    fn title(&self, case: &Case) -> String {
        let Case { shape, dtype, .. } = case;
        format!("{} of {shape} {dtype}{}", case.task.verb(), case.task.label())
    }

    fn check(&self, case: &Case) -> Result<(), Error> {
        refusal(case).map_or(Ok(()), Err)
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The input, two outputs or an output and indices, and room for the driver.
        let bytes = case.elements().saturating_mul(4);
        bytes.saturating_mul(3).saturating_add(64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Posed<Task> {
        self.check(case)?;
        Ok(Suite::boxed(Accesses::new(device, case)?, all()))
    }

    fn checksum_cases(&self) -> Vec<Case> {
        let sizes = [257, 5000, 100_003];
        let of_size = |n| {
            patterns::USUAL.map(|task| Case {
                seed: 7,
                task,
                ..Case::vector(n, Dtype::F32, Op::Sum)
            })
        };
        sizes.into_iter().flat_map(of_size).collect()
    }

    /// Every pattern on the size that is even, and on another one of each task.
    fn sample_cases(&self, shape: Shape) -> Vec<Case> {
        let tasks = match shape == EVEN {
            true => patterns::all(),
            false => patterns::USUAL.into(),
        };
        tasks.into_iter().map(|task| sum(shape, Dtype::F32).with(task)).collect()
    }

    fn variant(&self, case: &Case) -> String {
        case.task.label().replace(", ", "/")
    }

    fn broken_cases(&self, n: u64) -> Vec<Case> {
        patterns::USUAL.map(|task| sum(Shape::Vector { n }, Dtype::F32).with(task)).into()
    }

    /// Of the odd size there are fewer patterns of access.
    fn replay_cases(&self) -> Vec<Case> {
        [ODD, MATRIX, SQUARE].into_iter().flat_map(|shape| self.sample_cases(shape)).collect()
    }

    /// Inputs of other kinds: the seed also says which elements are gathered.
    fn other_inputs(&self, case: &Case) -> Vec<Case> {
        let inputs = [Input::Uniform, Input::Negative, Input::Cancelling, Input::Constant];
        inputs.map(|input| Case { input, ..*case }).into()
    }

    fn recorded(&self, scope: Scope) -> Vec<Planned<Task>> {
        recorded::planned(scope)
    }
}

/// Whether one of these rungs, if there are any, is for a task.
fn is_wanted(task: Task, names: &[String]) -> bool {
    let case = Case { task, ..Case::vector(0, Dtype::F32, Op::Sum) };
    let is_for = |rung: &Rung| rung.refusal(&case) != Some(Refusal::another_task());
    let all = rungs(&all());
    let mut named = all.iter().filter(|rung| names.iter().any(|name| name == rung.name));
    names.is_empty() || named.any(is_for)
}

/// The reason why a case makes no sense, such as addresses outside the array, and the remedy.
fn refusal(case: &Case) -> Option<Error> {
    let n = case.elements();
    let (what, remedy) = match case.task {
        Task::Offset(offset) if offset > n => (
            format!("an offset of {offset} leaves a buffer of {n} elements"),
            format!("give --offset {n} or less"),
        ),
        Task::Stride(0) => (
            "a stride of 0 would copy one element again and again".into(),
            "give --stride 1 or more".into(),
        ),
        Task::Stride(stride) if stride > n.max(1) => (
            format!("a stride of {stride} leaves a buffer of {n} elements with its first step"),
            format!("give --stride {} or less", n.max(1)),
        ),
        Task::Gather(_) if n > indices::MOST => (
            format!("{n} elements are more than indices of 32 bits reach"),
            "give -n 2^32 or less".into(),
        ),
        Task::BytesInFlight { loads, .. } if !reads::LOADS.contains(&loads) => (
            format!("there is no kernel with {loads} loads per thread under way"),
            "give --loads-per-thread 1, 2, 4 or 8".into(),
        ),
        Task::BytesInFlight { resident, .. } if !(1..=reads::MOST_RESIDENT).contains(&resident) => {
            (
                format!("a multiprocessor does not hold {resident} blocks"),
                "give --resident 1 to 8".into(),
            )
        }
        Task::BytesInFlight { loads, resident } if loads * resident > reads::MOST_TOGETHER => (
            format!(
                "{resident} blocks with {loads} loads per thread need more registers than there are"
            ),
            format!("give --resident {} or less", reads::MOST_TOGETHER / loads),
        ),
        _ => return None,
    };
    Some(Error::usage(what, remedy))
}
