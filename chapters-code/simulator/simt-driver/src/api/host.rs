//! Page-locked memory of the host. Kernels cannot reach it: there is no address for them.

use std::ffi::c_uint;

use crate::capture;
use crate::context;
use crate::entry::api;
use crate::error::CUresult;
use crate::pending;
use crate::state::{driver, lock};
use crate::types::{CUdeviceptr, HostBytes, Out};

api! {
    /// Allocates.
    fn cuMemAllocHost_v2(pointer: Out<HostBytes>, bytes: usize) {
        context::queueing()?;
        capture::unsafe_call()?;
        pointer.set(lock(&driver()?.host).allocate(bytes, 0)?)
    }

    /// Allocates. The flags are kept, and of no effect.
    fn cuMemHostAlloc(pointer: Out<HostBytes>, bytes: usize, flags: c_uint) {
        context::queueing()?;
        capture::unsafe_call()?;
        if flags > 7 {
            return Err(CUresult::INVALID_VALUE.because(format!("no flags {flags:#x}")));
        }
        pointer.set(lock(&driver()?.host).allocate(bytes, flags)?)
    }

    /// Frees.
    fn cuMemFreeHost(pointer: HostBytes) {
        capture::unsafe_call()?;
        if let Some(context) = context::current_handle() {
            pending::wait_for_context(context)?;
        }
        lock(&driver()?.host).free(pointer)
    }

    /// Notes that the caller's memory is page-locked. The flags are kept, and of no effect.
    also(cuMemHostRegister) fn cuMemHostRegister_v2(pointer: HostBytes, bytes: usize, flags: c_uint) {
        context::queueing()?;
        capture::unsafe_call()?;
        lock(&driver()?.host).register(pointer, bytes, flags)
    }

    /// Forgets it.
    fn cuMemHostUnregister(pointer: HostBytes) {
        lock(&driver()?.host).unregister(pointer)
    }

    /// The flags of an allocation.
    fn cuMemHostGetFlags(flags: Out<c_uint>, pointer: HostBytes) {
        let block = lock(&driver()?.host).block(pointer.0 as usize);
        flags.set(block.ok_or(CUresult::INVALID_VALUE)?.flags)
    }

    /// There is none.
    fn cuMemHostGetDevicePointer_v2(
        _address: Out<CUdeviceptr>,
        _pointer: HostBytes,
        _flags: c_uint,
    ) {
        Err(CUresult::NOT_SUPPORTED.because("host memory in the address space of kernels"))
    }

    /// There is no memory that both sides reach (`CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY` is 0).
    fn cuMemAllocManaged(_address: Out<CUdeviceptr>, _bytes: usize, _flags: c_uint) {
        Err(CUresult::NOT_SUPPORTED.because("managed memory"))
    }
}
