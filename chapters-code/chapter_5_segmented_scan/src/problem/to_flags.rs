//! The conversion from offsets to head flags.

use crate::Conversion;
use harness::{
    Case, Device, Dtype, Error, Input, InputArray, Memory, Op, Output, Problem, Refusal, Rung,
    Traffic, verify::Verdict,
};

use super::{Form, division, refuses, same_count};
use crate::{segments::Offsets, task::Task};

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
    division: Offsets,
}

impl ToFlags {
    /// Makes the segments of a case and copies them to the device.
    ///
    /// # Errors
    /// [`Error::Usage`] where there are too many elements, [`Error::Driver`] where the device has no room.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        Self::of(device, case, division(case)?)
    }

    /// The conversion of these segments, of as many elements as the case has.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room.
    pub fn of(device: &Device, case: &Case, division: Offsets) -> Result<Self, Error> {
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
    /// The form of the flags that the launch writes.
    type Promise = Form;

    fn setting(&self) -> (&Device, &Case) {
        (&self.device, &self.case)
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
        let written = match form {
            Form::Bytes => self.n,
            Form::Bits => 4 * self.n.div_ceil(32),
        };
        Traffic { read: 4 * (u64::from(self.segments) + 1), written }
    }

    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        let division = division(case)?;
        same_count(&self.division, &division)?;
        (self.case, self.division) = (*case, division);
        self.offsets.refill(self.division.as_slice().to_vec())
    }
}

/// Refuses all but conversions to flags.
pub fn to_flags_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    refuses(rung, case, |task| task == Task::Convert(Conversion::ToFlags))
}

/// The same case of a conversion, whatever elements are asked for: offsets and flags alone are read.
pub fn without_elements(case: &Case) -> Case {
    match Task::of(case) {
        Task::Convert(_) => Case { dtype: Dtype::U32, op: Op::Sum, input: Input::Uniform, ..*case },
        Task::Scan(_) | Task::Reduce | Task::Multiply(_) => *case,
    }
}
