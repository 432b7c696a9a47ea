//! Device memory.

use std::ffi::{c_int, c_uint};

use crate::allocation::{allocate, context_of, free, is_allocated, mapped_on};
use crate::capture;
use crate::context;
use crate::entry::api;
use crate::error::{CUresult, Result};
use crate::handles::Handle;
use crate::operation::{Operation, submit};
use crate::pending;
use crate::pool::pool;
use crate::profile::{MAX_PITCH, PITCH_ALIGNMENT};
use crate::state::lock;
use crate::stream;
use crate::types::{CUdevice, CUdeviceptr, CUmemLocation, CUmemoryPool, CUstream, Out};

api! {
    /// Allocates.
    fn cuMemAlloc_v2(address: Out<CUdeviceptr>, bytes: usize) {
        let context = context::synchronized()?;
        capture::unsafe_call()?;
        address.set(allocate(&context, Handle::NULL, bytes)?)
    }

    /// Allocates rows, each beginning at a multiple of the pitch alignment.
    fn cuMemAllocPitch_v2(
        address: Out<CUdeviceptr>,
        pitch: Out<usize>,
        width: usize,
        height: usize,
        element: c_uint,
    ) {
        if !matches!(element, 4 | 8 | 16) {
            return Err(CUresult::INVALID_VALUE.because("elements have 4, 8 or 16 bytes"));
        }
        let row = (width as u64).checked_next_multiple_of(PITCH_ALIGNMENT);
        let row = row.filter(|&row| row <= u64::from(MAX_PITCH)).map(|row| row as usize);
        let bytes = row.and_then(|row| row.checked_mul(height));
        let (Some(row), Some(bytes)) = (row, bytes) else {
            return Err(CUresult::INVALID_VALUE.because("rows are too long, or too many"));
        };
        let context = context::synchronized()?;
        capture::unsafe_call()?;
        address.set(allocate(&context, Handle::NULL, bytes)?)?;
        pitch.set(row)
    }

    /// Allocates from the device's current pool.
    per_thread(cuMemAllocAsync_ptsz) fn cuMemAllocAsync(address: Out<CUdeviceptr>, bytes: usize, stream: CUstream) {
        address.set(allocate_async(stream, None, bytes)?)
    }

    /// Allocates from a pool.
    per_thread(cuMemAllocFromPoolAsync_ptsz) fn cuMemAllocFromPoolAsync(
        address: Out<CUdeviceptr>,
        bytes: usize,
        from: CUmemoryPool,
        stream: CUstream,
    ) {
        pool(from)?;
        address.set(allocate_async(stream, Some(from), bytes)?)
    }

    /// Frees. Null is freed already.
    fn cuMemFree_v2(address: CUdeviceptr) {
        capture::unsafe_call()?;
        if address == 0 {
            return Ok(());
        }
        let context = context_of(address)?;
        context.synchronize()?;
        pending::wait_for_context(context.handle)?;
        free(address)
    }

    /// Frees. Null is freed already.
    per_thread(cuMemFreeAsync_ptsz) fn cuMemFreeAsync(address: CUdeviceptr, stream: CUstream) {
        stream::stream(stream)?;
        if address == 0 {
            return Ok(());
        }
        if capture::is_capturing(stream)? {
            let cause = "a graph can free only memory that it allocates, and none does here";
            return Err(CUresult::INVALID_VALUE.because(cause));
        }
        capture::unsafe_call()?;
        let context = context_of(address)?;
        context.enqueue()?;
        if context::any_peers() && is_allocated(address)? {
            return submit(stream, Operation::Free(address));
        }
        pending::wait_for_stream(stream, &context)?;
        free(address)
    }

    /// The profile's memory, less what is allocated.
    fn cuMemGetInfo_v2(available: Out<usize>, total: Out<usize>) {
        let memory = &context::synchronized()?.device()?.memory;
        available.set((memory.capacity() - memory.used()) as usize)?;
        total.set(memory.capacity() as usize)
    }

    /// The allocation that contains an address.
    fn cuMemGetAddressRange_v2(
        base: Out<CUdeviceptr>,
        bytes: Out<usize>,
        address: CUdeviceptr,
    ) {
        let (start, length) = range(address)?;
        base.set_if_wanted(start)?;
        bytes.set_if_wanted(length as usize)
    }

    /// No effect.
    fn cuMemAdvise(address: CUdeviceptr, bytes: usize, _advice: c_int, _device: CUdevice) {
        check_range(address, bytes)
    }

    /// No effect.
    fn cuMemAdvise_v2(
        address: CUdeviceptr,
        bytes: usize,
        _advice: c_int,
        _location: CUmemLocation,
    ) {
        check_range(address, bytes)
    }

    /// No effect.
    per_thread(cuMemPrefetchAsync_ptsz) fn cuMemPrefetchAsync(
        address: CUdeviceptr,
        bytes: usize,
        _device: CUdevice,
        stream: CUstream,
    ) {
        stream::queueing(stream)?;
        check_range(address, bytes)
    }

    /// No effect.
    per_thread(cuMemPrefetchAsync_v2_ptsz) fn cuMemPrefetchAsync_v2(
        address: CUdeviceptr,
        bytes: usize,
        _location: CUmemLocation,
        _flags: c_uint,
        stream: CUstream,
    ) {
        stream::queueing(stream)?;
        check_range(address, bytes)
    }
}

/// Allocates in the order of a stream; for no bytes the answer is null, as driver 580's is. Memory that
/// a graph would have to allocate makes the capture of the stream invalid.
fn allocate_async(stream: CUstream, pool: Option<Handle>, bytes: usize) -> Result<CUdeviceptr> {
    let context = stream::queueing(stream)?;
    if bytes == 0 {
        return Ok(0);
    }
    if capture::is_capturing(stream)? {
        capture::lose(stream)?;
        let cause = "graphs that allocate memory: allocate before the capture begins";
        return Err(CUresult::NOT_SUPPORTED.because(cause));
    }
    capture::unsafe_call()?;
    let current = *lock(&context.device()?.current_pool);
    allocate(&context, pool.unwrap_or(current), bytes)
}

/// Base and length of the allocation that contains an address.
fn range(address: CUdeviceptr) -> Result<(u64, u64)> {
    let device = mapped_on(&*context::synchronized()?, address)?;
    let found = device.and_then(|device| device.memory.allocation(address));
    let unknown = || CUresult::NOT_FOUND.because(format!("{address:#x} is not device memory"));
    found.ok_or_else(unknown)
}

fn check_range(address: CUdeviceptr, bytes: usize) -> Result {
    let (base, length) =
        range(address).map_err(|e| CUresult::INVALID_VALUE.because(e.cause.unwrap_or_default()))?;
    if bytes as u64 > length - (address - base) {
        let cause = format!("{bytes} bytes at {address:#x} run past the end of an allocation");
        return Err(CUresult::INVALID_VALUE.because(cause));
    }
    Ok(())
}
