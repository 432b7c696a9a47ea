//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use harness::{
    AnyProblem, Case, Device, Dtype, Error, Op, Rung, Shape, Suite, rung::rungs, with_number,
};
use report::Chapter;

use crate::{
    broken::broken,
    matrices,
    problem::{MatrixReduction, Reduction},
    vectors,
};

/// Chapter 1.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reduce;

impl Chapter for Reduce {
    fn name(&self) -> &'static str {
        "chapter_1_reduce"
    }

    fn summary(&self) -> &'static str {
        "Chapter 1, reduce: n elements become one"
    }

    fn rungs(&self) -> Vec<Rung> {
        let (vectors, broken) = (vectors::<f32>(), broken::<f32>());
        [rungs(&vectors), rungs(&matrices()), rungs(&broken)].concat()
    }

    fn default_shapes(&self, device: &Device) -> Vec<Shape> {
        let (rows, cols) = match device.is_simulated() {
            true => (1024, 1000),
            false => (65_536, 4096),
        };
        vec![Shape::usual_vector(device), Shape::Matrix { rows, cols }]
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The input, results or partial results (one per 32 elements at most), and room for the driver.
        let results = case.elements() / 32 * case.dtype.accumulator().size() as u64;
        case.input_bytes() + 2 * results + (64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn AnyProblem>, Error> {
        match case.shape {
            Shape::Matrix { .. } => {
                Ok(Suite::boxed(MatrixReduction::new(device, case)?, [matrices()]))
            }
            Shape::Vector { .. } => with_number!(case.dtype, T => {
                Ok(Suite::boxed(Reduction::<T>::new(device, case)?, [vectors(), broken()]))
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
}

fn has_kernels(op: Op, dtype: Dtype) -> bool {
    let entry = format!("{op}_{dtype}");
    let ladder = rungs(&vectors::<f32>());
    ladder.iter().any(|rung| rung.has_entry(&entry))
}
