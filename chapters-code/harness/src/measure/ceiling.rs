//! What the device's memory can do, measured in the same run as what is compared with it.

use cudarc::driver::{
    CudaFunction, DevicePtr, DevicePtrMut, DriverError, LaunchConfig, PushKernelArg, result,
};
pub use recording::Ceilings;

use crate::{
    Device, Error, buffer,
    inputs::bits,
    kernel::{self, PtxText},
    ptx,
    rung::Traffic,
    timing::{Stopwatch, Time},
};

/// The read-only sweep, which chapter 0 explains.
pub const READ_SWEEP_PTX: PtxText = ptx!("kernels/read_sweep.ptx");

/// A copy by packs of 16 bytes.
const COPY_PACKS_PTX: &str = include_str!("../../kernels/copy_packs.ptx");

/// A thread that follows a chain of places in memory.
pub const POINTER_CHASE_PTX: &str = include_str!("../../kernels/pointer_chase.ptx");

/// A kernel that does nothing.
const EMPTY_PTX: &str = include_str!("../../kernels/empty.ptx");

/// Threads of a block of the read sweep, and packs of 16 bytes that a thread loads.
const READ_SWEEP_THREADS: u32 = 256;
const READ_SWEEP_LOADS: u32 = 4;

/// Measures the ceilings over the buffers of `memory`.
pub(crate) fn measure(
    device: &Device,
    stopwatch: &mut Stopwatch,
    memory: &mut Sweeps,
) -> Result<Ceilings, Error> {
    let bytes = memory.bytes();
    // The first measurement of a process finds the clocks still rising.
    memory.read(stopwatch, bytes)?;
    let copy_time = memory.copy(stopwatch, bytes)?;
    let read_time = memory.read(stopwatch, bytes)?;
    Ok(Ceilings {
        buffer_bytes: bytes,
        copy_gb_per_s: copy_time.gb_per_s(2 * bytes),
        copy_time_ms: copy_time,
        read_gb_per_s: read_time.gb_per_s(bytes),
        read_time_ms: read_time,
        peak_gb_per_s: device.properties.peak_gb_per_s(),
        launch_us: launch_time(device, stopwatch)?.median * 1e3,
        latency_ns: Some(latency_ns(device, stopwatch)?),
    })
}

/// The time in milliseconds that so much traffic takes at a device's ceilings: what is read beyond what is written at the
/// rate of the read sweep, and the rest at the rate of the copy.
pub fn ms(ceilings: &Ceilings, traffic: Traffic) -> f64 {
    let only_read = traffic.only_read() as f64;
    let rest = traffic.bytes() as f64 - only_read;
    (only_read / ceilings.read_gb_per_s + rest / ceilings.copy_gb_per_s) * 1e-6
}

type Bytes = cudarc::driver::CudaSlice<u8>;

/// The bytes that are drawn at random; a buffer repeats them.
const DRAWN: usize = 1 << 16;

/// Two buffers, and what reads and copies them as fast as is known.
pub(crate) struct Sweeps {
    device: Device,
    input: Bytes,
    output: Bytes,
    sink: Bytes,
    read: CudaFunction,
    copy: CudaFunction,
}

impl Sweeps {
    /// Allocates two buffers of 1 GiB, or of an eighth of a smaller memory.
    pub fn new(device: &Device) -> Result<Self, Error> {
        let bytes = (device.properties.memory_bytes / 8).min(1 << 30) as usize / DRAWN * DRAWN;
        // Not one byte over and over: that costs a memory less power.
        let drawn: Vec<u8> = (0..DRAWN as u64 / 8).flat_map(|i| bits(1, i).to_ne_bytes()).collect();
        let host: Vec<u8> = drawn.iter().copied().cycle().take(bytes.max(DRAWN)).collect();
        Ok(Self {
            input: buffer::to_device(device, &host)?,
            output: buffer::scratch(device, host.len() as u64)?,
            sink: buffer::scratch(device, 16)?,
            read: kernel::load(device, &READ_SWEEP_PTX, "read_sweep")?,
            copy: kernel::load(device, COPY_PACKS_PTX, "copy_packs")?,
            device: device.clone(),
        })
    }

    /// The size of each buffer in bytes.
    pub fn bytes(&self) -> u64 {
        self.input.len() as u64
    }

    /// The size nearest to `bytes` that can be read or copied: whole packs of 16 bytes, at least one.
    pub fn nearest(&self, bytes: u64) -> u64 {
        bytes.clamp(1, self.bytes()).next_multiple_of(16)
    }

    /// The time in which `bytes` are read, a multiple of 16.
    pub fn read(&mut self, stopwatch: &mut Stopwatch, bytes: u64) -> Result<Time, Error> {
        let Self { device, input, sink, read, .. } = self;
        let mut sweep = || launch_read_sweep(device, read, input, bytes as usize, sink);
        Ok(stopwatch.measure(&mut sweep)?.time())
    }

    /// The time in which `bytes` are copied, a multiple of 16: by the driver or by a kernel, whichever takes less.
    pub fn copy(&mut self, stopwatch: &mut Stopwatch, bytes: u64) -> Result<Time, Error> {
        let Self { device, input, output, copy, .. } = self;
        let packs = bytes / 16;
        let stream = device.stream.clone();
        let by_kernel = stopwatch.measure(&mut || {
            let mut launch = stream.launch_builder(copy);
            launch.arg(&*input).arg(&mut *output).arg(&packs);
            // SAFETY: the contract of copy_packs.cu: both hold `packs` aligned words of 16 bytes; 256 threads a
            // block, and a block for each 1,024 packs.
            unsafe { launch.launch(read_sweep_config(packs)) }.map(|_| ())
        })?;
        let by_driver = stopwatch.measure(&mut || {
            let (from, _read) = input.device_ptr(&stream);
            let (to, _written) = output.device_ptr_mut(&stream);
            // SAFETY: both hold `bytes` bytes, do not overlap, and live until after the measurement.
            unsafe { result::memcpy_dtod_async(to, from, bytes as usize, stream.cu_stream()) }
        })?;
        let (by_kernel, by_driver) = (by_kernel.time(), by_driver.time());
        Ok(if by_kernel.median < by_driver.median { by_kernel } else { by_driver })
    }
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
    let (all, one) = (time(STEPS)?.time(), time(1)?.time());
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
    let samples = stopwatch.measure(&mut || {
        // SAFETY: the kernel takes no arguments and touches no memory.
        unsafe { device.stream.launch_builder(&empty).launch(kernel::grid(1, 1))? };
        Ok(())
    })?;
    Ok(samples.time())
}

/// The launch of a sweep over `packs` packs of 16 bytes.
fn read_sweep_config(packs: u64) -> LaunchConfig {
    let blocks = packs.div_ceil(u64::from(READ_SWEEP_THREADS * READ_SWEEP_LOADS));
    kernel::grid(blocks.clamp(1, i32::MAX as u64), READ_SWEEP_THREADS)
}

/// Enqueues one sweep over the first `bytes` of `input`.
pub(crate) fn launch_read_sweep(
    device: &Device,
    sweep: &CudaFunction,
    input: &Bytes,
    bytes: usize,
    sink: &mut Bytes,
) -> Result<(), DriverError> {
    let packs = (bytes / 16) as u64;
    let config = read_sweep_config(packs);
    // SAFETY: the contract of read_sweep.cu: `in` holds `packs` aligned words of 16 bytes, `out`
    // one word; 256 threads per block; any number of blocks.
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
