//! What the rungs solve: two vectors on the device, their sum or a copy, and the judge.

use harness::{
    Case, Device, Dtype, Error, Input, InputArray, Memory, Op, Output, Problem, Refusal, Rung,
    Shape, Traffic, buffer::POISON, inputs, verify::Verdict,
};
use rayon::prelude::*;

/// Two vectors on the device.
pub struct Vectors {
    /// The device and its stream.
    pub device: Device,
    /// Size and input.
    pub case: Case,
    /// The number of elements of each vector.
    pub n: u64,
    /// The first vector.
    pub a: InputArray<f32>,
    /// The second vector.
    pub b: InputArray<f32>,
    /// A vector for the result.
    pub out: Output<f32>,
}

/// What a launch does with the vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
    /// It adds them.
    Sum,
    /// It copies the first one, as far as it consists of whole packs of four elements.
    Copy,
    /// It reads the packs of the first one.
    Read,
}

impl Vectors {
    /// Makes two vectors and copies them to the device.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let [a, b] = generate(case);
        Ok(Self {
            device: device.clone(),
            case: *case,
            n: case.elements(),
            out: Output::new(device, a.len())?,
            a: InputArray::new(device, a)?,
            b: InputArray::new(device, b)?,
        })
    }

    /// What a launch must leave in the output.
    fn expected(&self, work: Work) -> Vec<f32> {
        let (a, b) = (self.a.host(), self.b.host());
        let untouched = f32::from_ne_bytes([POISON; 4]);
        match work {
            Work::Sum => a.par_iter().zip(b).map(|(a, b)| a + b).collect(),
            Work::Copy => {
                let in_packs = a.len() / 4 * 4;
                let element = |(i, &x)| if i < in_packs { x } else { untouched };
                a.par_iter().enumerate().map(element).collect()
            }
            Work::Read => a.par_iter().map(|_| untouched).collect(),
        }
    }
}

pub(crate) fn generate(case: &Case) -> [Vec<f32>; 2] {
    let second = Case { seed: case.seed.wrapping_add(1), input: Input::Uniform, ..*case };
    [inputs::generate(case), inputs::generate(&second)]
}

impl Problem for Vectors {
    type Task = ();
    type Promise = Work;

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        vec![&mut self.out, &mut self.a, &mut self.b]
    }

    fn compare(&self, work: &Work, _launches: u64) -> Result<Verdict, Error> {
        self.out.compare_equal(&self.expected(*work))
    }

    fn traffic(&self, work: &Work) -> Traffic {
        let packs = self.n / 4;
        match work {
            Work::Sum => Traffic { read: 8 * self.n, written: 4 * self.n },
            Work::Copy => Traffic { read: 16 * packs, written: 16 * packs },
            Work::Read => Traffic { read: 16 * packs, written: 0 },
        }
    }
}

/// Refuses matrices, other types than `f32`, and operators.
pub fn f32_vectors_only(_rung: &Rung, case: &Case) -> Option<Refusal> {
    match (case.shape, case.dtype, case.op) {
        (Shape::Matrix { .. }, ..) => Some(Refusal::wants_vector()),
        (Shape::Vector { .. }, Dtype::F32, Op::Sum) => None,
        (Shape::Vector { .. }, ..) => Some(Refusal::NoKernel),
    }
}
