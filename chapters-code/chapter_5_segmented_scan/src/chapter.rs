//! The ladders as the harness runs them: inputs, reference, outputs, and what runs on what.

use harness::{
    Case, Chapter, Conversion, Device, Dtype, Element, Error, Input, Kind, Matrix, Op, Operation,
    Parameters, Problem, Refusal, RungInfo, Segments, Shape,
    baselines::{BaselineRun, Baselines},
    ceiling::Ceiling,
    inputs,
    rung::MOST_OF_ONE_THREAD,
    uploaded::Uploaded,
    verify, with_element,
};

use crate::{
    PRODUCTS, REDUCTIONS, RUNGS, SCANS, TO_FLAGS, TO_OFFSETS, Task, baseline, broken, convert,
    entry_name, input,
    reference::{self, Expected},
    segments::{self, Offsets},
    sparse::{self, Csr},
};

/// Chapter 5.
#[derive(Clone, Copy, Debug, Default)]
pub struct Segmented {
    /// The matrix of cases whose matrix is [`Matrix::File`].
    pub file: Option<&'static Csr>,
}

impl Segmented {
    /// Everything made by seed.
    pub const OF_SEED: Self = Self { file: None };

    /// The sparse matrix of a case.
    fn matrix(&self, kind: Matrix, case: &Case) -> Result<Csr, Error> {
        match (kind, self.file) {
            (Matrix::File, Some(file)) => Ok(file.clone()),
            (Matrix::File, None) => {
                let what = "no file of a matrix was read\n  remedy: give --matrix FILE";
                Err(Error::Usage(what.into()))
            }
            _ => sparse::made(kind, case).map_err(refused),
        }
    }
}

/// Segments that cannot be made.
fn refused(error: segments::SegmentsError) -> Error {
    Error::Usage(format!("{error}\n  remedy: give -n, up to 4294901760"))
}

