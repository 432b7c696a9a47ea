//! What the device's memory can do, measured in the same run as what is compared with it.

use cudarc::driver::{
    CudaFunction, DevicePtr, DevicePtrMut, DriverError, LaunchConfig, PushKernelArg, result,
};
use serde::{Deserialize, Serialize};

use crate::{
    Device, Error, buffer, kernel,
    timing::{Stopwatch, Time},
};

/// The read-only sweep, which chapter 0 explains.
pub const READ_SWEEP_PTX: &str = include_str!("../kernels/read_sweep.ptx");

/// A thread that follows a chain of places in memory.
const POINTER_CHASE_PTX: &str = include_str!("../kernels/pointer_chase.ptx");

/// A kernel that does nothing.
const EMPTY_PTX: &str = include_str!("../kernels/empty.ptx");

/// Threads of a block of the read sweep, and packs of 16 bytes that a thread loads.
const READ_SWEEP_THREADS: u32 = 256;
const READ_SWEEP_LOADS: u32 = 4;

/// What a kernel is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ceiling {
    /// A device-to-device copy: for work that reads and writes.
    Copy,
    /// A read-only sweep: for reductions and histograms.
    Read,
}

/// The ceilings of one device in one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ceilings {
    /// Bytes of the buffer that is copied or read.
    pub buffer_bytes: u64,
    /// Bytes read and written by a device-to-device copy, in GB/s.
    pub copy_gb_per_s: f64,
    /// Its time.
    pub copy_time_ms: Time,
    /// Bytes read by a sweep, in GB/s.
    pub read_gb_per_s: f64,
    /// Its time.
    pub read_time_ms: Time,
    /// From the memory's clock and the width of its bus.
    pub peak_gb_per_s: f64,
    /// Time of an empty kernel between two events, in microseconds.
    pub launch_us: f64,
    /// Time of one load from memory while no other load is in flight, in nanoseconds; runs that were recorded
    /// before it was measured lack it.
    pub latency_ns: Option<f64>,
}

impl Ceilings {
    /// Measures them over a buffer of 1 GiB, or an eighth of a smaller memory.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room for two such buffers, or a call fails.
    pub fn measure(device: &Device, stopwatch: &mut Stopwatch) -> Result<Self, Error> {
        let bytes = (device.properties.memory_bytes / 8).min(1 << 30) as usize / 16 * 16;
        let input = buffer::to_device(device, &vec![0x5au8; bytes])?;
        // The first measurement of a process finds the clocks still rising.
        read_time(device, stopwatch, &input, bytes)?;
        let copy_time = copy_time(device, stopwatch, &input, bytes)?;
        let read_time = read_time(device, stopwatch, &input, bytes)?;
        Ok(Self {
            buffer_bytes: bytes as u64,
            copy_gb_per_s: copy_time.gb_per_s(2 * bytes as u64),
            copy_time_ms: copy_time,
            read_gb_per_s: read_time.gb_per_s(bytes as u64),
            read_time_ms: read_time,
            peak_gb_per_s: device.properties.peak_gb_per_s(),
            launch_us: launch_time(device, stopwatch)?.median * 1e3,
            latency_ns: Some(latency_ns(device, stopwatch)?),
        })
    }

    /// The rate of one of them, in GB/s.
    pub fn gb_per_s(&self, ceiling: Ceiling) -> f64 {
        match ceiling {
            Ceiling::Copy => self.copy_gb_per_s,
            Ceiling::Read => self.read_gb_per_s,
        }
    }
}

type Bytes = cudarc::driver::CudaSlice<u8>;

fn copy_time(
    device: &Device,
    stopwatch: &mut Stopwatch,
    input: &Bytes,
    bytes: usize,
) -> Result<Time, Error> {
    let mut output = buffer::scratch::<u8>(device, bytes as u64)?;
    let stream = device.stream.clone();
    stopwatch.measure(&mut || {
        let (from, _read) = input.device_ptr(&stream);
        let (to, _written) = output.device_ptr_mut(&stream);
        // SAFETY: both hold `bytes` bytes, do not overlap, and live until after the measurement.
        unsafe { result::memcpy_dtod_async(to, from, bytes, stream.cu_stream()) }
    })
}

fn read_time(
    device: &Device,
    stopwatch: &mut Stopwatch,
    input: &Bytes,
    bytes: usize,
) -> Result<Time, Error> {
    let sweep = kernel::load(device, READ_SWEEP_PTX, "read_sweep")?;
    let mut sink = buffer::scratch::<u8>(device, 16)?;
    stopwatch.measure(&mut || launch_read_sweep(device, &sweep, input, bytes, &mut sink))
}

