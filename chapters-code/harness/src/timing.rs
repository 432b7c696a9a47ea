//! How long one operation takes: cold L2, events on the device, at least 20 samples.
//!
//! As nvbench's cold mode: warm up; before every sample write a buffer larger than the L2, so that
//! nothing of the input is left in it, and then read another, so that no written line has to be
//! drained inside the sample. Lines that a kernel has asked the L2 to keep become ordinary ones before,
//! so that they are flushed too. A sample is one complete operation between two events. Everything of
//! a sample is enqueued at once: the flush keeps the device busy while the operation's launches
//! arrive, so launch overhead on the host is not in the sample.

use cudarc::driver::{
    CudaEvent, CudaFunction, CudaSlice, DevicePtrMut, DriverError, result,
    sys::{self, CUevent_flags},
};
use serde::Serialize;

use crate::{
    Device, Error, buffer,
    ceiling::{self, Ceilings},
    kernel,
};

/// Milliseconds over the samples of one measurement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, serde::Deserialize)]
pub struct Time {
    /// Half the samples took longer.
    pub median: f64,
    /// The shortest.
    pub min: f64,
    /// The longest.
    pub max: f64,
    /// How many there were.
    pub samples: usize,
}

impl Time {
    /// Of a list of samples in milliseconds, not empty.
    fn of(mut samples: Vec<f64>) -> Self {
        samples.sort_by(f64::total_cmp);
        let middle = samples.len() / 2;
        let median = if samples.len().is_multiple_of(2) {
            (samples[middle - 1] + samples[middle]) / 2.0
        } else {
            samples[middle]
        };
        Self { median, min: samples[0], max: samples[samples.len() - 1], samples: samples.len() }
    }

    /// Rate at the median, for an operation that must move `bytes`.
    pub fn gb_per_s(&self, bytes: u64) -> f64 {
        bytes as f64 / (self.median * 1e-3) / 1e9
    }
}

/// Fewest samples of a measurement.
pub const FEWEST_SAMPLES: usize = 20;
const WARM_UP_RUNS: usize = 3;

/// Measures operations on one device; keeps the buffers that flush its L2.
pub struct Stopwatch {
    device: Device,
    samples: usize,
    written: CudaSlice<u8>,
    read: CudaSlice<u8>,
    sweep: CudaFunction,
    sink: CudaSlice<u8>,
    start: CudaEvent,
    end: CudaEvent,
}

impl Stopwatch {
    /// Allocates two buffers of twice the L2's size; `samples` below 20 are raised to 20.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room for the buffers.
    pub fn new(device: &Device, samples: usize) -> Result<Self, Error> {
        let flush_bytes = (2 * device.properties.l2_bytes as usize).next_multiple_of(16);
        let sweep = kernel::load(device, ceiling::READ_SWEEP_PTX, "read_sweep")?;
        let event = || device.context.new_event(Some(CUevent_flags::CU_EVENT_DEFAULT));
        Ok(Self {
            samples: samples.max(FEWEST_SAMPLES),
            written: buffer::scratch(device, flush_bytes as u64)?,
            read: buffer::to_device(device, &vec![1u8; flush_bytes])?,
            sink: buffer::scratch(device, 16)?,
            sweep,
            start: event()?,
            end: event()?,
            device: device.clone(),
        })
    }

    /// Times `operation`, which enqueues one complete operation on the device's stream.
    ///
    /// # Errors
    /// [`Error::Driver`] for the first call that fails, with what the simulator knows of it.
    pub fn measure(
        &mut self,
        operation: &mut dyn FnMut() -> Result<(), DriverError>,
    ) -> Result<Time, Error> {
        let mut run = || -> Result<Vec<f64>, DriverError> {
            for _ in 0..WARM_UP_RUNS {
                operation()?;
            }
            (0..self.samples).map(|_| self.sample(operation)).collect()
        };
        match run() {
            Ok(samples) => Ok(Time::of(samples)),
            Err(error) => Err(self.device.explain("timing", error)),
        }
    }

    fn sample(
        &mut self,
        operation: &mut dyn FnMut() -> Result<(), DriverError>,
    ) -> Result<f64, DriverError> {
        self.flush_l2()?;
        self.start.record(&self.device.stream)?;
        operation()?;
        self.end.record(&self.device.stream)?;
        Ok(f64::from(self.start.elapsed_ms(&self.end)?))
    }

    fn flush_l2(&mut self) -> Result<(), DriverError> {
        let stream = &self.device.stream;
        self.device.context.bind_to_thread()?;
        // SAFETY: a context is current.
        match unsafe { sys::cuCtxResetPersistingL2Cache() }.result() {
            // An L2 that keeps nothing.
            Err(DriverError(sys::CUresult::CUDA_ERROR_NOT_SUPPORTED)) => {}
            reset => reset?,
        }
        let bytes = self.written.len();
        {
            let (address, _record) = self.written.device_ptr_mut(stream);
            // SAFETY: `address` is that of `bytes` bytes, which live as long as `self`.
            unsafe { result::memset_d8_async(address, 0, bytes, stream.cu_stream()) }?;
        }
        let bytes = self.read.len();
        ceiling::launch_read_sweep(&self.device, &self.sweep, &self.read, bytes, &mut self.sink)
    }
}

/// What measuring needs, on a GPU.
pub struct Bench {
    /// Times operations.
    pub stopwatch: Stopwatch,
    /// The bandwidths that the rates of rungs are compared with.
    pub ceilings: Ceilings,
}

impl Bench {
    /// Measures the ceilings, with `samples` samples per measurement.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room for the buffers, or a call fails.
    pub fn new(device: &Device, samples: usize) -> Result<Self, Error> {
        let mut stopwatch = Stopwatch::new(device, samples)?;
        let ceilings = Ceilings::measure(device, &mut stopwatch)?;
        Ok(Self { stopwatch, ceilings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_even_and_odd_counts() {
        assert_eq!(Time::of(vec![3.0, 1.0, 2.0]).median, 2.0);
        let time = Time::of(vec![4.0, 1.0, 2.0, 3.0]);
        assert_eq!((time.median, time.min, time.max, time.samples), (2.5, 1.0, 4.0, 4));
    }

    #[test]
    fn a_gigabyte_in_a_millisecond() {
        assert_eq!(Time::of(vec![1.0]).gb_per_s(1_000_000_000), 1000.0);
    }
}