impl Chapter for Segmented {
    fn name(&self) -> &'static str {
        "chapter_5_segmented_scan"
    }

    fn summary(&self) -> &'static str {
        "Chapter 5, segmented scan: segments one behind the other, each by itself"
    }

    fn rungs(&self) -> Vec<RungInfo> {
        let tables = [
            (TO_FLAGS, Ceiling::Copy),
            (TO_OFFSETS, Ceiling::Copy),
            (SCANS, Ceiling::Copy),
            (REDUCTIONS, Ceiling::Read),
            (PRODUCTS, Ceiling::Read),
            (broken::BROKEN, Ceiling::Copy),
        ];
        let infos = |(rungs, ceiling): (&'static [harness::rung::Rung], Ceiling)| {
            rungs.iter().map(move |rung| rung.info(ceiling))
        };
        tables.into_iter().flat_map(infos).collect()
    }

    fn case_for(&self, rung: &str, case: &Case) -> Case {
        match Task::of(case) {
            _ if RUNGS.is_broken(rung) => broken::case_for(rung, case),
            // Whatever is in the segments: what is read and written are places.
            Task::Convert(_) => Case {
                dtype: Dtype::U32,
                op: Op::Sum,
                input: Input::Uniform,
                ..*case
            },
            _ => *case,
        }
    }

    fn title(&self, case: &Case) -> String {
        let task = match Task::of(case) {
            Task::Convert(_) => {
                let (shape, parameters) = (case.shape, case.parameters);
                return format!("where segments are: {shape} elements{parameters}");
            }
            Task::Scan(_) => "segmented scan",
            Task::Reduce => "segmented reduce",
            Task::Multiply => "sparse matrix times vector",
        };
        format!("{task}: {case}{}", case.parameters)
    }

    fn refusal(&self, name: &str, case: &Case) -> Option<Refusal> {
        let rung = RUNGS.find(name).ok()?;
        match case.shape {
            Shape::Matrix { .. } => Some(Refusal::WantsVector),
            _ if !Task::of(case).is_of(name) => Some(Refusal::OfAnotherKind),
            _ if !rung.has_entry(&entry_name(case)) || !has_operator(case) => {
                Some(Refusal::NoKernel)
            }
            _ => too_long(name, case),
        }
    }

    fn check(&self, case: &Case) -> Result<(), Error> {
        // What is counted beside elements are ends of segments, and elements up to a whole tile.
        let most = u64::from(u32::MAX) - (1 << 16);
        match case.elements() > most {
            true => Err(refused(segments::SegmentsError::TooMany(
                case.elements() as usize
            ))),
            false => Ok(()),
        }
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        let (n, input) = (case.elements(), case.input_bytes());
        let segments = match case.parameters.segments {
            Some(Segments::Of(length)) => n / u64::from(length),
            Some(Segments::Giant) => 1,
            _ => n / 8,
        };
        // Of a file's matrix there may be more rows than entries.
        let of_file = self.file.filter(|_| case.parameters.matrix.is_some());
        let rows = of_file.map_or(0, |file| 8 * file.rows.count() as u64);
        let columns = of_file.map_or(0, |file| 4 * u64::from(file.columns_in_all));
        // Elements, flags in both forms and offsets; results; folds of blocks; something for the driver.
        rows + columns + 2 * input + n + n / 8 + 4 * segments + input / 32 + (64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn Problem>, Error> {
        if let Some(kind) = case.parameters.matrix {
            return Ok(Box::new(Sparse::new(
                device,
                case,
                self.matrix(kind, case)?,
            )?));
        }
        if let Some(conversion) = case.parameters.convert {
            return Ok(Box::new(Converted::new(device, case, conversion)?));
        }
        with_element!(case.dtype, T => {
            Ok(Box::new(Divided::<T>::new(device, case)?))
        })
    }
}

/// A product has no operator but the sum.
fn has_operator(case: &Case) -> bool {
    Task::of(case) != Task::Multiply || case.op == Op::Sum
}

/// Whether one thread, or one block, would go through a segment for too long.
fn too_long(rung: &str, case: &Case) -> Option<Refusal> {
    let most = match rung {
        _ if rung.contains("thread_per") => MOST_OF_ONE_THREAD,
        _ if rung.contains("warp_per") || rung.contains("block_per") => 16 * MOST_OF_ONE_THREAD,
        _ => return None,
    };
    let n = case.elements();
    let longest = match (case.parameters.matrix, case.parameters.segments) {
        (Some(Matrix::LongRow | Matrix::File), _) => n - n / 2,
        (Some(Matrix::PowerLaw), _) => segments::longest(Segments::PowerLaw, n),
        (Some(Matrix::Banded), _) => 0,
        (None, segments) => segments::longest(segments.unwrap_or(Segments::Of(64)), n),
    };
    (longest > most).then_some(Refusal::TooLong { most })
}

/// Elements with their segments.
pub(crate) struct Divided<T> {
    /// As they lie on the device, and there.
    pub(crate) uploaded: Uploaded<u8>,
    pub(crate) elements: Vec<T>,
    pub(crate) offsets: Offsets,
}

impl<T: Element> Divided<T> {
    fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let elements = inputs::generate::<T>(case);
        let offsets = segments::of_case(case).map_err(refused)?;
        let host = input::pack(&elements, &offsets);
        Ok(Self {
            uploaded: Uploaded::new(device, case, host)?,
            elements,
            offsets,
        })
    }
}

impl<T: Element> Problem for Divided<T> {
    fn operation(&mut self, name: &str) -> Result<Box<dyn Operation + '_>, Error> {
        let Self {
            uploaded,
            elements,
            offsets,
        } = self;
        let ready = uploaded.ready(RUNGS.find(name)?)?;
        let (case, depth) = (uploaded.case, ready.depth);
        let (elements, offsets) = (&*elements, &*offsets);
        let (read, size) = (case.input_bytes(), size_of::<T>());
        match Task::of(&case) {
            Task::Scan(_) => {
                // However a kernel is told of segments: it takes a bit an element.
                let moved = 2 * read + case.elements().div_ceil(8);
                uploaded.operation_that_moves(moved, ready, read as usize, move |_, computed| {
                    Expected::new(&case, depth, elements, offsets).judge_scan(computed)
                })
            }
            _ => {
                let (count, written) = (offsets.count(), size * offsets.count());
                let moved = read + 4 * (count as u64 + 1) + written as u64;
                uploaded.operation_that_moves(moved, ready, written, move |_, computed| {
                    Expected::new(&case, depth, elements, offsets).judge_reduce(computed)
                })
            }
        }
    }

    fn set_block(&mut self, threads: u32) -> Result<(), Error> {
        self.uploaded.block = Some(threads);
        Ok(())
    }

    fn baseline<'a>(
        &'a mut self,
        baselines: &'a Baselines,
    ) -> Result<Option<BaselineRun<'a>>, Error> {
        baseline::segmented(self, baselines)
    }
}

/// Segments without elements, which are told in one way and asked for in the other.
struct Converted {
    uploaded: Uploaded<u8>,
    conversion: Conversion,
    offsets: Offsets,
}

