//! How long one operation takes: cold L2, events on the device, at least 20 samples.
//!
//! As nvbench's cold mode: warm up; before every sample write a buffer larger than the L2, so that
//! nothing of the input is left in it, and then read another, so that no written line has to be
//! drained inside the sample. Lines that a kernel has asked the L2 to keep become ordinary ones before,
//! so that they are flushed too. A sample is one complete operation between two events. Everything of
//! a sample is enqueued at once: the flush keeps the device busy while the operation's launches
//! arrive, so launch overhead on the host is not in the sample.

use std::collections::HashMap;

use cudarc::driver::{
    CudaEvent, CudaFunction, CudaSlice, DevicePtrMut, DriverError, result,
    sys::{self, CUevent_flags},
};
pub use recording::{Comparison, Time};

use crate::{
    Device, Error, buffer,
    ceiling::{self, Ceilings, Sweeps},
    kernel,
    rung::Traffic,
};

/// The samples of one measurement, in milliseconds, in the order in which they were taken; at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples(pub Vec<f64>);

impl Samples {
    /// Their median, extremes and number.
    pub fn time(&self) -> Time {
        let mut samples = self.0.clone();
        samples.sort_by(f64::total_cmp);
        let n = samples.len();
        let median = (samples[(n - 1) / 2] + samples[n / 2]) / 2.0;
        Time { median, min: samples[0], max: samples[n - 1], samples: n }
    }

    /// The samples in microseconds, to a nanosecond, as a recording keeps them.
    pub fn microseconds(&self) -> Vec<f64> {
        self.0.iter().map(|ms| (ms * 1e6).round() / 1e3).collect()
    }

    /// The time of this operation over that of a second one, which was timed in turn with it.
    pub fn over(&self, second: &Self) -> Comparison {
        let (a, b) = (self.time().median, second.time().median);
        let pairs = self.0.iter().zip(&second.0);
        let mut ratios: Vec<f64> = pairs.map(|(a, b)| a / b).collect();
        ratios.sort_by(f64::total_cmp);
        // The ranks between which the median lies: the number of ratios below it is binomial.
        let n = ratios.len();
        let below = ((n as f64 - 1.96 * (n as f64).sqrt()) / 2.0).max(0.0) as usize;
        let interval = [ratios[below], ratios[n - 1 - below]];
        let is_within = interval[0] <= 1.0 && 1.0 <= interval[1];
        Comparison {
            ratio: (ratios[(n - 1) / 2] + ratios[n / 2]) / 2.0,
            interval,
            is_equal: is_within || (a - b).abs() < RESOLUTION_MS,
        }
    }
}

/// The resolution of events: the manual of `cuEventElapsedTime` says around half a microsecond.
const RESOLUTION_MS: f64 = 0.5e-3;

/// Fewest samples of a measurement.
pub const FEWEST_SAMPLES: usize = 20;
const WARM_UP_RUNS: usize = 3;
const ESTIMATE_SAMPLES: usize = 7;

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
    /// [`Error::Driver`] if the device has no room for the buffers.
    pub fn new(device: &Device, samples: usize) -> Result<Self, Error> {
        let flush_bytes = (2 * device.properties.l2_bytes as usize).next_multiple_of(16);
        let sweep = kernel::load(device, &ceiling::READ_SWEEP_PTX, "read_sweep")?;
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
    ) -> Result<Samples, Error> {
        self.take(self.samples, operation)
    }

    /// The time of an operation from few samples, to choose between operations that differ by more than the noise.
    pub(crate) fn estimate(
        &mut self,
        operation: &mut dyn FnMut() -> Result<(), DriverError>,
    ) -> Result<Time, Error> {
        Ok(self.take(ESTIMATE_SAMPLES, operation)?.time())
    }

    fn take(
        &mut self,
        samples: usize,
        operation: &mut dyn FnMut() -> Result<(), DriverError>,
    ) -> Result<Samples, Error> {
        let mut run = || -> Result<Vec<f64>, DriverError> {
            for _ in 0..WARM_UP_RUNS {
                operation()?;
            }
            (0..samples).map(|_| self.sample(operation)).collect()
        };
        run().map(Samples).map_err(|error| self.device.explain("timing", error))
    }

    /// Times two operations on `problem` in turn, a sample of each after one of the other, so that what changes the
    /// device's speed meanwhile changes that of both.
    pub(crate) fn measure_in_turn<P>(
        &mut self,
        problem: &mut P,
        first: &mut dyn FnMut(&mut P) -> Result<(), DriverError>,
        second: &mut dyn FnMut(&mut P) -> Result<(), DriverError>,
    ) -> Result<[Samples; 2], Error> {
        let mut run = || -> Result<[Samples; 2], DriverError> {
            for _ in 0..WARM_UP_RUNS {
                first(problem)?;
                second(problem)?;
            }
            let (mut of_first, mut of_second) = (Vec::new(), Vec::new());
            for _ in 0..self.samples {
                of_first.push(self.sample(&mut || first(problem))?);
                of_second.push(self.sample(&mut || second(problem))?);
            }
            Ok([Samples(of_first), Samples(of_second)])
        };
        run().map_err(|error| self.device.explain("timing", error))
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
    memory: Sweeps,
    /// For the bytes read and the bytes copied: the milliseconds of the best read and of the best copy.
    known: HashMap<[u64; 2], [f64; 2]>,
}

