//! Contexts.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};

use crate::capture;
use crate::context::{self, Context};
use crate::entry::api;
use crate::error::{CUresult, Result};
use crate::pending;
use crate::profile;
use crate::state::{driver, lock};
use crate::stream;
use crate::types::{CUcontext, CUdevice, CUevent, In, Out};

api! {
    /// Makes a context and makes it current.
    fn cuCtxCreate_v2(context: Out<CUcontext>, flags: c_uint, device: CUdevice) {
        create(&context, flags, device)
    }

    /// As `cuCtxCreate_v2`. Affinities to multiprocessors are not supported.
    fn cuCtxCreate_v3(
        context: Out<CUcontext>,
        _affinities: In<u8>,
        affinity_count: c_int,
        flags: c_uint,
        device: CUdevice,
    ) {
        if affinity_count != 0 {
            return Err(CUresult::UNSUPPORTED_EXEC_AFFINITY.into());
        }
        create(&context, flags, device)
    }

    /// As `cuCtxCreate_v2`. Parameters are not supported.
    fn cuCtxCreate_v4(
        context: Out<CUcontext>,
        parameters: In<u8>,
        flags: c_uint,
        device: CUdevice,
    ) {
        if !parameters.is_null() {
            return Err(CUresult::NOT_SUPPORTED.because("parameters of a context"));
        }
        create(&context, flags, device)
    }

    /// Destroys a context and all that is in it.
    also(cuCtxDestroy) fn cuCtxDestroy_v2(context: CUcontext) {
        if context::of(context)?.primary {
            return Err(CUresult::INVALID_CONTEXT.because("a primary context is released instead"));
        }
        context::destroy_and_pop(context)
    }

    /// Makes a context current; null for none.
    fn cuCtxSetCurrent(context: CUcontext) {
        driver()?;
        context::set_current(context)
    }

    /// The current context, or null.
    fn cuCtxGetCurrent(context: Out<CUcontext>) {
        driver()?;
        context.set(context::current_handle().unwrap_or(CUcontext::NULL))
    }

    /// Makes a context current until it is popped.
    also(cuCtxPushCurrent) fn cuCtxPushCurrent_v2(context: CUcontext) {
        context::push(context)
    }

    /// Takes the current context away.
    also(cuCtxPopCurrent) fn cuCtxPopCurrent_v2(context: Out<CUcontext>) {
        driver()?;
        context.set_if_wanted(context::pop()?)
    }

    /// Waits. Returns the error of a kernel that faulted.
    fn cuCtxSynchronize() {
        synchronize(&*context::current()?)
    }

    /// As `cuCtxSynchronize`, for a context that need not be current.
    fn cuCtxSynchronize_v2(context: CUcontext) {
        synchronize(&*context::of_or_current(context)?)
    }

    /// The current context's device.
    fn cuCtxGetDevice(device: Out<CUdevice>) {
        device.set(context::current()?.ordinal as CUdevice)
    }

    /// A context's device.
    fn cuCtxGetDevice_v2(device: Out<CUdevice>, context: CUcontext) {
        device.set(context::of_or_current(context)?.ordinal as CUdevice)
    }

    /// The flags that the context was made with.
    fn cuCtxGetFlags(flags: Out<c_uint>) {
        flags.set(lock(&context::current()?.settings).flags)
    }

    /// Flags of the context; kept, and of no effect.
    fn cuCtxSetFlags(flags: c_uint) {
        lock(&context::current()?.settings).flags = flags;
        Ok(())
    }

    /// The context's number.
    fn cuCtxGetId(context: CUcontext, id: Out<c_ulonglong>) {
        id.set(context::of_or_current(context)?.id)
    }

    /// The version of the API.
    fn cuCtxGetApiVersion(context: CUcontext, version: Out<c_uint>) {
        context::of_or_current(context)?;
        version.set(3020)
    }

    /// A limit as it was set.
    fn cuCtxGetLimit(value: Out<usize>, limit: c_uint) {
        let context = context::current()?;
        let found = lock(&context.settings).limits.get(&limit).copied();
        value.set(found.ok_or(no_limit(limit))?)
    }

    /// A limit; kept, and of no effect: the simulator has none of these.
    fn cuCtxSetLimit(limit: c_uint, value: usize) {
        let context = context::current()?;
        capture::unsafe_call()?;
        match lock(&context.settings).limits.get_mut(&limit) {
            Some(slot) if limit != profile::SYNC_DEPTH => *slot = value,
            _ => return Err(no_limit(limit).into()),
        }
        Ok(())
    }

    /// The preference as it was set.
    fn cuCtxGetCacheConfig(config: Out<c_uint>) {
        config.set(lock(&context::current()?.settings).cache)
    }

    /// A preference; kept, and of no effect.
    fn cuCtxSetCacheConfig(config: c_uint) {
        lock(&context::current()?.settings).cache = up_to(config, 3)?;
        Ok(())
    }

    /// The setting as it was made.
    fn cuCtxGetSharedMemConfig(config: Out<c_uint>) {
        config.set(lock(&context::current()?.settings).shared)
    }

    /// Kept, and of no effect, as on every device since compute capability 5.0.
    fn cuCtxSetSharedMemConfig(config: c_uint) {
        lock(&context::current()?.settings).shared = up_to(config, 2)?;
        Ok(())
    }

    /// The range of the profile.
    fn cuCtxGetStreamPriorityRange(least: Out<c_int>, greatest: Out<c_int>) {
        context::current()?;
        least.set_if_wanted(profile::PRIORITIES.0)?;
        greatest.set_if_wanted(profile::PRIORITIES.1)
    }

    /// No effect.
    fn cuCtxResetPersistingL2Cache() {
        context::current().map(|_| ())
    }

    /// Records an event when all work of the context is done.
    fn cuCtxRecordEvent(context: CUcontext, event: CUevent) {
        let context = context::of_or_current(context)?;
        context.enqueue()?;
        capture::not_capturing_in(&context)?;
        pending::wait_for_context(context.handle)?;
        stream::event(event)?.record(CUcontext::NULL)
    }

    /// Waits for the event, which most often has happened.
    fn cuCtxWaitEvent(context: CUcontext, event: CUevent) {
        let context = context::of_or_current(context)?;
        context.enqueue()?;
        capture::not_capturing_in(&context)?;
        stream::event(event)?.synchronize()
    }

    /// Lets kernels of the current context access the other's memory but for that of pools, which
    /// `cuMemPoolSetAccess` is for. From then on work runs when the host waits: see `together.rs`.
    fn cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint) {
        let context = context::current()?;
        let peer = context::of(peer)?;
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE.because("flags other than 0"));
        }
        context.enable_peer(&peer)
    }

    /// Takes the access back.
    fn cuCtxDisablePeerAccess(peer: CUcontext) {
        let context = context::current()?;
        context::of(peer)?;
        context.disable_peer(peer)
    }

    /// There are no tables of private functions, which NVIDIA's runtime asks for.
    fn cuGetExportTable(table: Out<*const c_void>, _id: In<u8>) {
        table.set_if_wanted(std::ptr::null())?;
        Err(CUresult::NOT_FOUND.into())
    }
}

fn synchronize(context: &Context) -> Result {
    capture::not_capturing_in(context)?;
    pending::wait_for_context(context.handle)?;
    context.synchronize()
}

fn create(context: &Out<CUcontext>, flags: c_uint, device: CUdevice) -> Result {
    let handle = Context::create(driver()?.device(device)?, flags, false)?;
    context.set(handle)?;
    context::push(handle)
}

/// What a limit that the device does not have is refused with.
fn no_limit(number: c_uint) -> CUresult {
    if number < profile::LIMITS { CUresult::UNSUPPORTED_LIMIT } else { CUresult::INVALID_VALUE }
}

fn up_to(value: c_uint, most: c_uint) -> Result<c_uint> {
    if value > most {
        return Err(CUresult::INVALID_VALUE.because(format!("{value} is not a setting")));
    }
    Ok(value)
}