impl Converted {
    fn new(device: &Device, case: &Case, conversion: Conversion) -> Result<Self, Error> {
        let offsets = segments::of_case(case).map_err(refused)?;
        Ok(Self {
            uploaded: Uploaded::new(device, case, input::pack_segments(&offsets))?,
            conversion,
            offsets,
        })
    }
}

impl Problem for Converted {
    fn operation(&mut self, name: &str) -> Result<Box<dyn Operation + '_>, Error> {
        let ready = self.uploaded.ready(RUNGS.find(name)?)?;
        let expected = convert::Expected::of(name, self.conversion, &self.offsets);
        let moved = expected.moved(&self.offsets);
        let bytes = expected.output_bytes();
        let judge = move |_: &[u8], computed: &[u8]| expected.judge(computed);
        self.uploaded
            .operation_that_moves(moved, ready, bytes, judge)
    }

    fn baseline<'a>(
        &'a mut self,
        _baselines: &'a Baselines,
    ) -> Result<Option<BaselineRun<'a>>, Error> {
        Ok(None)
    }
}

/// A sparse matrix, and a vector.
pub(crate) struct Sparse {
    /// As they lie on the device, and there.
    pub(crate) uploaded: Uploaded<u8>,
    pub(crate) matrix: Csr,
    pub(crate) x: Vec<f32>,
}

impl Sparse {
    fn new(device: &Device, case: &Case, matrix: Csr) -> Result<Self, Error> {
        let x = sparse::vector(&matrix, case);
        let host = input::pack_sparse(&matrix, &x);
        Ok(Self {
            uploaded: Uploaded::new(device, case, host)?,
            matrix,
            x,
        })
    }
}

impl Problem for Sparse {
    fn operation(&mut self, name: &str) -> Result<Box<dyn Operation + '_>, Error> {
        let ready = self.uploaded.ready(RUNGS.find(name)?)?;
        let depth = ready.depth;
        let (matrix, x) = (&self.matrix, &self.x);
        let rows = matrix.rows.count();
        // Values and columns; offsets; the vector and the result.
        let words = 2 * matrix.values.len() + (rows + 1) + x.len() + rows;
        let judge = move |_: &[u8], computed: &[u8]| {
            verify::compare(computed, reference::multiply(matrix, x, depth))
        };
        self.uploaded
            .operation_that_moves(4 * words as u64, ready, 4 * rows, judge)
    }

    fn baseline<'a>(
        &'a mut self,
        baselines: &'a Baselines,
    ) -> Result<Option<BaselineRun<'a>>, Error> {
        baseline::multiply(self, baselines)
    }
}

/// Whether a rung gives the same bits in every run: all but look-back on floats, which adds to whatever
/// prefix it meets first.
pub fn has_fixed_order(rung: &str, case: &Case) -> bool {
    rung != "lookback" || !case.dtype.is_float() || case.op != Op::Sum
}

/// The cases whose results a recorded run keeps bit by bit, for other devices to reproduce: every
/// operator and type, at a size of a few blocks and at one of many tiles.
pub fn checksum_cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let dtypes = [Dtype::I32, Dtype::U32, Dtype::I64, Dtype::F32, Dtype::F64];
    for (dtype, op) in dtypes
        .into_iter()
        .flat_map(|d| [(d, Op::Sum), (d, Op::Max)])
        .chain([(Dtype::I64, Op::Affine)])
    {
        for kind in [Some(Kind::Inclusive), Some(Kind::Exclusive), None] {
            cases.extend([1024, (1 << 16) + 3].map(|n| Case {
                seed: 7,
                parameters: Parameters {
                    kind,
                    segments: Some(Segments::PowerLaw),
                    ..Parameters::default()
                },
                ..Case::vector(n, dtype, op)
            }));
        }
    }
    cases.extend(Conversion::ALL.map(|conversion| Case {
        seed: 7,
        parameters: Parameters {
            convert: Some(conversion),
            segments: Some(Segments::Empty),
            ..Parameters::default()
        },
        ..Case::vector((1 << 16) + 3, Dtype::U32, Op::Sum)
    }));
    cases.extend(Matrix::MADE.map(|matrix| Case {
        seed: 7,
        parameters: Parameters {
            matrix: Some(matrix),
            ..Parameters::default()
        },
        ..Case::vector((1 << 16) + 3, Dtype::F32, Op::Sum)
    }));
    cases
}
