//! Outputs that show when a kernel writes too much, too little or beside them.

use std::ops::Range;

use cudarc::driver::{CudaSlice, CudaView, CudaViewMut, DevicePtrMut, DriverError, result};

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
        let all = download(&self.device, &self.memory)?;
        let output = self.margin..self.margin + self.bytes;
        Ok(match damage(&all, &output) {
            Some(at) => Err(at),
            None => Ok(all[output].to_vec()),
        })
    }
}

/// Where, relative to the output, the first byte beside it is that is not poison. The output itself, which
/// may be gigabytes, is not looked at.
fn damage(all: &[u8], output: &Range<usize>) -> Option<i64> {
    let in_zone = |zone: Range<usize>| {
        let at = all[zone.clone()].iter().position(|&byte| byte != POISON)?;
        Some((zone.start + at) as i64 - output.start as i64)
    };
    in_zone(0..output.start).or_else(|| in_zone(output.end..all.len()))
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
pub fn download(device: &Device, memory: &CudaSlice<u8>) -> Result<Vec<u8>, Error> {
    let doing = "reading memory back";
    let copy = device
        .stream
        .clone_dtoh(memory)
        .map_err(|error| device.explain(doing, error))?;
    device.finish(doing)?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_is_found_beside_the_output_and_not_in_it() {
        let damaged = |at: usize| {
            let mut all = [POISON; 12];
            all[at] = 0;
            damage(&all, &(4..9))
        };
        assert_eq!(damaged(0), Some(-4));
        assert_eq!(damaged(3), Some(-1));
        assert_eq!([4, 8].map(damaged), [None; 2]);
        assert_eq!(damaged(9), Some(5));
        assert_eq!(damaged(11), Some(7));
        assert_eq!(damage(&[POISON], &(0..0)), None);
    }
}
