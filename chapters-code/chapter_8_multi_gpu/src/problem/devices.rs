//! What every task of the chapter needs: the devices, how their streams wait for each other, and memory that kernels of
//! all devices access.

use std::{ops::Deref, sync::Arc};

use bytemuck::Pod;
use cudarc::driver::{
    CudaFunction, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DeviceRepr, DriverError, result,
};
use cudarc::nvrtc::Ptx;
use harness::{Device, Error, Output, PtxText, buffer, timing::Bench};

use crate::Case;

/// The largest number of devices: `MAX_DEVICES` of pointers.cuh.
pub const MAX_DEVICES: usize = 8;

/// `struct Pointers` and `struct Flags` of the kernels: an address per device.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Addresses(pub [u64; MAX_DEVICES]);

// SAFETY: a struct of eight addresses, as in the kernels.
unsafe impl DeviceRepr for Addresses {}

impl Addresses {
    /// The address of each device's array.
    pub fn of<'a, T: 'a>(
        devices: &Devices,
        arrays: impl IntoIterator<Item = &'a CudaSlice<T>>,
    ) -> Self {
        let mut addresses = Self::default();
        for ((address, array), device) in addresses.0.iter_mut().zip(arrays).zip(devices.iter()) {
            *address = array.device_ptr(&device.stream).0;
        }
        addresses
    }

    /// The address of each device's result.
    pub fn of_outputs<T: Pod + DeviceRepr>(devices: &Devices, outs: &mut [Output<T>]) -> Self {
        let mut addresses = Self::default();
        for ((address, out), device) in addresses.0.iter_mut().zip(outs).zip(devices.iter()) {
            *address = out.view_mut().device_ptr_mut(&device.stream).0;
        }
        addresses
    }
}

/// Memory that kernels of all devices access: a buffer of the same length on each.
pub struct Shared<T> {
    addresses: Addresses,
    _memory: Vec<CudaSlice<T>>,
}

impl Shared<u32> {
    /// Flags of barrier.cuh, [`MAX_DEVICES`] for each of some blocks.
    ///
    /// # Errors
    /// [`Error::Driver`] if a device has no room.
    pub fn flags(devices: &Devices, blocks: usize) -> Result<Self, Error> {
        Self::filled(devices, blocks * MAX_DEVICES, devices.launches)
    }
}

impl Shared<u64> {
    /// Words of words.cuh with a tag.
    ///
    /// # Errors
    /// [`Error::Driver`] if a device has no room.
    pub fn words(devices: &Devices, len: usize, tag: u32) -> Result<Self, Error> {
        Self::filled(devices, len, u64::from(tag) << 32)
    }
}

impl<T: Pod + DeviceRepr> Shared<T> {
    /// `len` times the same value on each device.
    ///
    /// # Errors
    /// [`Error::Driver`] if a device has no room.
    pub fn filled(devices: &Devices, len: usize, value: T) -> Result<Self, Error> {
        let values = vec![value; len];
        Self::new(devices, |device| buffer::to_device(device, &values))
    }

    /// Memory for `len` elements on each device, filled with poison: a kernel must write an element before it reads it.
    ///
    /// # Errors
    /// [`Error::Driver`] if a device has no room.
    pub fn scratch(devices: &Devices, len: usize) -> Result<Self, Error> {
        Self::new(devices, |device| buffer::scratch(device, len as u64))
    }

    fn new(
        devices: &Devices,
        make: impl Fn(&Device) -> Result<CudaSlice<T>, Error>,
    ) -> Result<Self, Error> {
        let memory = devices.each(|_, device| make(device))?;
        Ok(Self { addresses: Addresses::of(devices, &memory), _memory: memory })
    }

    /// The address of each device's buffer, for as long as this value lives.
    pub fn addresses(&self) -> &Addresses {
        &self.addresses
    }
}

/// The devices of a problem. Every pair can read and write each other's memory. The first is timed. (A problem has
/// them as its last field: contexts must live until all memory is freed.)
pub struct Devices {
    /// A further stream of each device, for copies: the driver runs copies between the default streams of devices one
    /// after another.
    pub streams: Vec<Arc<CudaStream>>,
    /// The number of launches, or of epochs, that the memory of a rung which is prepared counts already: 0, unless a test
    /// begins where the numbers begin again.
    pub launches: u32,
    all: Vec<Device>,
}

impl Deref for Devices {
    type Target = [Device];

    fn deref(&self) -> &[Device] {
        &self.all
    }
}

impl Drop for Devices {
    /// Goes back to the context of the first device, which lives on: cudarc frees memory in whatever context is current,
    /// and that of the last device has then been destroyed.
    fn drop(&mut self) {
        self.streams.clear();
        self.all.truncate(1);
        let context = &self.all[0].context;
        context.record_err(context.bind_to_thread());
    }
}

impl Devices {
    /// `first` and the next devices, as many as the case wants, each with a further stream.
    ///
    /// # Errors
    /// [`Error::Driver`] if there are fewer devices, or one cannot reach another one's memory.
    pub fn of(first: &Device, case: &Case) -> Result<Self, Error> {
        let all = first.with_peers(case.task.devices.unwrap_or(2))?;
        let mut streams = Vec::new();
        for device in &all {
            // SAFETY: the rungs order the work of streams by events of their own.
            unsafe { device.context.disable_event_tracking() };
            let stream = device.context.new_stream();
            streams.push(stream.map_err(|error| Error::driver("making a stream", error))?);
        }
        Ok(Self { streams, launches: 0, all })
    }

