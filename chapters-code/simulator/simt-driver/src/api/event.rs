//! Events. Times are the host's, of a simulation: they say nothing of a GPU.

use std::ffi::c_uint;

use crate::entry::api;
use crate::error::CUresult;
use crate::state::driver;
use crate::stream::{create_event, event};
use crate::types::{CUevent, CUstream, Out};

api! {
    /// Makes an event.
    fn cuEventCreate(handle: Out<CUevent>, flags: c_uint) {
        handle.set(create_event(flags)?)
    }

    /// Destroys an event.
    also(cuEventDestroy) fn cuEventDestroy_v2(handle: CUevent) {
        let removed = driver()?.events.remove(handle);
        removed.map(|_| ()).ok_or_else(|| CUresult::INVALID_HANDLE.because("not an event"))
    }

    /// Records an event, now.
    per_thread(cuEventRecord_ptsz) fn cuEventRecord(handle: CUevent, stream: CUstream) {
        event(handle)?.record(stream)
    }

    /// Records an event, now. The flags concern graphs.
    per_thread(cuEventRecordWithFlags_ptsz) fn cuEventRecordWithFlags(handle: CUevent, stream: CUstream, _flags: c_uint) {
        event(handle)?.record(stream)
    }

    /// Whether it has happened, or a kernel faulted.
    fn cuEventQuery(handle: CUevent) {
        event(handle)?.query()
    }

    /// Waits. Returns the error of a kernel that faulted.
    fn cuEventSynchronize(handle: CUevent) {
        event(handle)?.synchronize()
    }

    /// Milliseconds between two events.
    fn cuEventElapsedTime(milliseconds: Out<f32>, start: CUevent, end: CUevent) {
        milliseconds.set(event(start)?.milliseconds_until(&*event(end)?)?)
    }

    /// Milliseconds between two events.
    fn cuEventElapsedTime_v2(milliseconds: Out<f32>, start: CUevent, end: CUevent) {
        milliseconds.set(event(start)?.milliseconds_until(&*event(end)?)?)
    }
}
