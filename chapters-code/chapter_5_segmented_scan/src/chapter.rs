//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use std::sync::Arc;

use harness::{
    Device, Dtype, Element, Error, Input, Kind, Ladder, Op, Posed, Shape, Suite, Task as _, inputs,
    rung::rungs, with_element,
};
use report::{
    Asked, Chapter, Planned, Scope,
    chapter::{EVEN, MATRIX, SQUARE, sum},
};

use crate::{
    Case, Conversion, Matrix, Rung, Segments, Task,
    broken::{broken, broken_products},
    problem::{Product, SegmentedReduce, SegmentedScan, ToFlags, ToOffsets},
    products, recorded, reductions, scans,
    segments::{self, Offsets},
    sparse::{self, Csr},
    to_flags, to_offsets,
};

/// Chapter 5.
#[derive(Clone, Debug, Default)]
pub struct Segmented {
    /// The matrix of cases whose matrix is [`Matrix::File`].
    pub file: Option<Arc<Csr>>,
}

impl Segmented {
    /// The chapter without a matrix from a file.
    pub const DEFAULT: Self = Self { file: None };
}

fn all_scans<T: Element>() -> Ladder<SegmentedScan<T>> {
    [scans(), broken()].concat()
}

fn all_products() -> Ladder<Product> {
    [products(), broken_products()].concat()
}

/// The rungs that do a task, the broken ones last.
pub fn rungs_of(task: Task) -> Vec<Rung> {
    // A rung is the same for every type of elements.
    match task {
        Task::Convert(Conversion::ToFlags, _) => rungs(&to_flags()),
        Task::Convert(Conversion::ToOffsets, _) => rungs(&to_offsets()),
        Task::Scan(..) => rungs(&all_scans::<f32>()),
        Task::Reduce(_) => rungs(&reductions::<f32>()),
        Task::Multiply(_) => rungs(&all_products()),
    }
}

/// One of each task, with the usual segments and this matrix.
fn one_of_each(matrix: Matrix) -> [Task; 5] {
    let [to_flags, to_offsets] = Conversion::ALL.map(|to| Task::Convert(to, Segments::USUAL));
    let scan = Task::Scan(Kind::Inclusive, Segments::USUAL);
    [to_flags, to_offsets, scan, Task::default(), Task::Multiply(matrix)]
}

impl Chapter for Segmented {
    type Task = Task;
    const NAME: &'static str = "chapter_5_segmented_scan";
    const SUMMARY: &'static str =
        "Chapter 5, segmented scan: adjacent segments, each processed by itself";

    fn rungs(&self) -> Vec<Rung> {
        let tasks = one_of_each(Matrix::PowerLaw).into_iter();
        let mut rungs: Vec<Rung> = tasks.flat_map(rungs_of).collect();
        rungs.sort_by_key(Rung::is_broken);
        rungs
    }

    /// Of a conversion the same case whatever elements are asked for: it reads offsets and flags alone.
    fn complete(&self, case: &Case) -> Case {
        match case.task {
            Task::Convert(..) => {
                Case { dtype: Dtype::U32, op: Op::Sum, input: Input::Uniform, ..*case }
            }
            Task::Scan(..) | Task::Reduce(_) | Task::Multiply(_) => *case,
        }
    }

    /// What is converted, scanned, reduced and multiplied: everything, if no option says what. --convert, --kind and
    /// --matrix each ask for one of these. Without --convert and --kind, --segments asks for scans and reductions, and
    /// also for conversions that are named by --kernel.
    fn tasks(&self, asked: &Asked) -> Result<Vec<Task>, Error> {
        let [converts, has_kind, has_segments, multiplies] =
            ["convert", "kind", "segments", "matrix"].map(|option| asked.has(option));
        let all = !(converts || has_kind || has_segments || multiplies);
        let [to_flags, to_offsets, scan, reduce, product] = one_of_each(Matrix::PowerLaw);

        let mut tasks = Vec::new();
        if all || converts || has_segments && !asked.kernel.is_empty() {
            let both = if converts { vec![to_flags] } else { vec![to_flags, to_offsets] };
            let converted = asked.vary(both, |option| option == "convert");
            tasks.extend(asked.vary(converted, |option| option == "segments"));
        }
        if all || has_kind || has_segments && !converts {
            tasks.extend(asked.vary(vec![scan], |option| matches!(option, "kind" | "segments")));
        }
        if all || has_segments && !converts && !has_kind {
            tasks.extend(asked.vary(vec![reduce], |option| option == "segments"));
        }
        if all || multiplies {
            tasks.extend(asked.vary(vec![product], |option| option == "matrix"));
        }
        let is_named = |rung: &Rung| asked.kernel.iter().any(|name| name == rung.name);
        let is_wanted =
            |task: &Task| asked.kernel.is_empty() || rungs_of(*task).iter().any(is_named);
        let wanted: Vec<Task> = tasks.iter().copied().filter(is_wanted).collect();
        // If none of the rungs that are named is for any of them, the report refuses the command.
        Ok(if wanted.is_empty() { tasks } else { wanted })
    }

    fn title(&self, case: &Case) -> String {
        let label = case.task.label();
        let task = match case.task {
            Task::Convert(..) => {
                let shape = case.shape;
                return format!("where segments are: {shape} elements{label}");
            }
            Task::Scan(..) => "segmented scan",
            Task::Reduce(_) => "segmented reduce",
            Task::Multiply(_) => "sparse matrix times vector",
        };
        format!("{task}: {case}{label}")
    }

