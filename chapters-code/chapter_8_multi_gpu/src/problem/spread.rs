//! An array that lies spread over the devices: device d has the d-th of equal parts.

use std::ops::Range;

use crate::Case;
use harness::{Device, Element, Error, InputArray, inputs};

use super::Devices;

/// An array of which each device has a part.
pub struct Spread<T> {
    /// Size and input.
    pub case: Case,
    /// The part of each device.
    pub parts: Vec<InputArray<T>>,
    /// All elements.
    pub host: Vec<T>,
    /// The devices. (The last field: contexts must live until all memory is freed.)
    pub devices: Devices,
}

impl<T: Element> Spread<T> {
    /// Makes the elements of a case, and copies to each device its part.
    ///
    /// # Errors
    /// [`Error::Driver`] if there are fewer devices, a device has no room, or one cannot reach another one's memory.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let devices = Devices::of(device, case)?;
        let host = inputs::generate::<T>(case);
        let mut spread = Self { case: *case, parts: Vec::new(), host, devices };
        let part = |d, device: &Device| InputArray::new(device, spread.own(d));
        spread.parts = spread.devices.each(part)?;
        Ok(spread)
    }

    /// The number of elements of a part. The last parts may be shorter, or empty.
    pub fn part(&self) -> usize {
        self.host.len().div_ceil(self.devices.len())
    }

    /// The elements of a device.
    pub fn range(&self, d: usize) -> Range<usize> {
        let end = |parts: usize| (parts * self.part()).min(self.host.len());
        end(d)..end(d + 1)
    }

    fn own(&self, d: usize) -> Vec<T> {
        self.host[self.range(d)].to_vec()
    }

    /// The name of the kernels that add, such as `sum_f32`.
    pub fn entry(&self) -> String {
        format!("{}_{}", self.case.op, T::DTYPE)
    }

    /// Fills the parts with the elements of another case of the same size.
    ///
    /// # Errors
    /// [`Error::Driver`] if a copy fails.
    pub fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.case = *case;
        self.host = inputs::generate(case);
        for d in 0..self.parts.len() {
            let own = self.own(d);
            self.parts[d].refill(own)?;
        }
        Ok(())
    }
}