impl Bench {
    /// Measures the ceilings, with `samples` samples per measurement.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room for the buffers, or a call fails.
    pub fn new(device: &Device, samples: usize) -> Result<Self, Error> {
        let mut stopwatch = Stopwatch::new(device, samples)?;
        let mut memory = Sweeps::new(device)?;
        let ceilings = ceiling::measure(device, &mut stopwatch, &mut memory)?;
        Ok(Self { stopwatch, ceilings, memory, known: HashMap::new() })
    }

    /// The milliseconds that the device's memory needs for an operation at least: what is read beyond what is
    /// written at the rate of the best read, and the rest at the rate of the best copy. Both rates are measured on as
    /// many bytes, or on whole buffers where these are smaller.
    ///
    /// # Errors
    /// [`Error::Driver`] if a measurement fails.
    pub fn ceiling_ms(&mut self, traffic: Traffic) -> Result<f64, Error> {
        let all = traffic.bytes().max(1);
        let (read_bytes, copied_bytes) = (self.memory.nearest(all), self.memory.nearest(all / 2));
        let [read, copy] = match self.known.get(&[read_bytes, copied_bytes]) {
            Some(&known) => known,
            None => {
                let read = self.memory.read(&mut self.stopwatch, read_bytes)?.median;
                let copy = self.memory.copy(&mut self.stopwatch, copied_bytes)?.median;
                self.known.insert([read_bytes, copied_bytes], [read, copy]);
                [read, copy]
            }
        };
        let only_read = traffic.only_read() as f64;
        let rest = all as f64 - only_read;
        // A small operation takes as long as a small copy, however few bytes it has less.
        let [read_bytes, moved_bytes] =
            [read_bytes, 2 * copied_bytes].map(|bytes| bytes.min(all) as f64);
        Ok(only_read * read / read_bytes + rest * copy / moved_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_even_and_odd_counts() {
        assert_eq!(Samples(vec![3.0, 1.0, 2.0]).time().median, 2.0);
        let time = Samples(vec![4.0, 1.0, 2.0, 3.0]).time();
        assert_eq!((time.median, time.min, time.max, time.samples), (2.5, 1.0, 4.0, 4));
    }

    #[test]
    fn what_differs_by_less_than_its_noise_is_equal() {
        let first = Samples((0..30).map(|i| 1.0 + 0.01 * f64::from(i % 3)).collect());
        let second = Samples((0..30).map(|i| 1.01 + 0.01 * f64::from(i % 2)).collect());
        assert!(first.over(&second).is_equal);
        let third = Samples(first.0.iter().map(|ms| 1.1 * ms).collect());
        let slower = third.over(&first);
        assert!(!slower.is_equal && (slower.ratio - 1.1).abs() < 1e-9, "{slower:?}");
        assert!(slower.interval[0] > 1.09 && slower.interval[1] < 1.11, "{slower:?}");
    }

    #[test]
    fn what_events_do_not_resolve_is_equal() {
        let [first, second] = [5.0e-3, 5.4e-3].map(|ms| Samples(vec![ms; 30]));
        assert!(first.over(&second).is_equal);
    }
}
