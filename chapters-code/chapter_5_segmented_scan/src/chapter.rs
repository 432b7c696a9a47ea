//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use std::sync::Arc;

use harness::{
    AnyProblem, Case, ChapterParameters, Device, Dtype, Error, Input, Kind, Op, Parameters, Rung,
    Suite, inputs, rung::rungs, with_element,
};
use report::{
    Chapter,
    values::{Values, chosen, parsed},
};

use crate::{
    Conversion, Matrix, SegmentParameters, Segments,
    broken::{broken, broken_products},
    problem::{Product, SegmentedReduce, SegmentedScan, ToFlags, ToOffsets},
    products, reductions, scans,
    segments::{self, Offsets},
    sparse::{self, Csr},
    task::Task,
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

/// The rungs that do a task, the broken ones last.
pub fn rungs_of(task: Task) -> Vec<Rung> {
    // A rung is the same for every type of elements.
    match task {
        Task::Convert(Conversion::ToFlags) => rungs(&to_flags()),
        Task::Convert(Conversion::ToOffsets) => rungs(&to_offsets()),
        Task::Scan(_) => [rungs(&scans::<f32>()), rungs(&broken::<f32>())].concat(),
        Task::Reduce => rungs(&reductions::<f32>()),
        Task::Multiply(_) => [rungs(&products()), rungs(&broken_products())].concat(),
    }
}

impl Chapter for Segmented {
    fn name(&self) -> &'static str {
        "chapter_5_segmented_scan"
    }

    fn summary(&self) -> &'static str {
        "Chapter 5, segmented scan: adjacent segments, each processed by itself"
    }

    fn rungs(&self) -> Vec<Rung> {
        let [to_flags, to_offsets] = Conversion::ALL.map(Task::Convert);
        let (scan, product) = (Task::Scan(Kind::Inclusive), Task::Multiply(Matrix::File));
        let tasks = [to_flags, to_offsets, scan, Task::Reduce, product].into_iter();
        let mut rungs: Vec<Rung> = tasks.flat_map(rungs_of).collect();
        rungs.sort_by_key(Rung::is_broken);
        rungs
    }

    /// Of a conversion the same case whatever elements are asked for: it reads offsets and flags alone.
    fn complete(&self, case: &Case) -> Case {
        match Task::of(case) {
            Task::Convert(_) => {
                Case { dtype: Dtype::U32, op: Op::Sum, input: Input::Uniform, ..*case }
            }
            Task::Scan(_) | Task::Reduce | Task::Multiply(_) => *case,
        }
    }

    fn parameters_in_words(&self, case: &Case) -> String {
        SegmentParameters::of(case).to_string()
    }

    fn parameters_from(&self, value: Values<'_>) -> Result<Parameters, String> {
        Ok(SegmentParameters {
            kind: chosen(value, "kind")?,
            segments: parsed(value, "segments")?,
            convert: chosen(value, "convert")?,
            matrix: parsed(value, "matrix")?,
        }
        .into())
    }

    fn title(&self, case: &Case) -> String {
        let parameters = SegmentParameters::of(case);
        let task = match Task::of(case) {
            Task::Convert(_) => {
                let shape = case.shape;
                return format!("where segments are: {shape} elements{parameters}");
            }
            Task::Scan(_) => "segmented scan",
            Task::Reduce => "segmented reduce",
            Task::Multiply(_) => "sparse matrix times vector",
        };
        format!("{task}: {case}{parameters}")
    }

    fn check(&self, case: &Case) -> Result<(), Error> {
        segments::count(case).map(drop)
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        let (n, input) = (case.elements(), case.input_bytes());
        let segments = match SegmentParameters::of(case).segments {
            Some(Segments::Of(length)) => n / u64::from(length),
            Some(Segments::Giant) => 1,
            _ => n / 8,
        };
        // A matrix from a file may have more rows than entries.
        let file = self.file.as_ref();
        let of_file = file.filter(|_| SegmentParameters::of(case).matrix.is_some());
        let rows = of_file.map_or(0, |file| 8 * file.rows.count() as u64);
        let columns = of_file.map_or(0, |file| 4 * u64::from(file.columns_in_all));
        // Elements, flags in both forms and offsets; results; aggregates of blocks; room for the driver.
        rows + columns + 2 * input + n + n / 8 + 4 * segments + input / 32 + (64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn AnyProblem>, Error> {
        Ok(match Task::of(case) {
            Task::Convert(Conversion::ToFlags) => {
                Suite::boxed(ToFlags::new(device, case, Offsets::of_case(case)?)?, [to_flags()])
            }
            Task::Convert(Conversion::ToOffsets) => {
                let division = Offsets::of_case(case)?.without_empty();
                let capacity = division.as_slice().len();
                Suite::boxed(ToOffsets::new(device, case, division, capacity)?, [to_offsets()])
            }
            Task::Scan(_) => with_element!(case.dtype, T => {
                let elements = inputs::generate::<T>(case);
                let problem = SegmentedScan::new(device, case, elements, Offsets::of_case(case)?)?;
                Suite::boxed(problem, [scans(), broken()])
            }),
            Task::Reduce => with_element!(case.dtype, T => {
                let elements = inputs::generate::<T>(case);
                let problem = SegmentedReduce::new(device, case, elements, Offsets::of_case(case)?)?;
                Suite::boxed(problem, [reductions()])
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
                Suite::boxed(product, [products(), broken_products()])
            }
        })
    }

    fn checksum_cases(&self) -> Vec<Case> {
        let case = |n, dtype, op, parameters: SegmentParameters| {
            Case { seed: 7, ..Case::vector(n, dtype, op) }.with(parameters)
        };
        // Every operator and type, at a size of a few blocks and at one of many tiles.
        let mut cases = Vec::new();
        let dtypes = [Dtype::I32, Dtype::U32, Dtype::I64, Dtype::F32, Dtype::F64];
        let types = dtypes.into_iter().flat_map(|dtype| [(dtype, Op::Sum), (dtype, Op::Max)]);
        for (dtype, op) in types.chain([(Dtype::I64, Op::Affine)]) {
            for kind in [Some(Kind::Inclusive), Some(Kind::Exclusive), None] {
                let parameters = SegmentParameters::in_segments(kind, Segments::PowerLaw);
                cases.extend([1024, (1 << 16) + 3].map(|n| case(n, dtype, op, parameters)));
            }
        }
        let n = (1 << 16) + 3;
        cases.extend(Conversion::ALL.map(|to| {
            let parameters = SegmentParameters::conversion(to, Segments::Empty);
            case(n, Dtype::U32, Op::Sum, parameters)
        }));
        cases.extend(
            Matrix::MADE
                .map(|matrix| case(n, Dtype::F32, Op::Sum, SegmentParameters::product(matrix))),
        );
        cases
    }
}
