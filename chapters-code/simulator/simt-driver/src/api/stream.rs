//! Streams.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};
use std::sync::Arc;

use crate::capture;
use crate::context::Context;
use crate::entry::api;
use crate::error::{CUresult, Result};
use crate::operation::{HostCall, Operation, submit};
use crate::order;
use crate::pending;
use crate::profile;
use crate::state::driver;
use crate::stream::{context_of, create_stream, event, named, queueing, stream};
use crate::types::{CUcontext, CUdevice, CUdeviceptr, CUevent, CUstream, CUstreamCallback, Out};

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
        capture::forget_stream(handle)?;
        removed.map(|_| ()).ok_or_else(|| CUresult::INVALID_HANDLE.because("not a stream"))
    }

    /// Waits. Returns the error of a kernel that faulted.
    per_thread(cuStreamSynchronize_ptsz) fn cuStreamSynchronize(handle: CUstream) {
        let context = waiting(handle)?;
        pending::wait_for_stream(handle, &context)?;
        order::host_waited(handle, &context)?;
        context.synchronize()
    }

    /// Whether the stream has anything left to do, or a kernel faulted.
    per_thread(cuStreamQuery_ptsz) fn cuStreamQuery(handle: CUstream) {
        let context = waiting(handle)?;
        pending::run_deferred();
        context.synchronize()?;
        if pending::before(handle, &context)?.is_empty() {
            return order::host_waited(handle, &context);
        }
        Err(CUresult::NOT_READY.into())
    }

    /// Lets the stream wait for an event, which most often has happened.
    per_thread(cuStreamWaitEvent_ptsz) fn cuStreamWaitEvent(handle: CUstream, waited_for: CUevent, _flags: c_uint) {
        let context = queueing(handle)?;
        capture::wait(handle, &context, &event(waited_for)?.recorded())
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

    /// Calls a function of the host, on a thread of its own.
    per_thread(cuStreamAddCallback_ptsz) fn cuStreamAddCallback(
        handle: CUstream,
        callback: CUstreamCallback,
        user_data: *mut c_void,
        flags: c_uint,
    ) {
        capture::not_capturing(handle, &*queueing(handle)?)?;
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE.because("flags other than 0"));
        }
        let call = HostCall::callback(callback, handle, user_data)?;
        submit(handle, Operation::Host(call))
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
}

/// For a call that waits for a stream or asks for its state: the stream's context.
fn waiting(handle: CUstream) -> Result<Arc<Context>> {
    let context = context_of(handle)?;
    capture::not_capturing(handle, &context)?;
    capture::unsafe_call()?;
    Ok(context)
}
