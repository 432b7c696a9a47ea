//! The scan of every segment.

use bytemuck::cast_slice;
use cudarc::driver::{CudaSlice, DriverError};
use harness::{
    Case, Device, Element, Error, Output, Problem, Refusal, Rung, Traffic,
    baselines::{Baselines, Way},
    buffer::{self, Fingerprint},
    inputs,
    verify::Verdict,
};

use super::{division, refuses, same_count};
use crate::{
    baseline, parameters,
    reference::Expected,
    segments::Offsets,
    task::{Task, entry_name},
};

/// A segmented scan on the device: elements, and the segments in all three forms.
pub struct SegmentedScan<T: Element> {
    /// The device and its stream.
    pub device: Device,
    /// Size, type, operator, kind and segments.
    pub case: Case,
    /// The number of elements.
    pub n: u64,
    /// The number of segments, empty ones included.
    pub segments: u32,
    /// The elements.
    pub values: CudaSlice<T>,
    /// One head flag per element: 1 where a segment begins, otherwise 0.
    pub flags: CudaSlice<u8>,
    /// The head flags as bits, in words of 32. Zeros follow up to a multiple of 256 bytes.
    pub bits: CudaSlice<u32>,
    /// Where each segment begins, and the number of elements.
    pub offsets: CudaSlice<u32>,
    /// One result per element.
    pub out: Output<T>,
    pub(crate) host: Vec<T>,
    pub(crate) division: Offsets,
}

impl<T: Element> SegmentedScan<T> {
    /// Makes the input of a case and copies it to the device.
    ///
    /// # Errors
    /// [`Error::Usage`] where there are too many elements, [`Error::Driver`] where the device has no room.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        Self::of(device, case, inputs::generate(case), division(case)?)
    }

    /// The scan of these elements in these segments, as many as the case has.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room.
    pub fn of(
        device: &Device,
        case: &Case,
        host: Vec<T>,
        division: Offsets,
    ) -> Result<Self, Error> {
        Ok(Self {
            device: device.clone(),
            case: *case,
            n: case.elements(),
            segments: division.count() as u32,
            values: buffer::to_device(device, &host)?,
            flags: buffer::to_device(device, &division.flags())?,
            bits: buffer::to_device(device, &padded(division.bits()))?,
            offsets: buffer::to_device(device, division.as_slice())?,
            out: Output::new(device, host.len())?,
            host,
            division,
        })
    }

    /// The name of the kernel that scans, such as `inclusive_sum_f32`.
    pub fn entry(&self) -> String {
        entry_name(&self.case)
    }

    /// The operator and the type, such as `sum_f32`.
    pub fn operator(&self) -> String {
        format!("{}_{}", self.case.op, T::DTYPE)
    }

    /// The threads per block: the rung's own number, unless the case asks for another.
    pub fn threads(&self, own: u32) -> u32 {
        self.case.block.unwrap_or(own)
    }

    pub(crate) fn expected(&self, depth: u64) -> Expected<'_, T> {
        Expected::new(self.case.op, depth, &self.host, &self.division)
    }
}

/// Words of flags, and zeros up to a multiple of 256 bytes: kernels copy multiples of 16 bytes.
pub(crate) fn padded(mut words: Vec<u32>) -> Vec<u32> {
    words.resize(words.len().next_multiple_of(64), 0);
    words
}

impl<T: Element> Problem for SegmentedScan<T> {
    /// The largest number of rounded operations that an element passes through.
    type Promise = u64;

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn reset(&mut self) -> Result<(), DriverError> {
        self.out.poison()
    }

    fn judge(&mut self, depth: &u64, _launches: u64) -> Result<Verdict, Error> {
        let mut verdict = match self.out.download()? {
            Ok(results) => {
                self.expected(*depth).judge_scan(parameters::kind(&self.case), cast_slice(&results))
            }
            Err(failure) => Verdict::of(failure),
        };
        let (device, division) = (&self.device, &self.division);
        verdict.failures.extend(
            [
                buffer::check_input(device, &mut self.values, &self.host)?,
                buffer::check_input(device, &mut self.flags, &division.flags())?,
                buffer::check_input(device, &mut self.bits, &padded(division.bits()))?,
                buffer::check_input(device, &mut self.offsets, division.as_slice())?,
            ]
            .into_iter()
            .flatten(),
        );
        Ok(verdict)
    }

    fn judged(&self, depth: &u64) -> (u64, Vec<&dyn Fingerprint>) {
        (*depth, vec![&self.out, &self.values, &self.flags, &self.bits, &self.offsets])
    }

    fn traffic(&self, _depth: &u64) -> Traffic {
        // Whatever form of segments a kernel reads: one bit per element is enough.
        let bytes = self.case.input_bytes();
        Traffic { read: bytes + self.n.div_ceil(8), written: bytes }
    }

    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        let division = division(case)?;
        same_count(&self.division, &division)?;
        self.host = inputs::generate(case);
        self.case = *case;
        buffer::overwrite(&self.device, &mut self.values, &self.host)?;
        buffer::overwrite(&self.device, &mut self.flags, &division.flags())?;
        buffer::overwrite(&self.device, &mut self.bits, &padded(division.bits()))?;
        buffer::overwrite(&self.device, &mut self.offsets, division.as_slice())?;
        self.division = division;
        Ok(())
    }

    fn baseline(&self, _depth: &u64, library: &Baselines) -> Result<Vec<Way<Self>>, Error> {
        baseline::scan(self, library)
    }
}

/// Refuses all but scans for which the rung has a kernel.
pub fn scans_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    refuses(rung, case, |task| matches!(task, Task::Scan(_)))
}
