//! Names of errors, and the profiler's switch.

use std::ffi::{c_char, c_int};

use crate::entry::api;
use crate::error::CUresult;
use crate::profile;
use crate::state;
use crate::types::{Out, Text};

api! {
    /// Makes the devices.
    fn cuInit(flags: u32) {
        if flags != 0 {
            return Err(CUresult::INVALID_VALUE.because("flags must be 0"));
        }
        state::initialize();
        if state::driver()?.devices.is_empty() {
            return Err(CUresult::NO_DEVICE.because("SIMT_DEVICES is 0"));
        }
        Ok(())
    }

    /// The CUDA version whose API this is.
    fn cuDriverGetVersion(version: Out<c_int>) {
        version.set(profile::DRIVER_VERSION)
    }

    /// The name of a code; null, and an error, for a number that is no code.
    fn cuGetErrorName(error: CUresult, text: Out<*const c_char>) {
        text.set(error.name().map_or(std::ptr::null(), |name| name.as_ptr()))?;
        error.name().map(|_| ()).ok_or(CUresult::INVALID_VALUE.into())
    }

    /// What a code means.
    fn cuGetErrorString(error: CUresult, text: Out<*const c_char>) {
        text.set(error.text().map_or(std::ptr::null(), |text| text.as_ptr()))?;
        error.text().map(|_| ()).ok_or(CUresult::INVALID_VALUE.into())
    }

    /// No effect: the simulator counts always.
    fn cuProfilerInitialize(_config: Text, _output: Text, _mode: c_int) {
        Ok(())
    }

    /// No effect.
    fn cuProfilerStart() {
        crate::context::current().map(|_| ())
    }

    /// No effect.
    fn cuProfilerStop() {
        crate::context::current().map(|_| ())
    }
}