    /// What `make` makes for each device.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn each<U, E>(&self, make: impl Fn(usize, &Device) -> Result<U, E>) -> Result<Vec<U>, E> {
        self.iter().enumerate().map(|(d, device)| make(d, device)).collect()
    }

    /// `n` elements in as many parts as there are devices. For each device, where its part begins and ends. All parts
    /// have the same length, a multiple of 4, but the last ones, which may be shorter or empty.
    pub fn parts(&self, n: usize) -> Vec<(usize, usize)> {
        let part = self.part(n);
        (0..self.len()).map(|d| ((d * part).min(n), ((d + 1) * part).min(n))).collect()
    }

    /// The length of the first of these parts.
    pub fn part(&self, n: usize) -> usize {
        n.div_ceil(self.len()).next_multiple_of(4)
    }

    /// The kernel `name` of `ptx`, on each device.
    pub(crate) fn kernels(
        &self,
        ptx: PtxText,
        name: &str,
    ) -> Result<Vec<CudaFunction>, DriverError> {
        self.each(|_, device| device.context.load_module(Ptx::from_src(ptx))?.load_function(name))
    }

    /// The median time in milliseconds in which every device copies `n` floats from its left neighbour, all at the same
    /// time: what the links can do.
    ///
    /// # Errors
    /// [`Error::Driver`] if a device has no room, or a copy fails.
    pub(crate) fn copy_from_left_ms(&self, bench: &mut Bench, n: usize) -> Result<f64, Error> {
        let [from, to] = [Shared::<f32>::scratch(self, n)?, Shared::scratch(self, n)?];
        let mut copies = || {
            self.fork_copies()?;
            for d in 0..self.len() {
                let left = (d + self.len() - 1) % self.len();
                let (from, to) = (from.addresses().0[left], to.addresses().0[d]);
                // SAFETY: both arrays have n elements, and nothing else uses them.
                unsafe { self.copy(left, from, d, to, n)? };
            }
            self.join_copies()
        };
        Ok(bench.stopwatch.measure(&mut copies)?.time().median)
    }

    /// Copies `n` floats from an address of device `from` to one of device `to`, in the further stream of that one.
    /// (cudarc's `memcpy_dtod` would also wait for all work in the other device's stream.)
    ///
    /// # Safety
    /// Both addresses are of `n` elements that live, and that nothing writes, or reads at the second, at the same time.
    pub(crate) unsafe fn copy(
        &self,
        from: usize,
        from_address: u64,
        to: usize,
        to_address: u64,
        n: usize,
    ) -> Result<(), DriverError> {
        let [source, target] = [from, to].map(|d| self.all[d].context.cu_ctx());
        let stream = self.streams[to].cu_stream();
        self.all[to].context.bind_to_thread()?;
        // SAFETY: the caller's promise; the contexts live as long as the devices.
        unsafe {
            result::memcpy_peer_async(target, to_address, source, from_address, 4 * n, stream)
        }
    }

    /// The number of blocks of `threads` threads that each device holds at once, of the kernels of all devices: blocks
    /// of different devices wait for each other, so all must be resident.
    pub(crate) fn resident_blocks(
        &self,
        kernels: &[CudaFunction],
        threads: u32,
    ) -> Result<u32, DriverError> {
        let mut least = u32::MAX;
        for (device, kernel) in self.iter().zip(kernels) {
            device.context.bind_to_thread()?;
            let blocks = kernel.occupancy_max_active_blocks_per_multiprocessor(threads, 0, None)?;
            least = least.min(blocks * device.properties.multiprocessors);
        }
        Ok(least.max(1))
    }

    /// Lets the streams of all devices wait for that of the first.
    pub(crate) fn fork(&self) -> Result<(), DriverError> {
        self[1..].iter().try_for_each(|other| other.stream.join(&self[0].stream))
    }

    /// Lets the stream of the first device wait for those of all others.
    pub(crate) fn join(&self) -> Result<(), DriverError> {
        self[1..].iter().try_for_each(|other| self[0].stream.join(&other.stream))
    }

    /// As [`Devices::fork`], of the further streams of all devices.
    pub(crate) fn fork_copies(&self) -> Result<(), DriverError> {
        self.streams.iter().try_for_each(|stream| stream.join(&self.all[0].stream))
    }

    /// As [`Devices::join`], of the further streams of all devices.
    pub(crate) fn join_copies(&self) -> Result<(), DriverError> {
        self.streams.iter().try_for_each(|stream| self.all[0].stream.join(stream))
    }

    /// Lets the streams of all devices wait for each other.
    pub(crate) fn meet(&self) -> Result<(), DriverError> {
        meet(self.iter().map(|device| &device.stream))
    }

    /// As [`Devices::meet`], of the further streams of all devices.
    pub(crate) fn meet_copies(&self) -> Result<(), DriverError> {
        meet(self.streams.iter())
    }
}

/// Lets every stream wait for all others.
fn meet<'a>(streams: impl Iterator<Item = &'a Arc<CudaStream>> + Clone) -> Result<(), DriverError> {
    let events = streams.clone().map(|stream| stream.record_event(None));
    let events = events.collect::<Result<Vec<_>, _>>()?;
    for stream in streams {
        events.iter().try_for_each(|event| stream.wait(event))?;
    }
    Ok(())
}
