//! Copies and fills. An address may be the host's or a device's: the calls that name neither find
//! out, as addresses of all memories differ.

use std::ops::Range;

use simt::Footprint;

use crate::allocation;
use crate::context::Context;
use crate::error::{CUresult, Result};
use crate::host;
use crate::recording;
use crate::report;
use crate::state::{DEVICE_ADDRESSES, Device, driver, lock};
use crate::types::{CUdeviceptr, CudaMemcpy3D, HostBytes, Volume};

/// Copies from device to device pass through a buffer of this size.
const CHUNK: usize = 1 << 20;

/// One end of a copy, as an address.
#[derive(Clone, Copy)]
pub enum Place {
    /// Memory of the host.
    Host(usize),
    /// Memory of a device, on whichever it is mapped.
    Device(CUdeviceptr),
    /// The host's memory, unless it is mapped on a device.
    Any(CUdeviceptr),
}

impl Place {
    /// Memory of the host.
    pub fn host(pointer: HostBytes) -> Self {
        Self::Host(pointer.0 as usize)
    }

    fn offset(self, bytes: usize) -> Self {
        match self {
            Self::Host(address) => Self::Host(address.wrapping_add(bytes)),
            Self::Device(address) => Self::Device(address.wrapping_add(bytes as u64)),
            Self::Any(address) => Self::Any(address.wrapping_add(bytes as u64)),
        }
    }

    /// The memory that the address lies in now.
    fn memory(self, context: &Context) -> Result<Memory> {
        let host = |address: usize| Memory::Host(HostBytes(address as *mut _));
        Ok(match self {
            Self::Host(address) => host(address),
            Self::Device(address) => {
                Memory::Device(allocation::device_of(context, address)?, address)
            }
            Self::Any(address) => match allocation::mapped_on(context, address)? {
                Some(device) => Memory::Device(device, address),
                None => host(address as usize),
            },
        })
    }
}

/// An address, and the memory that it is in.
#[derive(Clone, Copy)]
enum Memory {
    Host(HostBytes),
    Device(&'static Device, CUdeviceptr),
}

/// One side of a copy.
#[derive(Clone, Copy)]
pub struct Side {
    /// The first byte.
    pub place: Place,
    /// Bytes from row to row.
    pub pitch: usize,
    /// Rows from layer to layer.
    pub layer: usize,
}

impl Side {
    fn is_host(&self) -> bool {
        match self.place {
            Place::Host(_) => true,
            Place::Device(_) => false,
            Place::Any(address) => address < DEVICE_ADDRESSES,
        }
    }
}

/// A copy of rows, which may lie in several layers.
#[derive(Clone, Copy)]
pub struct Transfer {
    /// To where.
    pub target: Side,
    /// From where.
    pub source: Side,
    /// Bytes of a row.
    pub width: usize,
    /// Rows of a layer.
    pub height: usize,
    /// Layers.
    pub depth: usize,
}

impl Transfer {
    /// A copy of `bytes` bytes.
    pub fn new(target: Place, source: Place, bytes: usize) -> Self {
        let side = |place| Side { place, pitch: bytes, layer: 1 };
        Self { target: side(target), source: side(source), width: bytes, height: 1, depth: 1 }
    }

    /// A copy of layers of rows.
    pub fn layers(job: &CudaMemcpy3D) -> Result<Self> {
        let [target, source] = [&job.target, &job.source].map(|v| side(v, job.width_in_bytes));
        let (target, source) = (target?, source?);
        if job.depth > 1 && target.layer.min(source.layer) < job.height {
            return Err(CUresult::INVALID_VALUE.because("more rows than a layer has"));
        }
        Ok(Self { target, source, width: job.width_in_bytes, height: job.height, depth: job.depth })
    }

