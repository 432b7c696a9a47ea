//! The conversion from offsets to head flags.

use harness::{Device, Error, InputArray, Memory, Output, Problem, Traffic, verify::Verdict};

use super::Form;
use crate::{Case, segments::Offsets};

/// Offsets on the device, and room for head flags in both forms.
pub struct ToFlags {
    /// The device and its stream.
    pub device: Device,
    /// Size and segments.
    pub case: Case,
    /// The number of elements.
    pub n: u64,
    /// The number of segments, empty ones included.
    pub segments: u32,
    /// Where each segment begins, and the number of elements.
    pub offsets: InputArray<u32>,
    /// One head flag per element.
    pub flags: Output<u8>,
    /// The head flags as bits, in words of 32.
    pub bits: Output<u32>,
    pub(crate) division: Offsets,
}

impl ToFlags {
    /// The conversion of these segments, of as many elements as the case has.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room.
    pub fn new(device: &Device, case: &Case, division: Offsets) -> Result<Self, Error> {
        let n = division.elements();
        Ok(Self {
            device: device.clone(),
            case: *case,
            n: n as u64,
            segments: division.count() as u32,
            offsets: InputArray::new(device, division.as_slice().to_vec())?,
            flags: Output::new(device, n)?,
            bits: Output::new(device, n.div_ceil(32))?,
            division,
        })
    }
}

impl Problem for ToFlags {
    type Task = crate::Task;
    /// The form of the flags that the launch writes.
    type Promise = Form;

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        vec![&mut self.flags, &mut self.bits, &mut self.offsets]
    }

    fn compare(&self, form: &Form, _launches: u64) -> Result<Verdict, Error> {
        match form {
            Form::Bytes => self.flags.compare_equal(&self.division.flags()),
            Form::Bits => self.bits.compare_equal(&self.division.bits()),
        }
    }

    fn traffic(&self, form: &Form) -> Traffic {
        Traffic { read: 4 * (u64::from(self.segments) + 1), written: form.bytes(self.n) }
    }
}
