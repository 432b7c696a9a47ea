//! The sum of an array that is spread over the devices.

use crate::Case;
use chapter_1_reduce::reference::Aggregate;
use harness::{Device, Element, Error, Memory, Op, Output, Problem, Traffic, verify::Verdict};

use super::{Spread, memory};

/// The sum of an array that is spread over the devices, for the first of them.
pub struct SpreadSum<T: Element> {
    /// The sum, on the first device.
    pub out: Output<T>,
    pub(crate) expected: Aggregate<T>,
    /// The elements.
    pub spread: Spread<T>,
}

impl<T: Element<Acc = T>> SpreadSum<T> {
    /// Makes the parts of a case, and computes the reference.
    ///
    /// # Errors
    /// As [`Spread::new`].
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let spread = Spread::<T>::new(device, case)?;
        let expected = Aggregate::on_all_cores(Op::Sum, &spread.host);
        Ok(Self { out: Output::new(device, 1)?, expected, spread })
    }
}

/// The sum of some values, rounded once.
pub fn add<T: Element<Acc = T>>(values: &[T]) -> T {
    Aggregate::of(Op::Sum, values.iter().copied()).nearest()
}

impl<T: Element<Acc = T>> Problem for SpreadSum<T> {
    type Task = crate::DeviceParameters;
    /// The largest number of rounded additions that an element passes through.
    type Promise = u64;

    fn device(&self) -> &Device {
        &self.spread.devices[0]
    }

    fn case(&self) -> &Case {
        &self.spread.case
    }

    fn peers(&self) -> &[Device] {
        &self.spread.devices[1..]
    }

    fn memory(&mut self) -> Vec<&mut dyn Memory> {
        memory(&mut self.spread.parts).chain([&mut self.out as _]).collect()
    }

    fn compare(&self, depth: &u64, _launches: u64) -> Result<Verdict, Error> {
        self.out.compare([self.expected.expect(*depth, 0.0)])
    }

    /// Of one device: all read at the same time.
    fn traffic(&self, _depth: &u64) -> Traffic {
        let element = size_of::<T>() as u64;
        Traffic { read: self.spread.part() as u64 * element, written: element }
    }
}
