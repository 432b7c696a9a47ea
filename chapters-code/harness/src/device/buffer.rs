//! Outputs that show when a kernel writes too much, too little or beside them, and inputs that show when it writes
//! to them.

use bytemuck::Pod;
use std::{
    ops::{Deref, DerefMut},
    sync::{Mutex, PoisonError},
};

use cudarc::driver::{
    CudaSlice, CudaView, CudaViewMut, DevicePtrMut, DeviceRepr, DriverError, LaunchArgs,
    PinnedHostSlice, PushKernelArg, result, sys::CU_MEMHOSTALLOC_PORTABLE,
};
use rayon::prelude::*;

use crate::{
    Device, Element, Error, kernel,
    verify::{self, Accepted, Failure, Verdict},
};

/// The fingerprint of an input.
const FINGERPRINT_PTX: &str = include_str!("../../kernels/fingerprint.ptx");

/// Fills memory before a run. As `f32` and `f64` it is a huge negative number, as `f16` one near
/// the lowest, as an integer an odd negative one: none is an identity or a plausible result.
pub const POISON: u8 = 0xfb;

/// Bytes before and after an output on a GPU; keeps the output's alignment. The simulator has guard
/// zones of its own around every allocation and names the kernel's line, so there it is zero.
const MARGIN: usize = 4096;

/// Memory of a problem: an [`InputArray`] or an [`Output`].
pub trait Memory {
    /// Fills an output with poison. An input keeps its elements.
    ///
    /// # Errors
    /// The driver's error.
    fn poison(&mut self) -> Result<(), DriverError> {
        Ok(())
    }

    /// Where an input has changed, which no launch may do; the input is restored.
    ///
    /// # Errors
    /// [`Error::Driver`] if a copy fails.
    fn change(&mut self) -> Result<Option<Failure>, Error> {
        Ok(None)
    }

    /// A number of 64 bits that stands for the bytes: another one for other bytes, but for one case in 2^64. None where
    /// the memory is not of whole words.
    ///
    /// # Errors
    /// [`Error::Driver`] if the kernel cannot be launched.
    fn fingerprint(&self) -> Result<Option<u64>, Error>;
}

/// An input: elements on the device, and the same elements on the host. A kernel takes it as it takes a [`CudaSlice`].
pub struct InputArray<T> {
    memory: CudaSlice<T>,
    host: Vec<T>,
    device: Device,
}

impl<T: Pod + DeviceRepr> InputArray<T> {
    /// Copies elements to memory of their own, which has room for at least one.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room for them.
    pub fn new(device: &Device, host: Vec<T>) -> Result<Self, Error> {
        Ok(Self { memory: to_device(device, &host)?, host, device: device.clone() })
    }

    /// Replaces all elements, in the same memory.
    ///
    /// # Errors
    /// [`Error::Driver`] if the copy fails.
    pub fn refill(&mut self, host: Vec<T>) -> Result<(), Error> {
        self.host = host;
        overwrite(&self.device, &mut self.memory, &self.host)
    }

    /// What the elements are, whatever a launch has made of them.
    pub fn host(&self) -> &[T] {
        &self.host
    }
}

impl<T: Pod + DeviceRepr> Memory for InputArray<T> {
    fn change(&mut self) -> Result<Option<Failure>, Error> {
        let Self { memory, host, device } = self;
        // A GPU answers sooner than a gigabyte is copied.
        if !device.is_simulated() && is_unchanged(device, memory, host)? {
            return Ok(None);
        }
        let after = to_host(device, &memory.slice(..host.len()))?;
        let failure = verify::input_changed(host, bytemuck::cast_slice(&after));
        if failure.is_some() {
            overwrite(device, memory, host)?;
        }
        Ok(failure)
    }

    fn fingerprint(&self) -> Result<Option<u64>, Error> {
        fingerprint_of_all(&self.device, &self.memory)
    }
}

impl<T> Deref for InputArray<T> {
    type Target = CudaSlice<T>;

    fn deref(&self) -> &CudaSlice<T> {
        &self.memory
    }
}

impl<T> DerefMut for InputArray<T> {
    fn deref_mut(&mut self) -> &mut CudaSlice<T> {
        &mut self.memory
    }
}

