//! An array that lies spread over the devices: device d has the d-th of equal parts.

use std::ops::Range;

use cudarc::driver::CudaSlice;
use harness::{
    Case, ChapterParameters, Device, Dtype, Element, Error, Memory, Output, Refusal, Rung, buffer,
    inputs, verify::Failure,
};

use super::devices::Devices;
use crate::{DeviceParameters, Task};

/// An array of which each device has a part.
pub struct Spread<T> {
    /// Size and input.
    pub case: Case,
    /// The number of elements of all parts.
    pub n: usize,
    /// The part of each device, at least one element long.
    pub parts: Vec<CudaSlice<T>>,
    /// All elements.
    pub host: Vec<T>,
    /// The devices. (The last field: contexts must live until all memory is freed.)
    pub devices: Devices,
}

impl<T: Element> Spread<T> {
    /// Makes the elements of a case, and copies to each device its part.
    ///
    /// # Errors
    /// [`Error::Driver`] where there are fewer devices, a device has no room, or one cannot reach another one's memory.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let devices = Devices::open(device, DeviceParameters::of(case).devices.unwrap_or(2))?;
        let host = inputs::generate::<T>(case);
        let n = host.len();
        let mut spread = Self { case: *case, n, parts: Vec::new(), host, devices };
        spread.parts = spread
            .per_device(|d, device| buffer::to_device(device, &spread.host[spread.range(d)]))?;
        Ok(spread)
    }

    /// The first device, and the case.
    pub fn setting(&self) -> (&Device, &Case) {
        (&self.devices[0], &self.case)
    }

    /// The number of devices.
    pub fn count(&self) -> usize {
        self.devices.len()
    }

    /// The number of elements of a part. The last parts may be shorter, or empty.
    pub fn part(&self) -> usize {
        self.n.div_ceil(self.count())
    }

    /// The elements of a device.
    pub fn range(&self, d: usize) -> Range<usize> {
        (d * self.part()).min(self.n)..((d + 1) * self.part()).min(self.n)
    }

    /// What `make` makes for each device.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn per_device<U>(
        &self,
        make: impl Fn(usize, &Device) -> Result<U, Error>,
    ) -> Result<Vec<U>, Error> {
        self.devices.iter().enumerate().map(|(d, device)| make(d, device)).collect()
    }

    /// An output for each device, of as many elements as its part.
    ///
    /// # Errors
    /// [`Error::Driver`] where a device has no room.
    pub fn outputs(&self) -> Result<Vec<Output<T>>, Error> {
        self.per_device(|d, device| Output::new(device, self.range(d).len()))
    }

    /// The name of the kernels that add, such as `sum_f32`.
    pub fn entry(&self) -> String {
        format!("{}_{}", self.case.op, T::DTYPE)
    }

    /// Fills the parts with the elements of another case of the same size.
    ///
    /// # Errors
    /// [`Error::Driver`] where a copy fails.
    pub fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.case = *case;
        self.host = inputs::generate(case);
        for d in 0..self.count() {
            let own = self.range(d);
            buffer::overwrite(&self.devices[d], &mut self.parts[d], &self.host[own])?;
        }
        Ok(())
    }
}

impl<T: Element> Memory for Spread<T> {
    fn changes(&mut self) -> Result<Vec<Failure>, Error> {
        let mut failures = Vec::new();
        for d in 0..self.count() {
            let own = self.range(d);
            let (device, part) = (&self.devices[d], &mut self.parts[d]);
            failures.extend(buffer::check_input(device, part, &self.host[own])?);
        }
        Ok(failures)
    }

    fn fingerprint(&self) -> Result<Option<u64>, Error> {
        Ok(None)
    }
}

/// As [`super::refuses`], but sums of i64 are not refused.
pub fn refuses(rung: &Rung, case: &Case, task: Task) -> Option<Refusal> {
    let dtype = if case.dtype == Dtype::I64 { Dtype::F32 } else { case.dtype };
    super::refuses(rung, &Case { dtype, ..*case }, task)
}
