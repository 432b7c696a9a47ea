//! Copies and fills. An address may be the host's or a device's: the calls that name neither find
//! out, as addresses of all memories differ.

use crate::allocation;
use crate::context::Context;
use crate::error::{CUresult, Result};
use crate::state::{Device, lock};
use crate::types::{CUdeviceptr, CudaMemcpy2D, HostBytes, Plane};

/// Copies from device to device pass through a buffer of this size.
const CHUNK: usize = 1 << 20;

/// One end of a copy.
#[derive(Clone, Copy)]
pub enum Place {
    /// Memory of the host.
    Host(HostBytes),
    /// Memory of a device.
    Device(&'static Device, CUdeviceptr),
}

impl Place {
    /// A device address, on whichever device it is mapped.
    pub fn device(context: &Context, address: CUdeviceptr) -> Result<Self> {
        Ok(Self::Device(
            allocation::device_of(context, address)?,
            address,
        ))
    }

    /// An address of any kind: the host's, unless it is mapped on a device.
    pub fn any(context: &Context, address: CUdeviceptr) -> Result<Self> {
        Ok(match allocation::mapped_on(context, address)? {
            Some(device) => Self::Device(device, address),
            None => Self::Host(HostBytes(address as usize as *mut _)),
        })
    }

    fn offset(self, bytes: usize) -> Self {
        match self {
            Self::Host(pointer) => Self::Host(pointer.offset(bytes)),
            Self::Device(device, address) => {
                Self::Device(device, address.wrapping_add(bytes as u64))
            }
        }
    }
}

/// Copies `bytes` bytes.
pub fn copy(target: Place, source: Place, bytes: usize) -> Result {
    match (target, source) {
        (Place::Host(to), Place::Host(from)) => {
            // The ranges may overlap.
            let from = from.as_slice(bytes)?.to_vec();
            to.as_slice_mut(bytes)?.copy_from_slice(&from);
            Ok(())
        }
        (Place::Host(to), Place::Device(device, from)) => {
            let to = to.as_slice_mut(bytes)?;
            let _busy = lock(&device.busy);
            Ok(device.memory.read(from, to)?)
        }
        (Place::Device(device, to), Place::Host(from)) => {
            let from = from.as_slice(bytes)?;
            let _busy = lock(&device.busy);
            Ok(device.memory.write(to, from)?)
        }
        (Place::Device(to_device, to), Place::Device(from_device, from)) => {
            if to_device.ordinal != from_device.ordinal {
                return copy_across((to_device, to), (from_device, from), bytes);
            }
            let _busy = lock(&to_device.busy);
            Ok(to_device.memory.copy(to, from, bytes as u64)?)
        }
    }
}

/// Copies from one device to another.
fn copy_across(
    (to_device, to): (&Device, CUdeviceptr),
    (from_device, from): (&Device, CUdeviceptr),
    bytes: usize,
) -> Result {
    let mut buffer = vec![0; bytes.min(CHUNK)];
    for start in (0..bytes).step_by(CHUNK) {
        let part = &mut buffer[..CHUNK.min(bytes - start)];
        {
            let _busy = lock(&from_device.busy);
            from_device.memory.read(from + start as u64, part)?;
        }
        let _busy = lock(&to_device.busy);
        to_device.memory.write(to + start as u64, part)?;
    }
    Ok(())
}

/// Copies a rectangle.
pub fn copy_2d(context: &Context, job: &CudaMemcpy2D) -> Result {
    if job.width_in_bytes == 0 || job.height == 0 {
        return Ok(());
    }
    let (source, source_pitch) = plane(context, &job.source, job)?;
    let (target, target_pitch) = plane(context, &job.target, job)?;
    for row in 0..job.height {
        let from = source.offset(row.wrapping_mul(source_pitch));
        let to = target.offset(row.wrapping_mul(target_pitch));
        copy(to, from, job.width_in_bytes)?;
    }
    Ok(())
}

/// The first byte of a rectangle, and the distance from row to row.
fn plane(context: &Context, plane: &Plane, job: &CudaMemcpy2D) -> Result<(Place, usize)> {
    let start = match plane.memory_type {
        1 => Place::Host(plane.host),
        2 => Place::device(context, plane.device)?,
        4 => Place::any(context, plane.device)?,
        3 => return Err(CUresult::NOT_SUPPORTED.because("copies of CUDA arrays")),
        other => return Err(CUresult::INVALID_VALUE.because(format!("memory type {other}"))),
    };
    let pitch = if plane.pitch == 0 {
        job.width_in_bytes
    } else {
        plane.pitch
    };
    if pitch < job.width_in_bytes.saturating_add(plane.x_in_bytes) {
        let cause = format!(
            "rows of {} bytes do not fit a pitch of {pitch}",
            job.width_in_bytes
        );
        return Err(CUresult::INVALID_VALUE.because(cause));
    }
    Ok((
        start.offset(plane.y.wrapping_mul(pitch).wrapping_add(plane.x_in_bytes)),
        pitch,
    ))
}

/// A rectangle of device memory to fill.
#[derive(Clone, Copy)]
pub struct Rows {
    /// The first row's address.
    pub address: CUdeviceptr,
    /// Bytes from row to row.
    pub pitch: usize,
    /// Elements of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
}

/// Writes `pattern`, of 1, 2 or 4 bytes, to every element.
pub fn fill(context: &Context, rows: Rows, pattern: &[u8]) -> Result {
    if !rows.address.is_multiple_of(pattern.len() as u64) {
        let cause = format!("{:#x} is not a multiple of {}", rows.address, pattern.len());
        return Err(CUresult::INVALID_VALUE.because(cause));
    }
    if rows.height > 1 && rows.pitch < rows.width.saturating_mul(pattern.len()) {
        return Err(CUresult::INVALID_VALUE.because("rows wider than the pitch"));
    }
    let device = allocation::device_of(context, rows.address)?;
    let _busy = lock(&device.busy);
    for row in 0..rows.height {
        let at = rows
            .address
            .wrapping_add((row as u64).wrapping_mul(rows.pitch as u64));
        device.memory.fill(at, pattern, rows.width as u64)?;
    }
    Ok(())
}
