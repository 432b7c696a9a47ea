//! The chapter as the report runs it: which rungs there are, on which cases, in how much memory.

use harness::{
    AnyProblem, Case, ChapterParameters, Device, Dtype, Error, Op, Parameters, Rung, Shape, Suite,
    rung, with_element,
};
use report::{
    Chapter,
    values::{Values, number},
};

use crate::{MatrixParameters, broken::broken, layout::Layout, problem::Matrices, rungs};

/// Chapter 6.
#[derive(Clone, Copy, Debug, Default)]
pub struct Transpose;

impl Chapter for Transpose {
    fn name(&self) -> &'static str {
        "chapter_6_transpose"
    }

    fn summary(&self) -> &'static str {
        "Chapter 6, transpose: the element in row r, column c goes to row c, column r"
    }

    fn rungs(&self) -> Vec<Rung> {
        [rung::rungs(&rungs::<f32>()), rung::rungs(&broken::<f32>())].concat()
    }

    fn default_shapes(&self, device: &Device) -> Vec<Shape> {
        let [side, rows, cols] = match device.is_simulated() {
            true => [1024, 1023, 511],
            false => [16_384, 16_383, 8191],
        };
        let square = Shape::Matrix { rows: side, cols: side };
        vec![square, Shape::Matrix { rows, cols }]
    }

    fn parameters_in_words(&self, case: &Case) -> String {
        MatrixParameters::of(case).to_string()
    }

    fn parameters_from(&self, value: Values<'_>) -> Result<Parameters, String> {
        Ok(MatrixParameters { batch: number(value, "batch")?, ld: number(value, "ld")? }.into())
    }

    fn title(&self, case: &Case) -> String {
        let Case { shape, dtype, .. } = case;
        let parameters = MatrixParameters::of(case);
        format!("transpose of {shape} {dtype}{parameters}")
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

    fn problem(&self, device: &Device, case: &Case) -> Result<Box<dyn AnyProblem>, Error> {
        with_element!(case.dtype, T => {
            Ok(Suite::boxed(Matrices::<T>::new(device, case)?, [rungs(), broken()]))
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
}