    fn check(&self, case: &Case) -> Result<(), Error> {
        segments::count(case).map(drop)
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        let (n, input) = (case.elements(), case.input_bytes());
        let segments = match case.task {
            Task::Multiply(_) => n / 8,
            task => match task.segments() {
                Segments::Of(length) => n / u64::from(length),
                Segments::Giant => 1,
                _ => n / 8,
            },
        };
        // A matrix from a file may have more rows than entries.
        let file = self.file.as_ref();
        let of_file = file.filter(|_| case.task.matrix().is_some());
        let rows = of_file.map_or(0, |file| 8 * file.rows.count() as u64);
        let columns = of_file.map_or(0, |file| 4 * u64::from(file.columns_in_all));
        // Elements, flags in both forms and offsets; results; aggregates of blocks; room for the driver.
        rows + columns + 2 * input + n + n / 8 + 4 * segments + input / 32 + (64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Posed<Task> {
        Ok(match case.task {
            Task::Convert(Conversion::ToFlags, _) => {
                Suite::boxed(ToFlags::new(device, case, Offsets::of_case(case)?)?, to_flags())
            }
            Task::Convert(Conversion::ToOffsets, _) => {
                let division = Offsets::of_case(case)?.without_empty();
                let capacity = division.as_slice().len();
                Suite::boxed(ToOffsets::new(device, case, division, capacity)?, to_offsets())
            }
            Task::Scan(..) => with_element!(case.dtype, T => {
                let elements = inputs::generate::<T>(case);
                let problem = SegmentedScan::new(device, case, elements, Offsets::of_case(case)?)?;
                Suite::boxed(problem, all_scans())
            }),
            Task::Reduce(_) => with_element!(case.dtype, T => {
                let elements = inputs::generate::<T>(case);
                let problem = SegmentedReduce::new(device, case, elements, Offsets::of_case(case)?)?;
                Suite::boxed(problem, reductions())
            }),
            Task::Multiply(kind) => {
                let matrix = match (kind, &self.file) {
                    (Matrix::File, Some(file)) => file.clone(),
                    (Matrix::File, None) => {
                        let what = "no file of a matrix was read";
                        return Err(Error::usage(what, "give --matrix FILE"));
                    }
                    _ => Arc::new(sparse::made(kind, case)?),
                };
                let product = Product::new(device, case, matrix)?;
                Suite::boxed(product, all_products())
            }
        })
    }

    fn checksum_cases(&self) -> Vec<Case> {
        let case = |n, dtype, op, task: Task| Case { seed: 7, task, ..Case::vector(n, dtype, op) };
        // Every operator and type, at a size of a few blocks and at one of many tiles.
        let mut cases = Vec::new();
        let dtypes = [Dtype::I32, Dtype::U32, Dtype::I64, Dtype::F32, Dtype::F64];
        let types = dtypes.into_iter().flat_map(|dtype| [(dtype, Op::Sum), (dtype, Op::Max)]);
        for (dtype, op) in types.chain([(Dtype::I64, Op::Affine)]) {
            for kind in [Some(Kind::Inclusive), Some(Kind::Exclusive), None] {
                let task = Task::in_segments(kind, Segments::PowerLaw);
                cases.extend([1024, (1 << 16) + 3].map(|n| case(n, dtype, op, task)));
            }
        }
        let n = (1 << 16) + 3;
        cases.extend(
            Conversion::ALL
                .map(|to| case(n, Dtype::U32, Op::Sum, Task::Convert(to, Segments::Empty))),
        );
        cases.extend(
            Matrix::MADE.map(|matrix| case(n, Dtype::F32, Op::Sum, Task::Multiply(matrix))),
        );
        cases
    }

    fn sample_cases(&self, shape: Shape) -> Vec<Case> {
        let of = |task| sum(shape, Dtype::F32).with(task);
        let mut cases: Vec<Case> = one_of_each(Matrix::PowerLaw).map(of).into();
        if shape == EVEN {
            // Enough of them, and long enough, for rungs that look at that. They are alike: lanes whose
            // segments are not leave loops apart from each other if ptxas has unrolled them.
            let shape = Shape::Vector { n: 300_300 };
            cases.push(Case { shape, ..of(Task::Reduce(Segments::Of(2100))) });
        }
        cases
    }

    fn broken_cases(&self, n: u64) -> Vec<Case> {
        let tasks = [Task::Scan(Kind::Inclusive, Segments::USUAL), Task::Multiply(Matrix::LongRow)];
        tasks.map(|task| sum(Shape::Vector { n }, Dtype::F32).with(task)).into()
    }

    /// The matrix of a product is one that has the same number of rows and entries with every seed.
    fn replay_cases(&self) -> Vec<Case> {
        let shapes = [EVEN, MATRIX, SQUARE].into_iter();
        let cases = shapes.flat_map(|shape| self.sample_cases(shape));
        let fixed = |case: Case| match case.task {
            Task::Multiply(_) => case.with(Task::Multiply(Matrix::Banded)),
            _ => case,
        };
        cases.map(fixed).collect()
    }

    fn recorded(&self, scope: Scope) -> Vec<Planned<Task>> {
        recorded::planned(scope)
    }
}
