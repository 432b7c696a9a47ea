//! What the rungs solve: matrices on the device, the expected result, and the judge.

use cudarc::driver::DriverError;
use harness::{
    Device, Element, Error, InputArray, Memory, Op, Output, Problem, Refusal, Shape, Traffic,
    buffer::POISON, inputs, verify::Verdict,
};

use crate::{Case, Rung, reference};

pub use crate::layout::{Batch, Layout};

/// The transpose of one matrix or of a batch of matrices on the device.
pub struct Matrices<T: Element> {
    /// The device and its stream.
    pub device: Device,
    /// Size, type and input.
    pub case: Case,
    /// Rows, columns and leading dimensions of the input and the output.
    pub layout: Layout,
    /// The matrices, `layout.input_elements()` in all, at least one.
    pub input: InputArray<T>,
    /// The transposed matrices, `layout.output_elements()` in all.
    pub out: Output<T>,
    /// For rungs that work in place: a copy of the input where the matrices are square, otherwise empty.
    pub square: Output<T>,
    /// What `out` must hold: the elements, and between the rows the poison of the reset.
    pub expected: Vec<T>,
}

/// Where a launch leaves its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Destination {
    /// The result is in the output.
    Output,
    /// The result is in the copy of the input. A second launch transposes it back.
    InPlace,
}

impl<T: Element> Matrices<T> {
    /// Makes the input of a case, copies it to the device, and computes the reference.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let layout = Layout::of(case);
        let host = generate(case, &layout);
        let copied = if layout.is_square() { host.len() } else { 0 };
        Ok(Self {
            device: device.clone(),
            case: *case,
            layout,
            out: Output::new(device, layout.output_elements() as usize)?,
            square: Output::new(device, copied)?,
            expected: expected(&layout, &host),
            input: InputArray::new(device, host)?,
        })
    }

    /// The name of the kernel for the size of the elements, such as `transpose_4`.
    pub fn entry(&self, kernel: &str) -> String {
        format!("{kernel}_{}", size_of::<T>())
    }
}

/// The elements of a case and of the gaps between its rows.
pub(crate) fn generate<T: Element>(case: &Case, layout: &Layout) -> Vec<T> {
    let n = layout.input_elements();
    let shape = Shape::Vector { n };
    inputs::generate(&Case { shape, ..*case })
}

pub(crate) fn expected<T: Element>(layout: &Layout, host: &[T]) -> Vec<T> {
    let untouched = bytemuck::pod_read_unaligned(&[POISON; 16][..size_of::<T>()]);
    let mut expected = vec![untouched; layout.output_elements() as usize];
    reference::transpose(layout, host, &mut expected);
    expected
}

impl<T: Element> Problem for Matrices<T> {
    type Task = crate::MatrixParameters;
    type Promise = Destination;

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        vec![&mut self.out, &mut self.square, &mut self.input]
    }

    fn reset(&mut self) -> Result<(), DriverError> {
        self.out.poison()?;
        self.square.copy_from(&self.input)
    }

    fn compare(&self, destination: &Destination, launches: u64) -> Result<Verdict, Error> {
        match destination {
            Destination::Output => self.out.compare_equal(&self.expected),
            Destination::InPlace => {
                let mut expected = self.input.host().to_vec();
                if launches % 2 == 1 {
                    reference::transpose(&self.layout, self.input.host(), &mut expected);
                }
                self.square.compare_equal(&expected)
            }
        }
    }

    fn traffic(&self, _destination: &Destination) -> Traffic {
        let bytes = self.layout.elements() * size_of::<T>() as u64;
        Traffic { read: bytes, written: bytes }
    }
}

/// Refuses vectors, and operators other than the default.
pub fn matrices_only(_rung: &Rung, case: &Case) -> Option<Refusal> {
    match case.shape {
        Shape::Vector { .. } => Some(Refusal::wants_matrix()),
        Shape::Matrix { .. } => (case.op != Op::Sum).then_some(Refusal::NoKernel),
    }
}

/// Refuses rectangles as well, because their transpose has another shape.
pub fn squares_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    let is_square = Layout::of(case).is_square();
    matrices_only(rung, case).or((!is_square).then_some(Refusal::because(
        "is for square matrices, which have the shape of their transposes: give -n NxN",
    )))
}
