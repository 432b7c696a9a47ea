//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use harness::{
    Case, Device, Dtype, Element, Ladder, Op, Posed, Rung, Shape, Suite, rung::rungs, with_number,
};
use report::{
    Chapter, Planned, Scope,
    chapter::{EVEN, MATRIX, SQUARE, sum},
};

use crate::{
    broken::broken,
    matrices,
    problem::{MatrixReduction, Reduction},
    recorded, vectors,
};

/// The rungs for vectors, the broken ones last.
fn all_vectors<T: Element>() -> Ladder<Reduction<T>> {
    [vectors(), broken()].concat()
}

/// Chapter 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reduce;

impl Chapter for Reduce {
    type Task = ();
    const NAME: &'static str = "chapter_1_reduce";
    const SUMMARY: &'static str = "Chapter 1, reduce: n elements become one";
    const LARGEST_IN_LAB: u64 = 1 << 20;

    fn rungs(&self) -> Vec<Rung> {
        let mut all = [rungs(&all_vectors::<f32>()), rungs(&matrices())].concat();
        all.sort_by_key(Rung::is_broken);
        all
    }

    fn default_shapes(&self, device: &Device) -> Vec<Shape> {
        let (rows, cols) = match device.is_simulated() {
            true => (1024, 1000),
            false => (65_536, 4096),
        };
        vec![device.usual_vector(), Shape::Matrix { rows, cols }]
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The input, results or partial results (one per 32 elements at most), and room for the driver.
        let results = case.elements() / 32 * case.dtype.accumulator().size() as u64;
        case.input_bytes() + 2 * results + (64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Posed<()> {
        match case.shape {
            Shape::Matrix { .. } => {
                Ok(Suite::boxed(MatrixReduction::new(device, case)?, matrices()))
            }
            Shape::Vector { .. } => with_number!(case.dtype, T => {
                Ok(Suite::boxed(Reduction::<T>::new(device, case)?, all_vectors()))
            }),
        }
    }

    fn checksum_cases(&self) -> Vec<Case> {
        let case = |shape, dtype, op| Case { shape, seed: 7, ..Case::vector(0, dtype, op) };
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

    /// One rung has kernels for integers alone.
    fn replay_cases(&self) -> Vec<Case> {
        let sums = [EVEN, MATRIX, SQUARE].map(|shape| sum(shape, Dtype::F32));
        sums.into_iter().chain([sum(EVEN, Dtype::I32)]).collect()
    }

    fn recorded(&self, scope: Scope) -> Vec<Planned<()>> {
        recorded::planned(scope)
    }
}

fn has_kernels(op: Op, dtype: Dtype) -> bool {
    let entry = format!("{op}_{dtype}");
    let ladder = rungs(&vectors::<f32>());
    ladder.iter().any(|rung| rung.has_entry(&entry))
}
