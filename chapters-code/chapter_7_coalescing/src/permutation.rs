//! Copies in another order: elements and indices on the device, and the judge.

use harness::{
    Case, Device, Error, InputArray, Memory, Output, Problem, Traffic, inputs, verify::Verdict,
};

use crate::{Task, indices, problem::Promise, reference};

/// A copy of an array in the order that indices give.
pub struct Permutation {
    /// The device and its stream.
    pub device: Device,
    /// Size, order and input.
    pub case: Case,
    /// The number of elements.
    pub n: u64,
    /// The elements.
    pub input: InputArray<f32>,
    /// One index below `n` per element.
    pub indices: InputArray<u32>,
    /// The `n` results.
    pub out: Output<f32>,
}

/// The accesses that a permutation's indices address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moves {
    /// The loads: `out[i] = in[indices[i]]`.
    Loads,
    /// The stores: `out[indices[i]] = in[i]`.
    Stores,
}

impl Permutation {
    /// Makes the elements and the indices of a case and copies them to the device.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        Ok(Self {
            device: device.clone(),
            case: *case,
            n: case.elements(),
            input: InputArray::new(device, inputs::generate(case))?,
            indices: InputArray::new(device, indices::of(case))?,
            out: Output::new(device, case.elements() as usize)?,
        })
    }
}

impl Problem for Permutation {
    type Promise = Promise<Self, Moves>;

    fn setting(&self) -> (&Device, &Case) {
        (&self.device, &self.case)
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        vec![&mut self.out, &mut self.input, &mut self.indices]
    }

    fn compare(&self, promise: &Self::Promise, _launches: u64) -> Result<Verdict, Error> {
        let (elements, indices) = (self.input.host(), self.indices.host());
        self.out.compare_equal(&match promise.result {
            Moves::Loads => reference::gather(elements, indices),
            Moves::Stores => reference::scatter(elements, indices),
        })
    }

    fn traffic(&self, _promise: &Self::Promise) -> Traffic {
        Task::of(&self.case).traffic(self.n)
    }

    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.case = *case;
        self.input.refill(inputs::generate(case))?;
        self.indices.refill(indices::of(case))
    }
}
