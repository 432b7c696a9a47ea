//! What the rungs solve: an array on each device, the expected sum, and the judge.

use std::sync::Arc;

use bytemuck::Pod;
use cudarc::driver::{
    CudaFunction, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DeviceRepr, DriverError, result,
};
use cudarc::nvrtc::Ptx;
use harness::{
    Case, ChapterParameters, Device, Dtype, Error, Op, Output, Problem, PtxText, Refusal, Rung,
    Shape, Traffic,
    baselines::Way,
    bound::{self, Compensated},
    buffer, inputs,
    timing::Bench,
    verify::{Accepted, Verdict},
};

use crate::{DeviceParameters, baseline};

/// The largest number of devices: `MOST` of pointers.cuh.
pub const MOST: usize = 8;

/// `struct Pointers` and `struct Flags` of the kernels: an address per device.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Addresses(pub [u64; MOST]);

// SAFETY: a struct of eight addresses, as in the kernels.
unsafe impl DeviceRepr for Addresses {}

/// Memory that kernels of all devices access: a buffer of the same length on each.
pub struct Shared<T> {
    addresses: Addresses,
    _memory: Vec<CudaSlice<T>>,
}

impl<T: Pod + DeviceRepr> Shared<T> {
    /// `len` zeros on each device.
    ///
    /// # Errors
    /// [`Error::Driver`] where a device has no room.
    pub fn zeros(p: &AllReduce, len: usize) -> Result<Self, Error> {
        let zeros = vec![T::zeroed(); len];
        let memory = p.devices.iter().map(|device| buffer::to_device(device, &zeros));
        let memory = memory.collect::<Result<Vec<_>, _>>()?;
        let mut addresses = Addresses::default();
        for ((address, memory), device) in addresses.0.iter_mut().zip(&memory).zip(&p.devices) {
            *address = memory.device_ptr(&device.stream).0;
        }
        Ok(Self { addresses, _memory: memory })
    }

    /// The address of each device's buffer, for as long as this value lives.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }
}

/// The sum of the arrays of all devices, for every device.
pub struct AllReduce {
    /// A further stream of each device, for copies: the driver runs copies between the default streams of devices one
    /// after another.
    pub streams: Vec<Arc<CudaStream>>,
    /// Size and input.
    pub case: Case,
    /// The number of elements of each array.
    pub n: usize,
    /// The array of each device, at least one element long.
    pub inputs: Vec<CudaSlice<f32>>,
    /// The result on each device.
    pub outs: Vec<Output<f32>>,
    host: Vec<Vec<f32>>,
    /// Measured when the first rung is timed.
    ceiling_ms: Option<f64>,
    /// The exact sums, and the sums of the absolute values.
    expected: Vec<(f64, f64)>,
    /// The devices. Every pair can read and write each other's memory. The first is timed. (The last
    /// field: contexts must live until all memory is freed.)
    pub devices: Vec<Device>,
}

impl AllReduce {
    /// Makes the arrays of a case, copies each to its device, and computes the reference.
    ///
    /// # Errors
    /// [`Error::Driver`] where there are fewer devices, a device has no room, or one cannot reach another one's memory.
    pub fn new(device: &Device, case: &Case) -> Result<Self, Error> {
        let count = DeviceParameters::of(case).devices.unwrap_or(2);
        let devices = device.with_peers(count)?;
        let mut streams = Vec::new();
        for device in &devices {
            // SAFETY: the rungs order the work of streams by events of their own.
            unsafe { device.context.disable_event_tracking() };
            let stream = device.context.new_stream();
            streams.push(stream.map_err(|error| Error::driver("making a stream", error))?);
        }
        let host: Vec<Vec<f32>> = (0..count as u64).map(|rank| input(case, rank)).collect();
        let n = case.elements() as usize;
        let arrays = devices.iter().zip(&host);
        Ok(Self {
            inputs: arrays
                .map(|(device, host)| buffer::to_device(device, host))
                .collect::<Result<_, _>>()?,
            outs: devices.iter().map(|device| Output::new(device, n)).collect::<Result<_, _>>()?,
            expected: sums(n, &host),
            ceiling_ms: None,
            devices,
            streams,
            case: *case,
            n,
            host,
        })
    }

