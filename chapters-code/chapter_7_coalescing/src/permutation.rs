//! Copies in another order: elements and indices on the device, and the judge.

use cudarc::driver::{CudaSlice, DriverError};
use harness::{
    Case, Device, Error, Output, Problem, Traffic,
    buffer::{self, Fingerprint},
    inputs,
    verify::Verdict,
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
    pub input: CudaSlice<f32>,
    /// One index below `n` per element.
    pub indices: CudaSlice<u32>,
    /// The `n` results.
    pub out: Output<f32>,
    /// The indices on the host.
    pub host_indices: Vec<u32>,
    host: Vec<f32>,
}

/// The accesses that a permutation's indices address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        let host = inputs::generate::<f32>(case);
        let host_indices = indices::of(case);
        Ok(Self {
            device: device.clone(),
            case: *case,
            n: case.elements(),
            input: buffer::to_device(device, &host)?,
            indices: buffer::to_device(device, &host_indices)?,
            out: Output::new(device, host.len())?,
            host_indices,
            host,
        })
    }
}

impl Problem for Permutation {
    type Promise = Promise<Self, Moves>;

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn reset(&mut self) -> Result<(), DriverError> {
        self.out.poison()
    }

    fn judge(&mut self, promise: &Self::Promise, _launches: u64) -> Result<Verdict, Error> {
        let expected = match promise.result {
            Moves::Loads => reference::gather(&self.host, &self.host_indices),
            Moves::Stores => reference::scatter(&self.host, &self.host_indices),
        };
        let mut verdict = self.out.compare_equal(&expected)?;
        let (device, indices) = (&self.device, &self.host_indices);
        let changed = [
            buffer::check_input(device, &mut self.input, &self.host)?,
            buffer::check_input(device, &mut self.indices, indices)?,
        ];
        verdict.failures.extend(changed.into_iter().flatten());
        Ok(verdict)
    }

    fn judged(&self, promise: &Self::Promise) -> (u64, Vec<&dyn Fingerprint>) {
        (promise.result as u64, vec![&self.out, &self.input, &self.indices])
    }

    fn traffic(&self, _promise: &Self::Promise) -> Traffic {
        Task::of(&self.case).traffic(self.n)
    }

    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.host = inputs::generate(case);
        self.host_indices = indices::of(case);
        self.case = *case;
        buffer::overwrite(&self.device, &mut self.input, &self.host)?;
        buffer::overwrite(&self.device, &mut self.indices, &self.host_indices)
    }
}
