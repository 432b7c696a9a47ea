//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use std::sync::Arc;

use harness::{
    AnyProblem, Case, ChapterParameters, Device, Dtype, Error, Kind, Op, Parameters, Posed, Rung,
    rung::rungs, with_element,
};
use report::{
    Chapter,
    values::{Values, chosen, parsed},
};

use crate::{
    Conversion, Matrix, SegmentParameters, Segments,
    broken::{broken, broken_products},
    problem::{
        reduce::SegmentedReduce, scan::SegmentedScan, spmv::Product, to_flags::ToFlags,
        to_offsets::ToOffsets, too_many,
    },
    products, reductions, scans,
    segments::SegmentsError,
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
    pub const OF_SEED: Self = Self { file: None };

    /// The sparse matrix of a case.
    fn matrix(&self, kind: Matrix, case: &Case) -> Result<Arc<Csr>, Error> {
        match (kind, &self.file) {
            (Matrix::File, Some(file)) => Ok(file.clone()),
            (Matrix::File, None) => {
                Err(Error::usage("no file of a matrix was read", "give --matrix FILE"))
            }
            _ => sparse::made(kind, case).map(Arc::new).map_err(too_many),
        }
    }
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
        [
            rungs(&to_flags()),
            rungs(&to_offsets()),
            rungs(&scans::<f32>()),
            rungs(&reductions::<f32>()),
            rungs(&products()),
            rungs(&broken::<f32>()),
            rungs(&broken_products()),
        ]
        .concat()
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
        // Kernels count elements and ends of segments in 32 bits, up to a whole tile.
        let most = u64::from(u32::MAX) - (1 << 16);
        match case.elements() > most {
            true => Err(too_many(SegmentsError::TooMany(case.elements() as usize))),
            false => Ok(()),
        }
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
                Posed::any(ToFlags::new(device, case)?, [to_flags()])
            }
            Task::Convert(Conversion::ToOffsets) => {
                Posed::any(ToOffsets::new(device, case)?, [to_offsets()])
            }
            Task::Scan(_) => with_element!(case.dtype, T => {
                Posed::any(SegmentedScan::<T>::new(device, case)?, [scans(), broken()])
            }),
            Task::Reduce => with_element!(case.dtype, T => {
                Posed::any(SegmentedReduce::<T>::new(device, case)?, [reductions()])
            }),
            Task::Multiply(kind) => {
                let product = Product::new(device, case, self.matrix(kind, case)?)?;
                Posed::any(product, [products(), broken_products()])
            }
        })
    }

    fn checksum_cases(&self) -> Vec<Case> {
        // Every operator and type, at a size of a few blocks and at one of many tiles.
        let mut cases = Vec::new();
        let dtypes = [Dtype::I32, Dtype::U32, Dtype::I64, Dtype::F32, Dtype::F64];
        for (dtype, op) in dtypes
            .into_iter()
            .flat_map(|d| [(d, Op::Sum), (d, Op::Max)])
            .chain([(Dtype::I64, Op::Affine)])
        {
            for kind in [Some(Kind::Inclusive), Some(Kind::Exclusive), None] {
                cases.extend([1024, (1 << 16) + 3].map(|n| {
                    Case { seed: 7, ..Case::vector(n, dtype, op) }.with(SegmentParameters {
                        kind,
                        segments: Some(Segments::PowerLaw),
                        ..SegmentParameters::default()
                    })
                }));
            }
        }
        cases.extend(Conversion::ALL.map(|conversion| {
            Case { seed: 7, ..Case::vector((1 << 16) + 3, Dtype::U32, Op::Sum) }.with(
                SegmentParameters {
                    convert: Some(conversion),
                    segments: Some(Segments::Empty),
                    ..SegmentParameters::default()
                },
            )
        }));
        cases.extend(Matrix::MADE.map(|matrix| {
            Case { seed: 7, ..Case::vector((1 << 16) + 3, Dtype::F32, Op::Sum) }
                .with(SegmentParameters { matrix: Some(matrix), ..SegmentParameters::default() })
        }));
        cases
    }
}