// SAFETY: the argument is the one that cudarc makes of the memory.
unsafe impl<'a, 'b: 'a, T> PushKernelArg<&'b InputArray<T>> for LaunchArgs<'a> {
    fn arg(&mut self, input: &'b InputArray<T>) -> &mut Self {
        self.arg(&input.memory)
    }
}

/// An output of `T` between two guard zones.
pub struct Output<T> {
    memory: CudaSlice<T>,
    margin: usize,
    len: usize,
    device: Device,
}

impl<T: Pod + DeviceRepr> Output<T> {
    /// Allocates `len` elements and their guard zones.
    ///
    /// # Errors
    /// [`Error::Driver`] if the device has no room for them.
    pub fn new(device: &Device, len: usize) -> Result<Self, Error> {
        let margin = if device.is_simulated() { 0 } else { MARGIN / size_of::<T>() };
        let memory = uninitialised(device, len + 2 * margin)?;
        let device = device.clone();
        Ok(Self { memory, margin, len, device })
    }

    /// Fills the output and its guard zones with poison.
    ///
    /// # Errors
    /// The driver's error.
    pub fn poison(&mut self) -> Result<(), DriverError> {
        poison(&self.device, &mut self.memory)
    }

    /// Fills the guard zones with poison and the output with the first elements of `input`, for kernels that
    /// work in place.
    ///
    /// # Errors
    /// The driver's error.
    pub fn copy_from(&mut self, input: &CudaSlice<T>) -> Result<(), DriverError> {
        self.poison()?;
        if self.len == 0 {
            return Ok(()); // a driver refuses to copy nothing
        }
        let stream = self.device.stream.clone();
        stream.memcpy_dtod(&input.slice(..self.len), &mut self.view_mut())
    }

    /// The output, to read.
    pub fn view(&self) -> CudaView<'_, T> {
        self.memory.slice(self.margin..self.margin + self.len)
    }

    /// The output, to write.
    pub fn view_mut(&mut self) -> CudaViewMut<'_, T> {
        self.memory.slice_mut(self.margin..self.margin + self.len)
    }

    /// Copies the output to the host, after checking the guard zones.
    ///
    /// # Errors
    /// In the inner result, a [`Failure`] that names a byte of a guard zone that changed.
    pub fn download(&self) -> Result<Result<Vec<T>, Failure>, Error> {
        let end = self.margin + self.len;
        for (start, zone) in [(0, 0..self.margin), (end, end..end + self.margin)] {
            let zone = to_host(&self.device, &self.memory.slice(zone))?;
            let bytes: &[u8] = bytemuck::cast_slice(&zone);
            if let Some(at) = bytes.iter().position(|&byte| byte != POISON) {
                let offset = (start as i64 - self.margin as i64) * size_of::<T>() as i64;
                return Ok(Err(Failure::beside_output(offset + at as i64)));
            }
        }
        to_host(&self.device, &self.view()).map(Ok)
    }

    /// The verdict of `judge` on the output, after checking the guard zones.
    ///
    /// # Errors
    /// [`Error::Driver`] if the output cannot be read back.
    pub fn judge(&self, judge: impl FnOnce(&[T]) -> Verdict) -> Result<Verdict, Error> {
        Ok(self.download()?.map_or_else(Verdict::of, |computed| judge(&computed)))
    }
}

/// The fingerprint covers the guard zones, too.
impl<T: Pod + DeviceRepr> Memory for Output<T> {
    fn poison(&mut self) -> Result<(), DriverError> {
        self.poison()
    }

    fn fingerprint(&self) -> Result<Option<u64>, Error> {
        fingerprint_of_all(&self.device, &self.memory)
    }
}

impl<T: Element> Output<T> {
    /// Compares the output with what it should be, element by element, after checking the guard zones.
    ///
    /// # Errors
    /// [`Error::Driver`] if the output cannot be read back.
    pub fn compare(
        &self,
        expected: impl IntoIterator<Item = Accepted<T>>,
    ) -> Result<Verdict, Error> {
        self.judge(|computed| verify::compare(bytemuck::cast_slice(computed), expected))
    }

