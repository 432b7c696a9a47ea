//! The ranks of a communicator, one per device, which one thread drives; and windows, memory of which every rank knows
//! where the others have it.

use std::{
    ffi::{CStr, c_int, c_void},
    ptr::{null_mut, without_provenance_mut},
    rc::Rc,
};

use cudarc::nccl::{
    group_end, group_start,
    result::{self, NcclError},
    sys::{self, cudaStream_t, ncclComm_t, ncclResult_t, ncclWindow_t},
};

use super::Nccl;
use crate::{Device, Error};

/// `NCCL_WIN_COLL_SYMMETRIC`: collectives find their buffers at the same offset in the window of every rank.
const SYMMETRIC: c_int = 1;

/// A rank on each of some devices.
pub struct Ranks {
    comms: Vec<ncclComm_t>,
    devices: Vec<Device>,
}

impl Ranks {
    /// A rank on each device, in their order.
    ///
    /// # Errors
    /// [`Error::Usage`] with NCCL's reason.
    pub fn new(devices: &[Device]) -> Result<Self, Error> {
        let ordinals: Vec<_> =
            devices.iter().map(|device| device.context.ordinal() as c_int).collect();
        let mut comms = vec![null_mut(); devices.len()];
        // SAFETY: two arrays with an element per device.
        let made = unsafe {
            result::comm_init_all(comms.as_mut_ptr(), devices.len() as c_int, ordinals.as_ptr())
        };
        made.map_err(|error| failed("ncclCommInitAll", error))?;
        Ok(Self { comms, devices: devices.to_vec() })
    }

    /// Makes calls for each rank in one group: of its number, its communicator, and its device's stream.
    ///
    /// # Errors
    /// The first that a call or the group's end gives.
    pub fn in_group(
        &self,
        mut calls: impl FnMut(usize, ncclComm_t, cudaStream_t) -> Result<(), NcclError>,
    ) -> Result<(), NcclError> {
        group_start()?;
        let mut of_ranks = self.comms.iter().zip(&self.devices).enumerate();
        let called = of_ranks.try_for_each(|(rank, (&comm, device))| {
            calls(rank, comm, device.stream.cu_stream().cast())
        });
        // Also after an error: no later call belongs to this group.
        let ended = group_end();
        called.and(ended.map(drop))
    }

    /// Goes back to the context of the first device, which is where callers are.
    fn leave(&self) {
        let context = &self.devices[0].context;
        context.record_err(context.bind_to_thread());
    }
}

impl Drop for Ranks {
    fn drop(&mut self) {
        for &comm in &self.comms {
            // SAFETY: a live communicator. Nothing waits for it: every call is followed by a synchronisation.
            let _ = unsafe { result::comm_abort(comm) };
        }
        self.leave();
    }
}

/// Memory of one size on each device, which is a symmetric window of each rank.
pub struct Windows {
    /// The memory of each rank, and the window that it is; null if it is none.
    memory: Vec<(*mut c_void, ncclWindow_t)>,
    ranks: Rc<Ranks>,
}

impl Windows {
    /// Windows of `bytes` bytes; none if NCCL is too old, or cannot have them on these devices.
    ///
    /// # Errors
    /// [`Error::Usage`] with NCCL's reason, and [`Error::Driver`] if a context cannot be entered.
    pub fn new(nccl: &Nccl, ranks: &Rc<Ranks>, bytes: usize) -> Result<Option<Self>, Error> {
        let functions = ["ncclMemAlloc", "ncclCommWindowRegister", "ncclCommWindowDeregister"];
        if !functions.iter().all(|function| nccl.has(function)) {
            return Ok(None);
        }
        let mut all = Self { memory: Vec::new(), ranks: ranks.clone() };
        for device in &ranks.devices {
            device.context.bind_to_thread()?;
            let mut address = null_mut();
            // SAFETY: the memory is this value's, which frees it.
            let allocated = unsafe { sys::ncclMemAlloc(&mut address, bytes) };
            allocated.result().map_err(|error| failed("ncclMemAlloc", error))?;
            all.memory.push((address, null_mut()));
        }
        ranks.leave();
        let Self { memory, .. } = &mut all;
        // SAFETY: memory of the rank's device; the handles are there until the group has ended.
        let registered = ranks.in_group(|rank, comm, _| unsafe {
            let (address, window) = &mut memory[rank];
            let to: *mut ncclWindow_t = window;
            checked(sys::ncclCommWindowRegister(comm, *address, bytes, to, SYMMETRIC))
        });
        registered.map_err(|error| failed("ncclCommWindowRegister", error))?;
        let are_there = all.memory.iter().all(|(_, window)| !window.is_null());
        Ok(are_there.then_some(all))
    }

    /// The address of a rank's memory, for as long as this value lives.
    pub fn address(&self, rank: usize) -> *mut c_void {
        self.memory[rank].0
    }
}

impl Drop for Windows {
    fn drop(&mut self) {
        let Self { memory, ranks } = self;
        let of_ranks = || memory.iter().zip(ranks.comms.iter().zip(&ranks.devices));
        // As long as any device works, it may use the windows of all.
        for device in &ranks.devices {
            device.context.record_err(device.stream.synchronize());
        }
        for ((_, window), (&comm, _)) in of_ranks().filter(|((_, window), _)| !window.is_null()) {
            // SAFETY: a window of this communicator, which no call uses any more.
            let _ = unsafe { sys::ncclCommWindowDeregister(comm, *window) };
        }
        for ((address, _), (_, device)) in of_ranks() {
            device.context.record_err(device.context.bind_to_thread());
            // SAFETY: memory of `ncclMemAlloc`, and no longer a window.
            let _ = unsafe { sys::ncclMemFree(*address) };
        }
        ranks.leave();
    }
}

/// An error of NCCL, with the reason that it gives.
pub fn failed(call: &str, NcclError(code): NcclError) -> Error {
    // SAFETY: the text ends in NUL, and is copied before another call of NCCL.
    let reason = unsafe { CStr::from_ptr(sys::ncclGetLastError(without_provenance_mut(0))) };
    let reason = reason.to_string_lossy();
    let reason = if reason.is_empty() { String::new() } else { format!(": {}", reason.trim()) };
    Error::Usage(format!("NCCL's {call} failed with {code:?}{reason}"))
}

/// What a call of NCCL returns, as a result.
fn checked(code: ncclResult_t) -> Result<(), NcclError> {
    code.result().map(drop)
}