    /// The results that are accepted.
    pub(crate) fn accepted(&self) -> impl Iterator<Item = Accepted<f32>> + '_ {
        let depth = self.devices.len() as u64 - 1;
        self.expected.iter().map(move |&(sum, absolute)| Accepted::Within {
            value: sum,
            bound: bound::sum(Dtype::F32, depth, absolute),
        })
    }

    /// The address of each device's array.
    pub fn input_addresses(&self) -> Addresses {
        let mut addresses = Addresses::default();
        for ((address, input), device) in
            addresses.0.iter_mut().zip(&self.inputs).zip(&self.devices)
        {
            *address = input.device_ptr(&device.stream).0;
        }
        addresses
    }

    /// The address of each device's result.
    pub fn out_addresses(&mut self) -> Addresses {
        let mut addresses = Addresses::default();
        for ((address, out), device) in
            addresses.0.iter_mut().zip(&mut self.outs).zip(&self.devices)
        {
            *address = out.view_mut().device_ptr_mut(&device.stream).0;
        }
        addresses
    }

    /// The number of elements that a device adds: a multiple of 4. The last devices may have fewer.
    pub fn part(&self) -> usize {
        self.n.div_ceil(self.devices.len()).next_multiple_of(4)
    }

    /// For each device, where the elements begin and end that it adds.
    pub fn parts(&self) -> Vec<(usize, usize)> {
        let part = |d: usize| ((d * self.part()).min(self.n), ((d + 1) * self.part()).min(self.n));
        (0..self.devices.len()).map(part).collect()
    }

    /// The kernel of each device, from `ptx`: `name` with the number of devices behind it.
    ///
    /// # Errors
    /// The driver's error.
    pub fn kernels(&self, ptx: PtxText, name: &str) -> Result<Vec<CudaFunction>, DriverError> {
        let name = format!("{name}_{}", self.devices.len());
        let load =
            |device: &Device| device.context.load_module(Ptx::from_src(ptx))?.load_function(&name);
        self.devices.iter().map(load).collect()
    }

    /// Every device copies its left neighbour's array into its own result, all at the same time.
    fn copy_from_left(&mut self) -> Result<(), DriverError> {
        let (inputs, outs) = (self.input_addresses(), self.out_addresses());
        self.fork_copies()?;
        for d in 0..self.devices.len() {
            let left = (d + self.devices.len() - 1) % self.devices.len();
            // SAFETY: both arrays have n elements, and nothing else uses the results.
            unsafe { self.copy(left, inputs.0[left], d, outs.0[d], self.n)? };
        }
        self.join_copies()
    }

    /// Copies `n` elements from an address of device `from` to one of device `to`, in the further stream of that one.
    /// (cudarc's `memcpy_dtod` would also wait for all work in the other device's stream.)
    ///
    /// # Errors
    /// The driver's error.
    ///
    /// # Safety
    /// Both addresses are of `n` elements that live, and that nothing writes, or reads at the second, at the same time.
    pub unsafe fn copy(
        &self,
        from: usize,
        from_address: u64,
        to: usize,
        to_address: u64,
        n: usize,
    ) -> Result<(), DriverError> {
        let [source, target] = [from, to].map(|d| self.devices[d].context.cu_ctx());
        let stream = self.streams[to].cu_stream();
        self.devices[to].context.bind_to_thread()?;
        // SAFETY: the caller's promise; the contexts live as long as the devices.
        unsafe {
            result::memcpy_peer_async(target, to_address, source, from_address, 4 * n, stream)
        }
    }

    /// The number of blocks of `threads` threads that each device holds at once, of the kernels of all devices: blocks
    /// of different devices wait for each other, so all must be resident.
    ///
    /// # Errors
    /// The driver's error.
    pub fn resident_blocks(
        &self,
        kernels: &[CudaFunction],
        threads: u32,
    ) -> Result<u32, DriverError> {
        let mut least = u32::MAX;
        for (device, kernel) in self.devices.iter().zip(kernels) {
            device.context.bind_to_thread()?;
            let blocks = kernel.occupancy_max_active_blocks_per_multiprocessor(threads, 0, None)?;
            least = least.min(blocks * device.properties.multiprocessors);
        }
        Ok(least.max(1))
    }

    /// Lets the streams of all devices wait for that of the first.
    ///
    /// # Errors
    /// The driver's error.
    pub fn fork(&self) -> Result<(), DriverError> {
        let (first, others) = self.devices.split_at(1);
        others.iter().try_for_each(|other| other.stream.join(&first[0].stream))
    }

    /// Lets the stream of the first device wait for those of all others.
    ///
    /// # Errors
    /// The driver's error.
    pub fn join(&self) -> Result<(), DriverError> {
        let (first, others) = self.devices.split_at(1);
        others.iter().try_for_each(|other| first[0].stream.join(&other.stream))
    }

    /// As [`AllReduce::fork`], of the further streams of all devices.
    ///
    /// # Errors
    /// The driver's error.
    pub fn fork_copies(&self) -> Result<(), DriverError> {
        self.streams.iter().try_for_each(|stream| stream.join(&self.devices[0].stream))
    }

    /// As [`AllReduce::join`], of the further streams of all devices.
    ///
    /// # Errors
    /// The driver's error.
    pub fn join_copies(&self) -> Result<(), DriverError> {
        self.streams.iter().try_for_each(|stream| self.devices[0].stream.join(stream))
    }
}