    /// Compares the output with the elements that it must equal, on all cores, after checking the guard
    /// zones.
    ///
    /// # Errors
    /// [`Error::Driver`] if the output cannot be read back.
    pub fn compare_equal(&self, expected: &[T]) -> Result<Verdict, Error> {
        self.judge(|computed| verify::compare_equal(bytemuck::cast_slice(computed), expected))
    }
}

/// Uninitialised device memory for at least one element, because a driver refuses to allocate none.
///
/// # Errors
/// [`Error::Driver`] if the device has no room for it.
pub fn uninitialised<T: Pod + DeviceRepr>(
    device: &Device,
    len: usize,
) -> Result<CudaSlice<T>, Error> {
    // SAFETY: every bit pattern is a valid `T`, and every reader reads only what was written before.
    unsafe { device.stream.alloc::<T>(len.max(1)) }.map_err(|error| {
        let bytes = crate::error::bytes((len * size_of::<T>()) as u64);
        Error::driver(format!("allocating {bytes}"), error)
    })
}

/// Scratch memory of `len` elements, filled with poison: a kernel must write it before it reads it.
///
/// # Errors
/// [`Error::Driver`] if the device has no room for it.
pub fn scratch<T: Pod + DeviceRepr>(device: &Device, len: u64) -> Result<CudaSlice<T>, Error> {
    let mut memory = uninitialised(device, len as usize)?;
    poison(device, &mut memory).map_err(|error| Error::driver("filling memory", error))?;
    Ok(memory)
}

/// Device memory with a copy of `elements`, and room for at least one element.
///
/// # Errors
/// [`Error::Driver`] if the device has no room for it, or the copy fails.
pub fn to_device<T: Pod + DeviceRepr>(
    device: &Device,
    elements: &[T],
) -> Result<CudaSlice<T>, Error> {
    let mut memory = uninitialised(device, elements.len())?;
    overwrite(device, &mut memory, elements)?;
    Ok(memory)
}

/// Replaces the first elements of device memory.
///
/// # Errors
/// [`Error::Driver`] if the copy fails.
pub fn overwrite<T: Pod + DeviceRepr>(
    device: &Device,
    memory: &mut impl DevicePtrMut<T>,
    elements: &[T],
) -> Result<(), Error> {
    let is_large = size_of_val(elements) > STAGED && elements.len() <= memory.len();
    let copied = match is_large && !device.is_simulated() {
        true => upload_staged(device, elements, memory),
        false => device.stream.memcpy_htod(elements, memory),
    };
    copied.map_err(|error| Error::driver("copying the input to the device", error))?;
    device.finish("copying the input to the device")
}

/// A copy of device memory on the host.
///
/// # Errors
/// [`Error::Driver`], also for a kernel that was stopped before.
pub fn to_host<T: Pod + DeviceRepr>(
    device: &Device,
    memory: &CudaView<'_, T>,
) -> Result<Vec<T>, Error> {
    let doing = "reading memory back";
    let mut copy = Vec::new();
    if memory.len() * size_of::<T>() > STAGED && !device.is_simulated() {
        copy = staged(device, memory).map_err(|error| device.explain(doing, error))?;
    } else if !memory.is_empty() {
        let copied = device.stream.clone_dtoh(memory);
        copy = copied.map_err(|error| device.explain(doing, error))?;
    }
    device.finish(doing)?;
    Ok(copy)
}

/// Bytes of page-locked memory through which large copies go.
const STAGED: usize = 1 << 26;

/// Bytes that one core copies at a time.
const COPIED: usize = 1 << 20;

/// Calls `copy` with page-locked memory, which is allocated once. The host's caches hold it (cudarc's `alloc_pinned`
/// gives memory that they do not hold, which the host reads many times more slowly).
fn with_stage(
    device: &Device,
    copy: impl FnOnce(&mut PinnedHostSlice<u8>) -> Result<(), DriverError>,
) -> Result<(), DriverError> {
    static STAGE: Mutex<Option<PinnedHostSlice<u8>>> = Mutex::new(None);
    let mut stage = STAGE.lock().unwrap_or_else(PoisonError::into_inner);
    if stage.is_none() {
        let flags = CU_MEMHOSTALLOC_PORTABLE;
        // SAFETY: only what was copied into the memory is read.
        *stage = Some(unsafe { device.context.alloc_pinned_with_flags(STAGED, flags) }?);
    }
    stage.as_mut().map_or(Ok(()), copy)
}

