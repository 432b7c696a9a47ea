//! The ladder as the harness runs it: inputs, reference, outputs, and what runs on what.

use std::collections::HashMap;

use harness::{
    Case, Chapter, Device, Dtype, Element, Error, Op, Operation, Problem, Refusal, RungInfo, Shape,
    baselines::{BaselineRun, Baselines},
    ceiling::Ceiling,
    inputs,
    uploaded::Uploaded,
    verify::{self, Exact},
    with_element,
};

use crate::{
    LADDER, RUNGS, Rung, baseline, broken,
    matrix::{MATRIX, folds_columns},
    reference::{Folded, fold},
};

/// Chapter 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reduce;

fn is_matrix(rung: &Rung) -> bool {
    MATRIX.iter().any(|matrix| matrix.name == rung.name)
}

impl Chapter for Reduce {
    fn name(&self) -> &'static str {
        "chapter_1_reduce"
    }

    fn summary(&self) -> &'static str {
        "Chapter 1, reduce: n elements become one"
    }

    fn rungs(&self) -> Vec<RungInfo> {
        RUNGS.infos(Ceiling::Read)
    }

    fn default_shapes(&self, device: &Device) -> Vec<Shape> {
        let (rows, cols) = match device.is_simulated() {
            true => (1024, 1000),
            false => (65_536, 4096),
        };
        vec![Shape::usual_vector(device), Shape::Matrix { rows, cols }]
    }

    fn case_for(&self, rung: &str, case: &Case) -> Case {
        match case.shape {
            Shape::Vector { .. } if RUNGS.is_broken(rung) => broken::case_for(rung, case),
            _ => *case,
        }
    }

    fn refusal(&self, name: &str, case: &Case) -> Option<Refusal> {
        let rung = RUNGS.find(name).ok()?;
        let entry = format!("{}_{}", case.op, case.dtype);
        match case.shape {
            Shape::Vector { .. } if is_matrix(rung) => Some(Refusal::WantsMatrix),
            Shape::Matrix { .. } if !is_matrix(rung) => Some(Refusal::WantsVector),
            _ if !rung.has_entry(&entry) => Some(Refusal::NoKernel),
            _ => None,
        }
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The input, results or partials (of a block of 32 each, at worst), and something for the
        // driver.
        let partials = case.elements() / 32 * case.dtype.accumulator().size() as u64;
        case.input_bytes() + 2 * partials + (64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn Problem>, Error> {
        with_element!(case.dtype, T => Ok(Box::new(Reduction::<T>::new(device, case)?)))
    }
}

/// A case, and what should come out for each way of folding; a matrix has two.
struct Reduction<T> {
    uploaded: Uploaded<T>,
    folded: HashMap<bool, Vec<Folded>>,
}

impl<T: Element> Reduction<T> {
    fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        Ok(Self {
            uploaded: Uploaded::new(device, case, inputs::generate::<T>(case))?,
            folded: HashMap::new(),
        })
    }

    /// The reference: one value for a vector, one for each row or column of a matrix.
    fn folded(&mut self, columns: bool) -> &[Folded] {
        let (case, host) = (self.uploaded.case, &self.uploaded.host);
        self.folded
            .entry(columns)
            .or_insert_with(|| match case.shape {
                Shape::Vector { .. } => vec![fold(case.op, host.iter().copied())],
                Shape::Matrix { rows, cols } => {
                    let (rows, cols) = (rows as usize, cols as usize);
                    let row = |r: usize| &host[r * cols..(r + 1) * cols];
                    if columns {
                        fold_columns(case.op, host, rows, cols)
                    } else {
                        (0..rows)
                            .map(|r| fold(case.op, row(r).iter().copied()))
                            .collect()
                    }
                }
            })
    }
}

/// Folds columns a few at a time: walking one down a wide matrix misses the caches at every step.
fn fold_columns<T: Element>(op: Op, host: &[T], rows: usize, cols: usize) -> Vec<Folded> {
    const TOGETHER: usize = 64;
    let mut folded = Vec::with_capacity(cols);
    for first in (0..cols).step_by(TOGETHER) {
        let wide = TOGETHER.min(cols - first);
        let mut columns = vec![Vec::with_capacity(rows); wide];
        for r in 0..rows {
            let part = &host[r * cols + first..][..wide];
            columns
                .iter_mut()
                .zip(part)
                .for_each(|(column, &x)| column.push(x));
        }
        folded.extend(
            columns
                .into_iter()
                .map(|column| fold(op, column.into_iter())),
        );
    }
    folded
}

impl<T: Element> Problem for Reduction<T> {
    fn operation(&mut self, name: &str) -> Result<Box<dyn Operation + '_>, Error> {
        let ready = self.uploaded.ready(RUNGS.find(name)?)?;
        let case = self.uploaded.case;
        let expected: Vec<Exact<T::Acc>> = self
            .folded(folds_columns(name))
            .iter()
            .map(|folded| folded.expect::<T>(&case, ready.depth, ready.underflow))
            .collect();
        let bytes = expected.len() * size_of::<T::Acc>();
        self.uploaded.operation(ready, bytes, move |_, computed| {
            verify::compare(computed, expected.iter().copied())
        })
    }

    fn set_block(&mut self, threads: u32) -> Result<(), Error> {
        self.uploaded.block = Some(threads);
        Ok(())
    }

    fn baseline<'a>(
        &'a mut self,
        baselines: &'a Baselines,
    ) -> Result<Option<BaselineRun<'a>>, Error> {
        let case = self.uploaded.case;
        if matches!(case.shape, Shape::Matrix { .. }) {
            return Ok(None);
        }
        // Any order of additions is within the bound of the deepest.
        let expected: Vec<_> = self
            .folded(false)
            .iter()
            .map(|folded| folded.expect::<T>(&case, case.elements(), 0.0))
            .collect();
        let Uploaded { device, input, .. } = &self.uploaded;
        baseline::reduce(device, &case, input, expected, baselines)
    }
}

/// Whether a rung gives the same bits in every run: all but sums and products of floats whose order
/// is the machine's.
pub fn has_fixed_order(rung: &str, case: &Case) -> bool {
    let rounds = case.dtype.is_float() && matches!(case.op, Op::Sum | Op::Product);
    rung != "finish_atomic" || !rounds
}

/// The cases whose results a recorded run keeps bit by bit, for other devices to reproduce.
pub fn checksum_cases() -> Vec<Case> {
    let case = |shape, dtype, op| Case {
        shape,
        seed: 7,
        ..Case::vector(0, dtype, op)
    };
    let vector = |n| Shape::Vector { n };
    let mut cases = Vec::new();
    for dtype in Dtype::ALL {
        for op in Op::ALL.into_iter().filter(|&op| has_kernels(op, dtype)) {
            cases.extend([1024, (1 << 16) + 3].map(|n| case(vector(n), dtype, op)));
        }
    }
    cases.extend([Dtype::F32, Dtype::I32].map(|dtype| case(vector(1 << 20), dtype, Op::Sum)));
    for (rows, cols) in [(257, 1000), (1000, 33)] {
        let shape = Shape::Matrix { rows, cols };
        cases.extend([Op::Sum, Op::Max, Op::Min].map(|op| case(shape, Dtype::F32, op)));
    }
    cases
}

fn has_kernels(op: Op, dtype: Dtype) -> bool {
    let entry = format!("{op}_{dtype}");
    LADDER.iter().any(|rung| rung.has_entry(&entry))
}