    /// True if a side is memory of the host that is not page-locked.
    pub fn uses_pageable_memory(&self) -> Result<bool> {
        let host = lock(&driver()?.host);
        let pageable = |side: &Side| match side.place {
            Place::Host(address) => host.block(address).is_none(),
            Place::Device(_) => false,
            Place::Any(address) => {
                host.block(address as usize).is_none() && address < DEVICE_ADDRESSES
            }
        };
        Ok(pageable(&self.target) || pageable(&self.source))
    }

    /// True if it writes memory of the host that is not page-locked.
    pub fn writes_pageable_memory(&self) -> Result<bool> {
        Ok(self.target.is_host() && self.uses_pageable_memory()?)
    }

    /// True if a side is memory of the host.
    pub fn uses_host(&self) -> bool {
        self.target.is_host() || self.source.is_host()
    }

    /// The numbers of the devices of both sides, if it is from one device to another.
    pub fn devices(&self, context: &Context) -> Result<Option<[usize; 2]>> {
        let sides = (self.target.place.memory(context)?, self.source.place.memory(context)?);
        Ok(match sides {
            (Memory::Device(to, _), Memory::Device(from, _)) if to.ordinal != from.ordinal => {
                Some([to.ordinal, from.ordinal])
            }
            _ => None,
        })
    }

    /// What it accesses in device memory.
    pub fn footprint(&self, context: &Context) -> Result<Footprint> {
        let sides = [&self.source, &self.target].map(|side| self.ranges(side, context));
        let [reads, writes] = sides;
        let (reads, writes) = (reads?, writes?);
        let side = |ranges: &[Range<u64>]| {
            ranges.first().map_or("the host".into(), |first| format!("{:#x}", first.start))
        };
        let bytes = self.width * self.height * self.depth;
        let call = format!("a copy of {bytes} bytes from {} to {}", side(&reads), side(&writes));
        Ok(Footprint::of_call(call, &reads, &writes))
    }

    /// The ranges of a side in device memory.
    fn ranges(&self, side: &Side, context: &Context) -> Result<Vec<Range<u64>>> {
        let Memory::Device(_, start) = side.place.memory(context)? else {
            return Ok(Vec::new());
        };
        let rows = |layer: usize| (0..self.height).map(move |row| layer * side.layer + row);
        let rows = (0..self.depth).flat_map(rows).map(|row| {
            let at = start.wrapping_add(row.wrapping_mul(side.pitch) as u64);
            at..at.saturating_add(self.width as u64)
        });
        Ok(joined(rows))
    }

