//! Primary contexts: one a device, counted.

use std::ffi::{c_int, c_uint};

use crate::context::{self, Context};
use crate::entry::api;
use crate::error::CUresult;
use crate::state::{driver, lock};
use crate::types::{CUcontext, CUdevice, Out};

api! {
    /// Makes the primary context, or counts one more user of it.
    fn cuDevicePrimaryCtxRetain(context: Out<CUcontext>, device: CUdevice) {
        let device = driver()?.device(device)?;
        let mut primary = lock(&device.primary);
        let handle = match primary.context {
            Some(handle) => handle,
            None => Context::create(device, primary.flags, true)?,
        };
        primary.context = Some(handle);
        primary.retained += 1;
        context.set(handle)
    }

    /// Counts one user less; the last takes the context, and a fault's error, with it.
    also(cuDevicePrimaryCtxRelease) fn cuDevicePrimaryCtxRelease_v2(device: CUdevice) {
        let device = driver()?.device(device)?;
        let mut primary = lock(&device.primary);
        let Some(handle) = primary.context else {
            return Err(CUresult::INVALID_CONTEXT.because("the primary context is not retained"));
        };
        primary.retained -= 1;
        if primary.retained > 0 {
            return Ok(());
        }
        primary.context = None;
        context::destroy(handle)
    }

    /// Destroys the primary context, even if it is in use.
    also(cuDevicePrimaryCtxReset) fn cuDevicePrimaryCtxReset_v2(device: CUdevice) {
        let mut primary = lock(&driver()?.device(device)?.primary);
        primary.retained = 0;
        primary.context.take().map_or(Ok(()), context::destroy)
    }

    /// The flags, and whether the context exists.
    fn cuDevicePrimaryCtxGetState(device: CUdevice, flags: Out<c_uint>, active: Out<c_int>) {
        let primary = lock(&driver()?.device(device)?.primary);
        flags.set(primary.flags)?;
        active.set(c_int::from(primary.context.is_some()))
    }

    /// Flags for the context; kept, and of no effect.
    also(cuDevicePrimaryCtxSetFlags) fn cuDevicePrimaryCtxSetFlags_v2(device: CUdevice, flags: c_uint) {
        lock(&driver()?.device(device)?.primary).flags = flags;
        Ok(())
    }
}
