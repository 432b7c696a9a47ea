//! The conversion from head flags to offsets.

use harness::{
    Device, Error, InputArray, Memory, Output, Problem, Traffic,
    verify::{self, Verdict},
};

use super::{Form, scan::padded};
use crate::{Case, segments::Offsets};

/// Head flags on the device, in both forms, and room for offsets.
pub struct ToOffsets {
    /// The device and its stream.
    pub device: Device,
    /// Size and segments.
    pub case: Case,
    /// The number of elements.
    pub n: u64,
    /// One head flag per element: 1 where a segment begins, otherwise 0.
    pub flags: InputArray<u8>,
    /// The head flags as bits, in words of 32. Zeros follow up to a multiple of 256 bytes.
    pub bits: InputArray<u32>,
    /// The number of segments.
    pub count: Output<u32>,
    /// Where each segment begins, and the number of elements.
    pub offsets: Output<u32>,
    /// The number of offsets that the output has room for.
    pub capacity: u64,
    pub(crate) division: Offsets,
}

impl ToOffsets {
    /// The conversion of these segments, of which none is empty, with room for `capacity` offsets.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room.
    pub fn new(
        device: &Device,
        case: &Case,
        division: Offsets,
        capacity: usize,
    ) -> Result<Self, Error> {
        Ok(Self {
            device: device.clone(),
            case: *case,
            n: division.elements() as u64,
            flags: InputArray::new(device, division.flags())?,
            bits: InputArray::new(device, padded(division.bits()))?,
            count: Output::new(device, 1)?,
            offsets: Output::new(device, capacity)?,
            capacity: capacity as u64,
            division,
        })
    }
}

impl Problem for ToOffsets {
    type Task = crate::Task;
    /// The form of the flags that the launch reads.
    type Promise = Form;

    fn device(&self) -> &Device {
        &self.device
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        vec![&mut self.count, &mut self.offsets, &mut self.flags, &mut self.bits]
    }

    fn compare(&self, _form: &Form, _launches: u64) -> Result<Verdict, Error> {
        Ok(match (self.count.download()?, self.offsets.download()?) {
            (Ok(count), Ok(offsets)) => {
                // The number of segments, and behind it the offsets.
                let expected = [&[self.division.count() as u32], self.division.as_slice()].concat();
                let computed = [count, offsets].concat();
                verify::compare_equal(bytemuck::cast_slice(&computed), &expected)
            }
            (Err(failure), _) | (_, Err(failure)) => Verdict::of(failure),
        })
    }

    fn traffic(&self, form: &Form) -> Traffic {
        // The offsets, and their number.
        let written = 4 * (self.division.as_slice().len() as u64 + 1);
        Traffic { read: form.bytes(self.n), written }
    }
}
