//! The conversion from head flags to offsets.

use std::iter;

use crate::Conversion;
use harness::{
    Case, Device, Error, InputArray, Memory, Output, Problem, Refusal, Rung, Traffic,
    verify::{self, Accepted, Verdict},
};

use super::{Form, division, refuses, same_count, scan::padded};
use crate::{segments::Offsets, task::Task};

/// The number of offsets that one core compares at a time.
const CHUNK: usize = 1 << 16;

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
    division: Offsets,
}

impl ToOffsets {
    /// Makes the segments of a case and copies their flags to the device.
    ///
    /// # Errors
    /// [`Error::Usage`] where there are too many elements, [`Error::Driver`] where the device has no room.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let division = division(case)?.without_empty();
        let capacity = division.as_slice().len();
        Self::of(device, case, division, capacity)
    }

    /// The conversion of these segments, of which none is empty, with room for `capacity` offsets.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room.
    pub fn of(
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
    /// The form of the flags that the launch reads.
    type Promise = Form;

    fn setting(&self) -> (&Device, &Case) {
        (&self.device, &self.case)
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        vec![&mut self.count, &mut self.offsets, &mut self.flags, &mut self.bits]
    }

    fn compare(&self, _form: &Form, _launches: u64) -> Result<Verdict, Error> {
        Ok(match (self.count.download()?, self.offsets.download()?) {
            (Ok(count), Ok(offsets)) => {
                // The number of segments, and behind it the offsets.
                let mut computed = offsets;
                computed.insert(0, count[0]);
                let (count, offsets) = (self.division.count() as u32, self.division.as_slice());
                verify::compare_chunks(bytemuck::cast_slice(&computed), CHUNK, |c| {
                    let head = iter::once(&count).filter(move |_| c == 0);
                    let offsets = &offsets[(c * CHUNK).saturating_sub(1).min(offsets.len())..];
                    head.chain(offsets).copied().map(Accepted::Equal)
                })
            }
            (Err(failure), _) | (_, Err(failure)) => Verdict::of(failure),
        })
    }

    fn traffic(&self, form: &Form) -> Traffic {
        let read = match form {
            Form::Bytes => self.n,
            Form::Bits => 4 * self.n.div_ceil(32),
        };
        // The offsets, and their number.
        Traffic { read, written: 4 * (self.division.as_slice().len() as u64 + 1) }
    }

    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        let division = division(case)?.without_empty();
        same_count(&self.division, &division)?;
        (self.case, self.division) = (*case, division);
        self.flags.refill(self.division.flags())?;
        self.bits.refill(padded(self.division.bits()))
    }
}

/// Refuses all but conversions to offsets.
pub fn to_offsets_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    refuses(rung, case, |task| task == Task::Convert(Conversion::ToOffsets))
}
