//! Streams.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};

use crate::context;
use crate::entry::api;
use crate::error::CUresult;
use crate::profile;
use crate::state::driver;
use crate::stream::{context_of, create_stream, event, named, queueing, stream};
use crate::types::{CUcontext, CUdevice, CUdeviceptr, CUevent, CUstream, CUstreamCallback, Out};

/// `CU_STREAM_CAPTURE_STATUS_NONE`
const NOT_CAPTURING: c_int = 0;

api! {
    /// Makes a stream.
    fn cuStreamCreate(handle: Out<CUstream>, flags: c_uint) {
        handle.set(create_stream(flags, profile::PRIORITIES.0)?)
    }

    /// Makes a stream. The priority is kept, and of no effect.
    fn cuStreamCreateWithPriority(handle: Out<CUstream>, flags: c_uint, priority: c_int) {
        handle.set(create_stream(flags, priority)?)
    }

    /// Destroys a stream.
    also(cuStreamDestroy) fn cuStreamDestroy_v2(handle: CUstream) {
        let removed = driver()?.streams.remove(handle);
        removed.map(|_| ()).ok_or_else(|| CUresult::INVALID_HANDLE.because("not a stream"))
    }

    /// Waits; there is nothing to wait for. Returns the error of a kernel that faulted.
    per_thread(cuStreamSynchronize_ptsz) fn cuStreamSynchronize(handle: CUstream) {
        context_of(handle)?.synchronize()
    }

    /// Always done, or faulted.
    per_thread(cuStreamQuery_ptsz) fn cuStreamQuery(handle: CUstream) {
        context_of(handle)?.synchronize()
    }

    /// No effect: an event that is recorded has happened.
    per_thread(cuStreamWaitEvent_ptsz) fn cuStreamWaitEvent(handle: CUstream, waited_for: CUevent, _flags: c_uint) {
        queueing(handle)?;
        event(waited_for).map(|_| ())
    }

    /// The flags that the stream was made with.
    per_thread(cuStreamGetFlags_ptsz) fn cuStreamGetFlags(handle: CUstream, flags: Out<c_uint>) {
        flags.set(stream(handle)?.map_or(0, |s| s.flags))
    }

    /// The stream's priority.
    per_thread(cuStreamGetPriority_ptsz) fn cuStreamGetPriority(handle: CUstream, priority: Out<c_int>) {
        priority.set(stream(handle)?.map_or(profile::PRIORITIES.0, |s| s.priority))
    }

    /// The stream's number.
    per_thread(cuStreamGetId_ptsz) fn cuStreamGetId(handle: CUstream, id: Out<c_ulonglong>) {
        id.set(stream(handle)?.map_or(named(handle).0 as c_ulonglong, |s| s.id))
    }

    /// The stream's context.
    per_thread(cuStreamGetCtx_ptsz) fn cuStreamGetCtx(handle: CUstream, context: Out<CUcontext>) {
        context.set(context_of(handle)?.handle)
    }

    /// The stream's context; there are no green ones.
    per_thread(cuStreamGetCtx_v2_ptsz) fn cuStreamGetCtx_v2(handle: CUstream, context: Out<CUcontext>, green: Out<CUcontext>) {
        context.set(context_of(handle)?.handle)?;
        green.set_if_wanted(CUcontext::NULL)
    }

    /// The stream's device.
    per_thread(cuStreamGetDevice_ptsz) fn cuStreamGetDevice(handle: CUstream, device: Out<CUdevice>) {
        device.set(context_of(handle)?.ordinal as CUdevice)
    }

    /// Calls a function of the host, at once and on this thread: all earlier work is done.
    per_thread(cuStreamAddCallback_ptsz) fn cuStreamAddCallback(
        handle: CUstream,
        callback: CUstreamCallback,
        user_data: *mut c_void,
        flags: c_uint,
    ) {
        queueing(handle)?;
        let (Some(callback), 0) = (callback, flags) else {
            return Err(CUresult::INVALID_VALUE.because("no callback, or flags other than 0"));
        };
        // SAFETY: the C caller gave a function of this type, and what it wants to be called with.
        unsafe { callback(handle, CUresult::SUCCESS, user_data) };
        Ok(())
    }

    /// No effect: all memory is visible to all streams.
    per_thread(cuStreamAttachMemAsync_ptsz) fn cuStreamAttachMemAsync(
        handle: CUstream,
        _address: CUdeviceptr,
        _length: usize,
        _flags: c_uint,
    ) {
        queueing(handle).map(|_| ())
    }

    /// Never.
    per_thread(cuStreamIsCapturing_ptsz) fn cuStreamIsCapturing(handle: CUstream, status: Out<c_int>) {
        context_of(handle)?;
        status.set(NOT_CAPTURING)
    }

    /// Never capturing, so the other results are not set.
    per_thread(cuStreamGetCaptureInfo_v2_ptsz) fn cuStreamGetCaptureInfo_v2(
        handle: CUstream,
        status: Out<c_int>,
        _id: *mut c_ulonglong,
        _graph: *mut c_void,
        _dependencies: *mut c_void,
        _dependency_count: *mut usize,
    ) {
        context_of(handle)?;
        status.set(NOT_CAPTURING)
    }

    /// No effect: what can be exchanged is how capturing goes.
    fn cuThreadExchangeStreamCaptureMode(_mode: *mut c_int) {
        context::current().map(|_| ())
    }
}