/// Lets every stream wait for all others.
///
/// # Errors
/// The driver's error.
pub fn join_all<'a>(
    streams: impl Iterator<Item = &'a Arc<CudaStream>> + Clone,
) -> Result<(), DriverError> {
    let events = streams.clone().map(|stream| stream.record_event(None));
    let events = events.collect::<Result<Vec<_>, _>>()?;
    for stream in streams {
        events.iter().try_for_each(|event| stream.wait(event))?;
    }
    Ok(())
}

/// The array of one device.
fn input(case: &Case, rank: u64) -> Vec<f32> {
    inputs::generate(&Case { seed: case.seed.wrapping_mul(1_000).wrapping_add(rank), ..*case })
}

fn sums(n: usize, host: &[Vec<f32>]) -> Vec<(f64, f64)> {
    use rayon::prelude::*;
    let of_element = |i: usize| {
        let (mut sum, mut absolute) = (Compensated::default(), 0.0);
        for array in host {
            sum.add(f64::from(array[i]));
            absolute += f64::from(array[i].abs());
        }
        (sum.value(), absolute)
    };
    (0..n).into_par_iter().map(of_element).collect()
}

impl Problem for AllReduce {
    type Promise = ();

    fn device(&self) -> &Device {
        &self.devices[0]
    }

    fn case(&self) -> &Case {
        &self.case
    }

    fn reset(&mut self) -> Result<(), DriverError> {
        for out in &mut self.outs {
            out.poison()?;
        }
        // No device may write to another one's result before it is poisoned.
        join_all(self.devices.iter().map(|device| &device.stream))
    }

    fn judge(&mut self, _promise: &(), _launches: u64) -> Result<Verdict, Error> {
        let mut all: Option<Verdict> = None;
        for (d, device) in self.devices.iter().enumerate() {
            device.finish("waiting for a device")?;
            let mut verdict = self.outs[d].compare(self.accepted())?;
            for failure in &mut verdict.failures {
                failure.message = format!("on device {d}: {}", failure.message);
            }
            verdict.failures.extend(buffer::check_input(
                device,
                &mut self.inputs[d],
                &self.host[d],
            )?);
            all = Some(match all {
                None => verdict,
                Some(mut all) => {
                    all.failures.extend(verdict.failures);
                    if verdict.error > all.error {
                        (all.error, all.error_bound) = (verdict.error, verdict.error_bound);
                    }
                    all
                }
            });
        }
        Ok(all.unwrap_or_default())
    }

    fn traffic(&self, _promise: &()) -> Traffic {
        // Over the links of one device, in each direction: see the chapter's proof.
        let devices = self.devices.len() as u64;
        let bytes = self.case.input_bytes() * (devices - 1) / devices;
        Traffic { read: bytes, written: bytes }
    }

    /// A device must receive 2 (devices - 1) / devices of an array. The rate is that at which every device copies an
    /// array of this size from its left neighbour, all at the same time.
    fn ceiling_ms(&mut self, bench: &mut Bench, traffic: Traffic) -> Result<f64, Error> {
        if self.n == 0 {
            return bench.ceiling_ms(traffic);
        }
        if let Some(known) = self.ceiling_ms {
            return Ok(known);
        }
        let samples = bench.stopwatch.measure(&mut || self.copy_from_left())?;
        let devices = self.devices.len() as f64;
        let ceiling_ms = samples.time().median * 2.0 * (devices - 1.0) / devices;
        self.ceiling_ms = Some(ceiling_ms);
        Ok(ceiling_ms)
    }

    fn loaded_baseline(&self, _promise: &()) -> Result<Vec<Way<Self>>, Error> {
        baseline::all_reduce(self)
    }

    fn refill(&mut self, case: &Case) -> Result<(), Error> {
        self.case = *case;
        self.host = (0..self.devices.len() as u64).map(|rank| input(case, rank)).collect();
        self.expected = sums(self.n, &self.host);
        for ((device, memory), host) in self.devices.iter().zip(&mut self.inputs).zip(&self.host) {
            buffer::overwrite(device, memory, host)?;
        }
        Ok(())
    }
}

/// Refuses matrices, and operators other than the sum.
pub fn vectors_only(rung: &Rung, case: &Case) -> Option<Refusal> {
    match case.shape {
        Shape::Matrix { .. } => Some(Refusal::wants_vector()),
        Shape::Vector { .. } => no_kernel(rung, case),
    }
}

fn no_kernel(_rung: &Rung, case: &Case) -> Option<Refusal> {
    let has_kernel = case.op == Op::Sum && case.dtype == Dtype::F32;
    (!has_kernel).then_some(Refusal::NoKernel)
}
