//! The scan of an array that is spread over the devices.

use crate::Case;
use chapter_3_scan::{ScanParameters, reference::Reference};
use cudarc::driver::DriverError;
use harness::{Device, Element, Error, Memory, Output, Problem, Traffic, verify::Verdict};

use super::{Spread, memory};

/// The inclusive scan of an array that is spread over the devices. The result is spread in the same way.
pub struct SpreadScan<T: Element> {
    /// The results of each device's part.
    pub outs: Vec<Output<T>>,
    pub(crate) reference: Reference<T>,
    /// The elements.
    pub spread: Spread<T>,
}

impl<T: Element> SpreadScan<T> {
    /// Makes the parts of a case, and computes the reference.
    ///
    /// # Errors
    /// As [`Spread::new`].
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let spread = Spread::<T>::new(device, case)?;
        let out = |d, device: &Device| Output::new(device, spread.range(d).len());
        Ok(Self {
            outs: spread.devices.each(out)?,
            reference: reference(case, &spread.host),
            spread,
        })
    }
}

pub(crate) fn reference<T: Element>(case: &Case, host: &[T]) -> Reference<T> {
    Reference::new(&case.with(ScanParameters::default()), host)
}

impl<T: Element> Problem for SpreadScan<T> {
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
        memory(&mut self.outs).chain(memory(&mut self.spread.parts)).collect()
    }

    fn reset(&mut self) -> Result<(), DriverError> {
        self.outs.iter_mut().try_for_each(Output::poison)?;
        self.spread.devices.meet()
    }

    fn compare(&self, depth: &u64, _launches: u64) -> Result<Verdict, Error> {
        let mut results = Vec::new();
        for (d, (out, device)) in self.outs.iter().zip(self.spread.devices.iter()).enumerate() {
            device.finish("waiting for a device")?;
            match out.download()? {
                Ok(part) => results.extend(part),
                Err(failure) => return Ok(Verdict::of(failure.on_device(d))),
            }
        }
        Ok(self.reference.judge(*depth, &self.spread.host, &results))
    }

    /// Of one device: all read and write at the same time.
    fn traffic(&self, _depth: &u64) -> Traffic {
        let bytes = (self.spread.part() * size_of::<T>()) as u64;
        Traffic { read: bytes, written: bytes }
    }
}