    /// Copies.
    pub fn run(&self, context: &Context) -> Result {
        for (layer, row) in (0..self.depth).flat_map(|z| (0..self.height).map(move |y| (z, y))) {
            let at = |side: &Side| {
                let row = layer.wrapping_mul(side.layer).wrapping_add(row);
                side.place.offset(row.wrapping_mul(side.pitch)).memory(context)
            };
            let (target, source) = (at(&self.target)?, at(&self.source)?);
            if matches!(target, Memory::Host(_)) {
                // The host must not read what a kernel left that faulted.
                context.synchronize()?;
            }
            for memory in [target, source] {
                if let Memory::Host(pointer) = memory {
                    host::check_mapped(pointer.0 as usize, self.width)?;
                }
            }
            copy(target, source, self.width)?;
        }
        Ok(())
    }
}

/// Copies `bytes` bytes.
fn copy(target: Memory, source: Memory, bytes: usize) -> Result {
    match (target, source) {
        (Memory::Host(to), Memory::Host(from)) => {
            // The ranges may overlap.
            let from = from.as_slice(bytes)?.to_vec();
            to.as_slice_mut(bytes)?.copy_from_slice(&from);
            Ok(())
        }
        (Memory::Host(to), Memory::Device(device, from)) => {
            let to = to.as_slice_mut(bytes)?;
            let _busy = lock(&device.busy);
            recording::read(device, from, bytes);
            Ok(device.memory.read(from, to)?)
        }
        (Memory::Device(device, to), Memory::Host(from)) => {
            let from = from.as_slice(bytes)?;
            let _busy = lock(&device.busy);
            recording::write(to, from);
            Ok(device.memory.write(to, from)?)
        }
        (Memory::Device(to_device, to), Memory::Device(from_device, from)) => {
            if to_device.ordinal != from_device.ordinal {
                return copy_across((to_device, to), (from_device, from), bytes);
            }
            let _busy = lock(&to_device.busy);
            recording::copy(to, from, bytes as u64);
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
    recording::copy(to, from, bytes as u64);
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
    report::add_copy(from_device.ordinal, to_device.ordinal, bytes);
    Ok(())
}

/// The ranges of rows; rows that follow each other are one.
fn joined(rows: impl Iterator<Item = Range<u64>>) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for row in rows {
        match ranges.last_mut() {
            Some(last) if last.end == row.start => last.end = row.end,
            _ => ranges.push(row),
        }
    }
    ranges
}

/// One side of a copy whose rows have `width` bytes.
fn side(volume: &Volume, width: usize) -> Result<Side> {
    let start = match volume.memory_type {
        1 => Place::host(volume.host),
        2 => Place::Device(volume.device),
        4 => Place::Any(volume.device),
        3 => return Err(CUresult::NOT_SUPPORTED.because("copies of CUDA arrays")),
        other => return Err(CUresult::INVALID_VALUE.because(format!("memory type {other}"))),
    };
    let pitch = if volume.pitch == 0 { width } else { volume.pitch };
    if pitch < width.saturating_add(volume.x_in_bytes) {
        let cause = format!("rows of {width} bytes do not fit a pitch of {pitch}");
        return Err(CUresult::INVALID_VALUE.because(cause));
    }
    let row = volume.z.wrapping_mul(volume.height).wrapping_add(volume.y);
    Ok(Side {
        place: start.offset(row.wrapping_mul(pitch).wrapping_add(volume.x_in_bytes)),
        pitch,
        layer: volume.height,
    })
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

/// A fill of device memory.
#[derive(Clone, Copy)]
pub struct Fill {
    rows: Rows,
    /// The element, of which the first `size` bytes count.
    value: u32,
    /// Bytes of an element: 1, 2 or 4.
    size: usize,
}

impl Fill {
    /// A fill of every element with the lowest `size` bytes of a value.
    pub fn new(rows: Rows, value: u32, size: usize) -> Result<Self> {
        if !matches!(size, 1 | 2 | 4) || !rows.address.is_multiple_of(size as u64) {
            let cause = format!("elements of {size} bytes at {:#x}", rows.address);
            return Err(CUresult::INVALID_VALUE.because(cause));
        }
        if rows.height > 1 && rows.pitch < rows.width.saturating_mul(size) {
            return Err(CUresult::INVALID_VALUE.because("rows wider than the pitch"));
        }
        Ok(Self { rows, value, size })
    }

    /// The rectangle, the value, and the bytes of an element.
    pub fn parts(&self) -> (Rows, u32, usize) {
        (self.rows, self.value, self.size)
    }

    /// What it accesses.
    pub fn footprint(&self) -> Footprint {
        let Rows { address, pitch, width, height } = self.rows;
        let rows = (0..height).map(|row| {
            let at = address.wrapping_add((row as u64).wrapping_mul(pitch as u64));
            at..at.saturating_add((width * self.size) as u64)
        });
        let bytes = width * height * self.size;
        Footprint::of_call(format!("a fill of {bytes} bytes at {address:#x}"), &[], &joined(rows))
    }

    /// Fills.
    pub fn run(&self, context: &Context) -> Result {
        let Rows { address, pitch, width, height } = self.rows;
        let pattern = &self.value.to_le_bytes()[..self.size];
        let device = allocation::device_of(context, address)?;
        let _busy = lock(&device.busy);
        for row in 0..height {
            let at = address.wrapping_add((row as u64).wrapping_mul(pitch as u64));
            recording::fill(at, pattern, width as u64);
            device.memory.fill(at, pattern, width as u64)?;
        }
        Ok(())
    }
}