/// A copy of device memory, through page-locked memory and by all cores: several times as fast as the driver's copy to
/// memory that is not.
fn staged<T: Pod + DeviceRepr>(
    device: &Device,
    memory: &CudaView<'_, T>,
) -> Result<Vec<T>, DriverError> {
    let mut copy = vec![T::zeroed(); memory.len()];
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut copy);
    // SAFETY: every element has `size_of::<T>()` bytes, and all of them are initialised.
    let Some(memory) = (unsafe { memory.transmute::<u8>(bytes.len()) }) else {
        return device.stream.clone_dtoh(memory);
    };
    with_stage(device, |stage| {
        for (i, to) in bytes.chunks_mut(STAGED).enumerate() {
            let from = memory.slice(i * STAGED..i * STAGED + to.len());
            device.stream.memcpy_dtoh(&from, &mut stage.as_mut_slice()?[..to.len()])?;
            device.stream.synchronize()?;
            let parts = to.par_chunks_mut(COPIED).zip(stage.as_slice()?.par_chunks(COPIED));
            parts.for_each(|(to, from)| to.copy_from_slice(&from[..to.len()]));
        }
        Ok(())
    })?;
    Ok(copy)
}

/// Copies elements to the beginning of device memory, through page-locked memory and by all cores.
fn upload_staged<T: Pod + DeviceRepr>(
    device: &Device,
    elements: &[T],
    memory: &mut impl DevicePtrMut<T>,
) -> Result<(), DriverError> {
    let bytes: &[u8] = bytemuck::cast_slice(elements);
    let stream = &device.stream;
    let (to, _write) = memory.device_ptr_mut(stream);
    with_stage(device, |stage| {
        for (i, from) in bytes.chunks(STAGED).enumerate() {
            let parts = stage.as_mut_slice()?.par_chunks_mut(COPIED).zip(from.par_chunks(COPIED));
            parts.for_each(|(to, from)| to[..from.len()].copy_from_slice(from));
            let (to, from) = (to + (i * STAGED) as u64, &stage.as_slice()?[..from.len()]);
            device.context.bind_to_thread()?;
            // SAFETY: the memory has room for the elements, of which these bytes are a part; the stage is not written
            // before the copy has ended.
            unsafe { result::memcpy_htod_async(to, from, stream.cu_stream()) }?;
            stream.synchronize()?;
        }
        Ok(())
    })
}

/// Whether device memory has the fingerprint of its elements on the host, and the same elements behind the last whole
/// word.
fn is_unchanged<T: Pod + DeviceRepr>(
    device: &Device,
    memory: &CudaSlice<T>,
    elements: &[T],
) -> Result<bool, Error> {
    let (words, rest) = bytemuck::cast_slice(elements).as_chunks();
    let behind = elements.len() - rest.len() / size_of::<T>();
    let after = to_host(device, &memory.slice(behind..elements.len()))?;
    Ok(bytemuck::cast_slice::<T, u8>(&after) == rest
        && fingerprint_of(device, memory, words.len())? == fingerprint(words))
}

/// The fingerprint of an array of whole words.
fn fingerprint_of_all<T>(device: &Device, memory: &CudaSlice<T>) -> Result<Option<u64>, Error> {
    let (words, rest) = (memory.num_bytes() / 4, memory.num_bytes() % 4);
    if rest == 0 { fingerprint_of(device, memory, words).map(Some) } else { Ok(None) }
}

/// The fingerprint of the first words of an array.
fn fingerprint_of<T>(device: &Device, memory: &CudaSlice<T>, words: usize) -> Result<u64, Error> {
    let kernel = kernel::load(device, FINGERPRINT_PTX, "fingerprint")?;
    let mut sum = to_device(device, &[0u64])?;
    let count = words as u64;
    let mut launch = device.stream.launch_builder(&kernel);
    launch.arg(memory).arg(&mut sum).arg(&count);
    // SAFETY: the contract of fingerprint.cu: `memory` holds `count` words, and `sum` one sum, which is 0.
    let launched = unsafe { launch.launch(kernel::grid(1 << 12, 256)) };
    launched.map_err(|error| device.explain("taking a fingerprint", error))?;
    Ok(to_host(device, &sum.as_view())?[0])
}

