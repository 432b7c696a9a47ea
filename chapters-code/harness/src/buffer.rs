//! Outputs that show when a kernel writes too much, too little or beside them.

use cudarc::driver::{
    CudaSlice, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, DriverError, result,
};

use crate::{Device, Error};

/// Fills memory before a run. As `f32` and `f64` it is a huge negative number, as `f16` one near
/// the lowest, as an integer an odd negative one: none is an identity or a plausible result.
pub const POISON: u8 = 0xfb;

/// Bytes before and after an output on a GPU; keeps the output's alignment. The simulator has guard
/// zones of its own around every allocation and names the kernel's line, so there it is zero.
const MARGIN: usize = 4096;

/// Device memory for an output, between two guard zones.
pub struct Guarded {
    memory: CudaSlice<u8>,
    margin: usize,
    bytes: usize,
    device: Device,
}

impl Guarded {
    /// Allocates `bytes` and their guard zones.
    ///
    /// # Errors
    /// [`Error::Driver`] where the device has no room for them.
    pub fn new(device: &Device, bytes: usize) -> Result<Self, Error> {
        let margin = if device.is_simulated() { 0 } else { MARGIN };
        let memory = allocate(device, bytes + 2 * margin)?;
        Ok(Self {
            memory,
            margin,
            bytes,
            device: device.clone(),
        })
    }

    /// Fills the output and its guard zones with poison.
    ///
    /// # Errors
    /// What the driver says.
    pub fn poison(&mut self) -> Result<(), DriverError> {
        poison(&self.device, &mut self.memory)
    }

    /// The output, to read.
    pub fn view(&self) -> CudaView<'_, u8> {
        self.memory.slice(self.margin..self.margin + self.bytes)
    }

    /// The output, to write.
    pub fn view_mut(&mut self) -> CudaViewMut<'_, u8> {
        self.memory.slice_mut(self.margin..self.margin + self.bytes)
    }

    /// Copies the output to the host, after checking its guard zones.
    ///
    /// # Errors
    /// In the inner result, the byte offset, relative to the output, of a guard byte that changed.
    pub fn download(&self) -> Result<Result<Vec<u8>, i64>, Error> {
        let end = self.margin + self.bytes;
        for (start, zone) in [(0, 0..self.margin), (end, end..end + self.margin)] {
            let zone = download(&self.device, &self.memory.slice(zone))?;
            if let Some(at) = zone.iter().position(|&byte| byte != POISON) {
                return Ok(Err((start + at) as i64 - self.margin as i64));
            }
        }
        download(&self.device, &self.view()).map(Ok)
    }
}

/// Uninitialised device memory; at least one byte, because a driver refuses to allocate none.
///
/// # Errors
/// [`Error::Driver`] where the device has no room for them.
pub fn allocate(device: &Device, bytes: usize) -> Result<CudaSlice<u8>, Error> {
    // SAFETY: bytes of any value are valid `u8`s, and whoever reads them has them written first.
    unsafe { device.stream.alloc::<u8>(bytes.max(1)) }.map_err(|error| {
        Error::driver(
            format!("allocating {}", crate::error::bytes(bytes as u64)),
            error,
        )
    })
}

/// Device memory full of poison: scratch that a kernel must write before it reads.
///
/// # Errors
/// [`Error::Driver`] where the device has no room for them.
pub fn poisoned(device: &Device, bytes: usize) -> Result<CudaSlice<u8>, Error> {
    let mut memory = allocate(device, bytes)?;
    poison(device, &mut memory).map_err(|error| Error::driver("filling memory", error))?;
    Ok(memory)
}

fn poison(device: &Device, memory: &mut CudaSlice<u8>) -> Result<(), DriverError> {
    let stream = &device.stream;
    let bytes = memory.len();
    let (address, _record) = memory.device_ptr_mut(stream);
    // SAFETY: `address` is that of `bytes` bytes; freeing them is ordered on the same stream.
    unsafe { result::memset_d8_async(address, POISON, bytes, stream.cu_stream()) }
}

/// Device memory with a copy of `data`.
///
/// # Errors
/// [`Error::Driver`] where the device has no room for it, or the copy fails.
pub fn upload<T: bytemuck::NoUninit>(device: &Device, data: &[T]) -> Result<CudaSlice<u8>, Error> {
    let bytes: &[u8] = bytemuck::cast_slice(data);
    let mut memory = allocate(device, bytes.len())?;
    device
        .stream
        .memcpy_htod(bytes, &mut memory)
        .map_err(|error| Error::driver("copying the input to the device", error))?;
    device.finish("copying the input to the device")?;
    Ok(memory)
}

/// A copy of device memory on the host.
///
/// # Errors
/// [`Error::Driver`], also for a kernel that was stopped before.
pub fn download(device: &Device, memory: &impl DevicePtr<u8>) -> Result<Vec<u8>, Error> {
    let doing = "reading memory back";
    if memory.len() == 0 {
        device.finish(doing)?;
        return Ok(Vec::new());
    }
    let copy = device
        .stream
        .clone_dtoh(memory)
        .map_err(|error| device.explain(doing, error))?;
    device.finish(doing)?;
    Ok(copy)
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
            let mut guarded = Guarded {
                memory: allocate(&device, bytes + 2 * margin).expect("room"),
                margin,
                bytes,
                device: device.clone(),
            };
            guarded.poison().expect("it is filled");
            if let Some(at) = written {
                let mut byte = guarded.memory.slice_mut(at..=at);
                device
                    .stream
                    .memcpy_htod(&[1u8], &mut byte)
                    .expect("it is written");
            }
            guarded.download().expect("it is read")
        };
        assert_eq!(download(None), Ok(vec![POISON; 8]));
        assert_eq!(download(Some(margin)).map(|all| all[0]), Ok(1));
        assert_eq!(download(Some(margin - 1)), Err(-1));
        assert_eq!(download(Some(0)), Err(-64));
        assert_eq!(download(Some(margin + bytes)), Err(8));
        assert_eq!(download(Some(2 * margin + bytes - 1)), Err(71));
    }
}
