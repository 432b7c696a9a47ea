//! An open device: cudarc's context and stream, and what the device says of itself.

pub mod buffer;
pub mod driver;
pub mod kernel;
pub mod nccl;

use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaStream, DriverError,
    sys::{
        self,
        CUdevice_attribute_enum::{self as attribute, *},
        CUresult,
    },
};

use crate::{
    DeviceChoice, Error, Shape,
    error::DisplayDriverError,
    simulator::{Report, Simulator},
};

/// A device with a context and a stream to launch on.
#[derive(Clone)]
pub struct Device {
    /// The device's primary context.
    pub context: Arc<CudaContext>,
    /// The context's default stream; everything is launched on it.
    pub stream: Arc<CudaStream>,
    /// The name, the limits and the sizes that the device reports.
    pub properties: Properties,
    simulator: Option<&'static Simulator>,
}

/// The properties that a device reports.
#[derive(Clone, Debug)]
pub struct Properties {
    /// The name of the device.
    pub name: String,
    /// Compute capability, major and minor.
    pub compute_capability: (i32, i32),
    /// The CUDA version that the driver supports, as 1000 · major + 10 · minor.
    pub driver_version: i32,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Threads that a multiprocessor can hold at once.
    pub threads_per_multiprocessor: u32,
    /// Bytes of shared memory that a block can have, if it asks for more than 48 KiB.
    pub shared_bytes_a_block: u32,
    /// Bytes of the L2 cache.
    pub l2_bytes: u64,
    /// Bytes of device memory.
    pub memory_bytes: u64,
    /// Peak clock of the multiprocessors, in kHz.
    pub clock_khz: u32,
    /// Peak clock of the memory, in kHz.
    pub memory_clock_khz: u32,
    /// Width of the memory bus in bits.
    pub memory_bus_bits: u32,
}

impl Properties {
    /// What the memory could move at most: two transfers a clock over the whole bus.
    pub fn peak_gb_per_s(&self) -> f64 {
        2.0 * f64::from(self.memory_clock_khz) * 1e3 * f64::from(self.memory_bus_bits) / 8.0 / 1e9
    }

    fn read(context: &CudaContext) -> Result<Self, DriverError> {
        let get = |which: attribute| context.attribute(which).map(|value| value.max(0) as u32);
        Ok(Self {
            name: context.name()?,
            compute_capability: context.compute_capability()?,
            driver_version: driver_version()?,
            multiprocessors: get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            threads_per_multiprocessor: get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
            shared_bytes_a_block: get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
            l2_bytes: u64::from(get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?),
            memory_bytes: context.total_mem()? as u64,
            clock_khz: get(CU_DEVICE_ATTRIBUTE_CLOCK_RATE)?,
            memory_clock_khz: get(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)?,
            memory_bus_bits: get(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)?,
        })
    }
}

fn driver_version() -> Result<i32, DriverError> {
    let mut version = 0;
    // SAFETY: the pointer is to a live integer.
    unsafe { cudarc::driver::sys::cuDriverGetVersion(&mut version) }.result()?;
    Ok(version)
}

impl Device {
    /// The number of devices of the driver that is bound; 0 before a device was opened.
    pub fn count() -> usize {
        if !driver::is_bound() {
            return 0;
        }
        CudaContext::device_count().map_or(0, |count| count.max(0) as usize)
    }

    /// Opens the first device of the library that `choice` selects.
    ///
    /// On the simulator, counters and the race check are on, unless `SIMT_RACES` is set.
    ///
    /// # Errors
    /// If there is no such device, with the remedy.
    pub fn open(choice: DeviceChoice) -> Result<Self, Error> {
        let simulator = driver::bind(choice)?;
        let context = CudaContext::new(0).map_err(|error| match simulator {
            Some(_) if is_missing(error) => Error::NoSimulatedDevice,
            _ => Error::driver("opening device 0", error),
        })?;
        if let Some(simulator) = simulator
            && std::env::var_os("SIMT_RACES").is_none()
        {
            simulator.configure(|options| options.races = true)?;
        }
        Self::of(context, simulator)
    }

    /// A device with its default stream.
    fn of(context: Arc<CudaContext>, simulator: Option<&'static Simulator>) -> Result<Self, Error> {
        let properties = Properties::read(&context)
            .map_err(|error| Error::driver("asking the device what it is", error))?;
        Ok(Self { stream: context.default_stream(), context, properties, simulator })
    }

    /// This device and the next ones, `count` in all. Every two of them can read and write each other's memory. The others
    /// have streams of their own where this one has.
    ///
    /// # Errors
    /// [`Error::Driver`] if there are fewer devices, or two that cannot reach each other's memory.
    pub fn with_peers(&self, count: usize) -> Result<Vec<Self>, Error> {
        let mut devices = vec![self.clone()];
        for ordinal in 1..count {
            let context = CudaContext::new(ordinal)
                .map_err(|error| Error::driver(format!("opening device {ordinal}"), error))?;
            let peer = Self::of(context, self.simulator)?;
            devices.push(if self.stream.cu_stream().is_null() {
                peer
            } else {
                peer.with_own_stream()?
            });
        }
        for device in &devices {
            for peer in devices.iter().filter(|peer| peer.context != device.context) {
                device.enable_access_to(peer).map_err(|error| {
                    let (from, to) = (device.context.ordinal(), peer.context.ordinal());
                    Error::driver(format!("letting device {from} access device {to}"), error)
                })?;
            }
        }
        Ok(devices)
    }

