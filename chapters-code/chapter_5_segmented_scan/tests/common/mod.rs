//! Cases of this chapter, and its rungs run on them.

use std::sync::Arc;

use chapter_5_segmented_scan::{
    Case, Conversion, Matrix, Rung, Segments,
    broken::broken,
    chapter::{self, Segmented},
    problem::{Product, SegmentedReduce, SegmentedScan},
    reductions, scans,
    segments::Offsets,
    sparse::Csr,
    task::Task,
};
use harness::{
    Dtype, Element, Kind, Ladder, Launch, Op, Output, Prepare, Problem, verify::Verdict,
};
use report::Row;

/// All kinds of segments that the chapter names.
pub const SEGMENTS: [Segments; 7] = [
    Segments::Of(1),
    Segments::Of(32),
    Segments::Of(512),
    Segments::Giant,
    Segments::PowerLaw,
    Segments::Lopsided,
    Segments::Empty,
];

/// A case of n elements: a scan if there is a kind, otherwise a reduction.
pub fn case(n: u64, dtype: Dtype, op: Op, kind: Option<Kind>, segments: Segments) -> Case {
    Case::vector(n, dtype, op).with(Task::in_segments(kind, segments))
}

/// Both kinds of scan, and the reduction.
pub fn all_tasks(n: u64, dtype: Dtype, op: Op, segments: Segments) -> [Case; 3] {
    let kinds = [Some(Kind::Inclusive), Some(Kind::Exclusive), None];
    kinds.map(|kind| case(n, dtype, op, kind, segments))
}

/// An inclusive scan of sums of f32.
pub fn scan(n: u64, segments: Segments) -> Case {
    case(n, Dtype::F32, Op::Sum, Some(Kind::Inclusive), segments)
}

/// A conversion of segments of n elements.
pub fn conversion(n: u64, conversion: Conversion, segments: Segments) -> Case {
    Case::vector(n, Dtype::U32, Op::Sum).with(Task::Convert(conversion, segments))
}

/// A matrix of about n entries, times a vector.
pub fn product(n: u64, matrix: Matrix) -> Case {
    Case::vector(n, Dtype::F32, Op::Sum).with(Task::Multiply(matrix))
}

/// A matrix of 1,009 columns with rows of these lengths, times a vector.
pub fn product_of(lengths: &[u32]) -> Product {
    let rows = Offsets::of_lengths(lengths.iter().copied()).expect("they are few");
    let entries = 0..rows.elements() as u32;
    let columns = entries.clone().map(|i| i * 617 % 1009).collect();
    let values = entries.map(|i| (i % 31) as f32 - 14.5).collect();
    let case = product(rows.elements() as u64, Matrix::LongRow);
    let matrix = Csr { rows, columns_in_all: 1009, columns, values };
    let device = testing::simulator().device.clone();
    Product::new(&device, &case, Arc::new(matrix)).expect("memory")
}

/// Runs every rung that is meant to be right on every case.
pub fn run_all(cases: &[Case]) -> Vec<Row> {
    testing::run(&Segmented::DEFAULT, cases, &testing::is_right)
}

/// A rung on a problem of its own, which may be launched many times.
pub struct Run<P: Problem<Task = Task>> {
    /// The problem, whose buffers tests may change between launches.
    pub problem: P,
    /// The rung, prepared.
    pub launch: Launch<P>,
}

impl<P: Problem<Task = Task>> Run<P> {
    /// Prepares a rung on a problem.
    pub fn new(problem: P, (rung, prepare): &(Rung, Prepare<P>)) -> Self {
        let launch = prepare(&problem, rung).expect("it is set up");
        Self { problem, launch }
    }

    /// Launches the rung once on poisoned outputs.
    pub fn once(&mut self) -> &mut Self {
        let _one_at_a_time = testing::simulator();
        self.problem.reset().expect("it is poisoned");
        (self.launch.enqueue)(&mut self.problem).expect("it is launched");
        self
    }

    /// The verdict on what the last launch wrote.
    pub fn judged(&mut self) -> Verdict {
        let _one_at_a_time = testing::simulator();
        let verdict = harness::rung::judge(&mut self.problem, &self.launch.promise, 1);
        verdict.expect("it runs")
    }
}

/// A scan or a reduction of elements in given segments, by a rung.
pub enum AnyRun<T: Element> {
    Scan(Box<Run<SegmentedScan<T>>>),
    Reduce(Box<Run<SegmentedReduce<T>>>),
}

impl<T: Element> AnyRun<T> {
    /// Prepares the rung of this name for the task of a case.
    pub fn new(rung: &str, case: &Case, elements: &[T], offsets: &Offsets) -> Self {
        let device = &testing::simulator().device;
        let (elements, offsets) = (elements.to_vec(), offsets.clone());
        match case.task {
            Task::Reduce(_) => {
                let problem = SegmentedReduce::new(device, case, elements, offsets);
                let ladder = reductions::<T>();
                let run = Run::new(problem.expect("memory"), found(&ladder, rung));
                Self::Reduce(Box::new(run))
            }
            _ => {
                let problem = SegmentedScan::new(device, case, elements, offsets);
                let ladder: Ladder<_> =
                    [scans::<T>(), broken::<T>()].into_iter().flatten().collect();
                let run = Run::new(problem.expect("memory"), found(&ladder, rung));
                Self::Scan(Box::new(run))
            }
        }
    }

    /// What the next launch writes.
    pub fn written(&mut self) -> Vec<T> {
        match self {
            Self::Scan(run) => contents(&run.once().problem.out),
            Self::Reduce(run) => contents(&run.once().problem.out),
        }
    }

    /// Replaces the elements by as many others.
    pub fn replace(&mut self, elements: &[T]) {
        let replaced = match self {
            Self::Scan(run) => run.problem.values.refill(elements.to_vec()),
            Self::Reduce(run) => run.problem.values.refill(elements.to_vec()),
        };
        replaced.expect("it is copied");
    }

    /// The verdict on one launch.
    pub fn judged(&mut self) -> Verdict {
        match self {
            Self::Scan(run) => run.once().judged(),
            Self::Reduce(run) => run.once().judged(),
        }
    }
}

/// What was written to an output, and nothing beside it.
pub fn contents<T: Element>(output: &Output<T>) -> Vec<T> {
    let _one_at_a_time = testing::simulator();
    let written = output.download().expect("it runs");
    written.expect("nothing else is written")
}

/// The rung of this name in a ladder.
pub fn found<'l, P: Problem<Task = Task>>(
    ladder: &'l Ladder<P>,
    name: &str,
) -> &'l (Rung, Prepare<P>) {
    let found = ladder.iter().find(|(rung, _)| rung.name == name);
    found.expect("a rung")
}

/// The rungs that do a task and are meant to be right.
pub fn rungs_of(task: Task) -> impl Iterator<Item = Rung> {
    let all = chapter::rungs_of(task).into_iter();
    all.filter(|rung| !rung.is_broken())
}

/// What a rung writes for elements in given segments.
pub fn written<T: Element>(rung: &Rung, case: &Case, elements: &[T], offsets: &Offsets) -> Vec<T> {
    AnyRun::new(rung.name, case, elements, offsets).written()
}

/// Judges what a rung writes for elements in given segments.
pub fn judged<T: Element>(rung: &str, case: &Case, elements: &[T], offsets: &Offsets) -> Verdict {
    AnyRun::new(rung, case, elements, offsets).judged()
}
