//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use harness::{
    Device, Dtype, Element, Error, Ladder, Op, Posed, Shape, Suite, Task, rung, with_element,
};
use report::{Chapter, Planned, Scope};

use crate::{
    Case, MatrixParameters, Rung, broken::broken, layout::Layout, problem::Matrices, recorded,
    rungs,
};

/// Chapter 6.
#[derive(Clone, Copy, Debug, Default)]
pub struct Transpose;

/// All rungs, the broken ones last.
fn all<T: Element>() -> Ladder<Matrices<T>> {
    [rungs(), broken()].concat()
}

impl Chapter for Transpose {
    type Task = MatrixParameters;
    const NAME: &'static str = "chapter_6_transpose";
    const SUMMARY: &'static str =
        "Chapter 6, transpose: the element in row r, column c goes to row c, column r";

    fn rungs(&self) -> Vec<Rung> {
        rung::rungs(&all::<f32>())
    }

    fn default_shapes(&self, device: &Device) -> Vec<Shape> {
        let [side, rows, cols] = match device.is_simulated() {
            true => [1024, 1023, 511],
            false => [16_384, 16_383, 8191],
        };
        let square = Shape::Matrix { rows: side, cols: side };
        vec![square, Shape::Matrix { rows, cols }]
    }

    fn title(&self, case: &Case) -> String {
        let Case { shape, dtype, .. } = case;
        format!("transpose of {shape} {dtype}{}", case.task.label())
    }

    fn check(&self, case: &Case) -> Result<(), Error> {
        let Layout { cols, ld_in, .. } = Layout::of(case);
        if ld_in >= cols {
            return Ok(());
        }
        Err(Error::usage(
            format!(
                "a leading dimension of {ld_in} is smaller than the width, {cols}: rows would overlap"
            ),
            format!("give --ld {cols} or more, or leave it out"),
        ))
    }

    fn device_bytes(&self, case: &Case) -> u64 {
        // The input, its copy where the matrix is square, the output, and room for the driver.
        let layout = Layout::of(case);
        let copies = if layout.is_square() { 2 } else { 1 };
        let elements =
            layout.input_elements().saturating_mul(copies).saturating_add(layout.output_elements());
        let bytes = elements.saturating_mul(case.dtype.size() as u64);
        bytes.saturating_add(64 << 20)
    }

    fn problem(&self, device: &Device, case: &Case) -> Posed<MatrixParameters> {
        with_element!(case.dtype, T => {
            Ok(Suite::boxed(Matrices::<T>::new(device, case)?, all()))
        })
    }

    fn checksum_cases(&self) -> Vec<Case> {
        let dtypes = [Dtype::U8, Dtype::U16, Dtype::F32, Dtype::I64, Dtype::U128];
        let shapes = [(64, 64), (300, 200), (257, 129)];
        let of_shape = |(rows, cols)| {
            dtypes.map(|dtype| Case {
                shape: Shape::Matrix { rows, cols },
                seed: 7,
                ..Case::vector(0, dtype, Op::Sum)
            })
        };
        shapes.into_iter().flat_map(of_shape).collect()
    }

    fn recorded(&self, scope: Scope) -> Vec<Planned<MatrixParameters>> {
        recorded::planned(scope)
    }
}