    /// Lets kernels of this device read and write the memory of another. cudarc allocates from the device's memory pool,
    /// for which access is a setting of the pool. It is not part of what `cuCtxEnablePeerAccess` enables.
    fn enable_access_to(&self, peer: &Self) -> Result<(), DriverError> {
        self.context.bind_to_thread()?;
        // SAFETY: the peer's context lives as long as `peer`; a primary context is never destroyed while it is held.
        match unsafe { sys::cuCtxEnablePeerAccess(peer.context.cu_ctx(), 0) }.result() {
            Err(DriverError(CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED)) => {}
            enabled => enabled?,
        }
        let location = sys::CUmemLocation {
            type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
            id: self.context.ordinal() as i32,
        };
        let flags = sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        let access = sys::CUmemAccessDesc { location, flags };
        let mut pool = std::ptr::null_mut();
        // SAFETY: the pointers are to live variables, and the pool is that of a device.
        unsafe {
            sys::cuDeviceGetDefaultMemPool(&mut pool, peer.context.cu_device()).result()?;
            sys::cuMemPoolSetAccess(pool, &access, 1).result()
        }
    }

    /// The same device with a stream of its own. It can be captured in a graph; the default one cannot.
    ///
    /// # Errors
    /// [`Error::Driver`] if there is no further stream.
    pub fn with_own_stream(&self) -> Result<Self, Error> {
        // SAFETY: a device enqueues all work on its one stream, which orders it. Events that cudarc
        // would record outside a capture must not be waited for within one.
        unsafe { self.context.disable_event_tracking() };
        let stream = self.context.new_stream();
        Ok(Self {
            stream: stream.map_err(|error| Error::driver("making a stream", error))?,
            ..self.clone()
        })
    }

    /// The same device, for programs that ask how many multiprocessors it has: this many. Their grids are smaller then.
    pub fn with_multiprocessors(&self, multiprocessors: u32) -> Self {
        let properties = Properties { multiprocessors, ..self.properties.clone() };
        Self { properties, ..self.clone() }
    }

    /// The simulator's extra functions; none on a GPU.
    pub fn simulator(&self) -> Option<&'static Simulator> {
        self.simulator
    }

    /// The vector to run on if no size is asked for: 2^20 elements on the simulator, 2^28 on a GPU, whose L2 holds a
    /// fraction of that.
    pub fn usual_vector(&self) -> Shape {
        Shape::Vector { n: if self.is_simulated() { 1 << 20 } else { 1 << 28 } }
    }

    /// Whether the simulator stands in for a GPU.
    pub fn is_simulated(&self) -> bool {
        self.simulator.is_some()
    }

    /// What the simulator saw since the last call; an empty report on a GPU.
    ///
    /// # Errors
    /// As [`Simulator::take`].
    pub fn take_report(&self) -> Result<Report, Error> {
        Ok(match self.simulator {
            Some(simulator) => simulator.take()?,
            None => Report::default(),
        })
    }

    /// Waits for the stream; where something failed there, the error says what, and on the
    /// simulator also which kernel, line and thread.
    ///
    /// # Errors
    /// [`Error::Driver`] with what was `doing`.
    pub fn finish(&self, doing: &str) -> Result<(), Error> {
        self.stream.synchronize().map_err(|error| self.explain(doing, error))
    }

    /// A driver's error with what the simulator knows of its cause, and what mends it.
    pub fn explain(&self, doing: &str, error: DriverError) -> Error {
        let report = self.take_report().unwrap_or_default();
        let detail = match report.fault() {
            Some(fault) => format!(
                "\n{}\n  remedy: mend the kernel there, or what it is launched with",
                fault.message
            ),
            None if !self.is_simulated() && is_of_a_kernel(error) => {
                "\n  remedy: run it with `--device sim`, which names the line and the thread".into()
            }
            None => String::new(),
        };
        Error::Driver { doing: doing.into(), error: DisplayDriverError(error), detail }
    }

    /// The number of blocks of `threads` threads that the whole device holds at once, if threads are what it runs
    /// out of first: a grid of that size leaves no multiprocessor idle. The same number on the
    /// simulator as on the device whose profile it has, whatever registers a compiler gave out.
    pub fn resident_blocks(&self, threads: u32) -> u32 {
        let Properties { multiprocessors, threads_per_multiprocessor, .. } = self.properties;
        (multiprocessors * (threads_per_multiprocessor / threads.max(1))).max(1)
    }

    /// Bytes that can still be allocated. On the simulator device memory is the host's, where the
    /// input stands as well, and the race check notes some ten bytes for each that a kernel touches:
    /// so it is a sixteenth of what the host has left.
    ///
    /// # Errors
    /// [`Error::Driver`] if the driver does not say.
    pub fn free_bytes(&self) -> Result<u64, Error> {
        let (free, _) =
            self.context.mem_get_info().map_err(|e| Error::driver("asking for free memory", e))?;
        let host = if self.is_simulated() { host_available_bytes() } else { None };
        Ok(host.map_or(free as u64, |host| (free as u64).min(host / 16)))
    }
}

fn is_missing(error: DriverError) -> bool {
    matches!(error.0, CUresult::CUDA_ERROR_NO_DEVICE | CUresult::CUDA_ERROR_INVALID_DEVICE)
}

/// Bytes of the host's memory that Linux says are available to new processes; unknown elsewhere.
pub fn host_available_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib * 1024)
}

/// Whether an error is one that a kernel leaves behind, wherever it comes up.
fn is_of_a_kernel(DriverError(code): DriverError) -> bool {
    use CUresult::*;
    matches!(
        code,
        CUDA_ERROR_ILLEGAL_ADDRESS
            | CUDA_ERROR_MISALIGNED_ADDRESS
            | CUDA_ERROR_ILLEGAL_INSTRUCTION
            | CUDA_ERROR_LAUNCH_FAILED
            | CUDA_ERROR_LAUNCH_TIMEOUT
            | CUDA_ERROR_ASSERT
    )
}