/// Follows a chain with a place every 4 KiB and a line of 128 bytes, so that no load brings what
/// another asks for, on a cold L2.
fn latency_ns(device: &Device, stopwatch: &mut Stopwatch) -> Result<f64, Error> {
    const STEPS: u32 = 4096;
    const STRIDE: u32 = (4096 + 128) / 4; // in words
    let chain = chain(STEPS, STRIDE);
    let next = buffer::to_device(device, &chain)?;
    let mut out = buffer::scratch::<u32>(device, 1)?;
    let chase = kernel::load(device, POINTER_CHASE_PTX, "pointer_chase")?;
    let mut time = |steps: u32| {
        stopwatch.measure(&mut || {
            let mut launch = device.stream.launch_builder(&chase);
            launch.arg(&next).arg(&mut out).arg(&steps);
            // SAFETY: the contract of pointer_chase.cu: every place of the chain holds the index of
            // another, and `out` one word.
            unsafe { launch.launch(kernel::grid(1, 1))? };
            Ok(())
        })
    };
    // What a launch costs is in both.
    let (all, one) = (time(STEPS)?, time(1)?);
    Ok((all.median - one.median) * 1e6 / f64::from(STEPS - 1))
}

/// A ring of `places`, each `stride` words after the one before it in memory: each holds the index of the next.
fn chain(places: u32, stride: u32) -> Vec<u32> {
    let mut words = vec![0; (places * stride) as usize];
    for place in 0..places {
        words[(place * stride) as usize] = (place + 1) % places * stride;
    }
    words
}

fn launch_time(device: &Device, stopwatch: &mut Stopwatch) -> Result<Time, Error> {
    let empty = kernel::load(device, EMPTY_PTX, "empty")?;
    stopwatch.measure(&mut || {
        // SAFETY: the kernel takes no arguments and touches no memory.
        unsafe { device.stream.launch_builder(&empty).launch(kernel::grid(1, 1))? };
        Ok(())
    })
}

/// The launch of a sweep over `packs` packs of 16 bytes.
pub fn read_sweep_config(packs: u64) -> LaunchConfig {
    let blocks = packs.div_ceil(u64::from(READ_SWEEP_THREADS * READ_SWEEP_LOADS));
    kernel::grid(blocks.clamp(1, i32::MAX as u64), READ_SWEEP_THREADS)
}

/// Enqueues one sweep over the first `bytes` of `input`.
///
/// # Errors
/// What the driver says of the launch.
pub fn launch_read_sweep(
    device: &Device,
    sweep: &CudaFunction,
    input: &Bytes,
    bytes: usize,
    sink: &mut Bytes,
) -> Result<(), DriverError> {
    let packs = (bytes / 16) as u64;
    let config = read_sweep_config(packs);
    // SAFETY: the contract of read_sweep.cu: `in` holds `packs` aligned words of 16 bytes, `out`
    // one word; 256 threads a block; any number of blocks.
    unsafe {
        device.stream.launch_builder(sweep).arg(input).arg(sink).arg(&packs).launch(config)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_visits_every_place_and_comes_back() {
        let chain = chain(5, 3);
        let mut at = 0;
        let mut visited = Vec::new();
        for _ in 0..5 {
            at = chain[at as usize];
            visited.push(at);
        }
        assert_eq!(visited, [3, 6, 9, 12, 0]);
    }

    /// The kernel follows a chain on the simulator, step by step.
    #[test]
    fn a_thread_follows_the_chain() -> Result<(), Error> {
        let device = Device::open(crate::DeviceChoice::Sim)?;
        let next = buffer::to_device(&device, &chain(5, 3))?;
        let mut out = buffer::scratch::<u32>(&device, 1)?;
        let chase = kernel::load(&device, POINTER_CHASE_PTX, "pointer_chase")?;
        for (steps, end) in [(0u32, 0u32), (1, 3), (4, 12), (5, 0), (7, 6)] {
            let mut launch = device.stream.launch_builder(&chase);
            launch.arg(&next).arg(&mut out).arg(&steps);
            // SAFETY: the contract of pointer_chase.cu: a chain, and one word for the result.
            unsafe { launch.launch(kernel::grid(1, 1)).expect("it is launched") };
            let at = buffer::to_host(&device, &out.as_view())?;
            assert_eq!(at, [end], "after {steps} steps");
        }
        Ok(())
    }
}