/// What fingerprint.cu computes.
fn fingerprint(words: &[[u8; 4]]) -> u64 {
    let mix = |mut x: u64| {
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    };
    let of_word = |(i, &word): (usize, &[u8; 4])| {
        mix(mix(i as u64 + 1) ^ u64::from(u32::from_ne_bytes(word)))
    };
    words.par_iter().enumerate().map(of_word).reduce(|| 0, u64::wrapping_add)
}

fn poison<T>(device: &Device, memory: &mut CudaSlice<T>) -> Result<(), DriverError> {
    let stream = &device.stream;
    let bytes = memory.len() * size_of::<T>();
    let (address, _record) = memory.device_ptr_mut(stream);
    device.context.bind_to_thread()?;
    // SAFETY: `address` is that of `bytes` bytes; freeing them is ordered on the same stream.
    unsafe { result::memset_d8_async(address, POISON, bytes, stream.cu_stream()) }
}

#[cfg(test)]
mod tests {
    use crate::DeviceChoice;

    use super::*;

    /// What a kernel wrote, and a byte of a guard zone that it should not have written.
    #[test]
    fn guard_zones_are_looked_at_on_both_sides() {
        let device = Device::open(DeviceChoice::Sim).expect("the simulator");
        let (margin, bytes) = (64, 8);
        let download = |written: Option<usize>| {
            let mut output = Output::<u8> {
                memory: uninitialised(&device, bytes + 2 * margin).expect("room"),
                margin,
                len: bytes,
                device: device.clone(),
            };
            output.poison().expect("it is filled");
            if let Some(at) = written {
                let mut byte = output.memory.slice_mut(at..=at);
                device.stream.memcpy_htod(&[1u8], &mut byte).expect("it is written");
            }
            output.download().expect("it is read")
        };
        let beside = |at| Err(Failure::beside_output(at));
        assert_eq!(download(None), Ok(vec![POISON; 8]));
        assert_eq!(download(Some(margin)).map(|all| all[0]), Ok(1));
        assert_eq!(download(Some(margin - 1)), beside(-1));
        assert_eq!(download(Some(0)), beside(-64));
        assert_eq!(download(Some(margin + bytes)), beside(8));
        assert_eq!(download(Some(2 * margin + bytes - 1)), beside(71));
    }

    /// The kernel and the host agree, and see each change of a word and each exchange of two.
    #[test]
    fn a_changed_input_has_another_fingerprint() -> Result<(), Error> {
        let device = Device::open(DeviceChoice::Sim)?;
        let elements: Vec<f32> = (0..1000).map(|i| i as f32).collect();
        let mut memory = to_device(&device, &elements)?;
        assert!(is_unchanged(&device, &memory, &elements)?);
        for (at, value) in [(0, 1.0), (999, 0.0), (500, -500.0)] {
            let mut changed = elements.clone();
            changed[at] = value;
            overwrite(&device, &mut memory, &changed)?;
            assert!(!is_unchanged(&device, &memory, &elements)?, "{at}");
        }
        let bytes = [1u8, 2, 3, 4, 5, 6, 7, 8];
        assert!(InputArray::new(&device, bytes.to_vec())?.fingerprint()?.is_some());
        assert_eq!(InputArray::new(&device, bytes[..3].to_vec())?.fingerprint()?, None);
        let mut last = to_device(&device, &bytes[..7])?;
        assert!(is_unchanged(&device, &last, &bytes[..7])?);
        for at in [0, 4, 6] {
            let mut changed = bytes;
            changed[at] = 0;
            overwrite(&device, &mut last, &changed[..7])?;
            assert!(!is_unchanged(&device, &last, &bytes[..7])?, "{at}");
        }
        let mut exchanged = elements.clone();
        exchanged.swap(3, 700);
        overwrite(&device, &mut memory, &exchanged)?;
        assert!(!is_unchanged(&device, &memory, &elements)?);
        Ok(())
    }
}
