//! Memory pools.

use std::ffi::c_uint;

use crate::allocation::free_pool;
use crate::entry::api;
use crate::error::CUresult;
use crate::pool::{self, Pool};
use crate::state::{driver, lock};
use crate::types::{CUdevice, CUmemPoolProps, CUmemoryPool, HostBytes, In, Out};

api! {
    /// The pool that the device began with.
    fn cuDeviceGetDefaultMemPool(pool: Out<CUmemoryPool>, device: CUdevice) {
        pool.set(driver()?.device(device)?.default_pool)
    }

    /// The pool that `cuMemAllocAsync` takes from.
    fn cuDeviceGetMemPool(pool: Out<CUmemoryPool>, device: CUdevice) {
        pool.set(*lock(&driver()?.device(device)?.current_pool))
    }

    /// Sets the pool that `cuMemAllocAsync` takes from.
    fn cuDeviceSetMemPool(device: CUdevice, pool: CUmemoryPool) {
        let device = driver()?.device(device)?;
        if pool::pool(pool)?.ordinal != device.ordinal {
            return Err(CUresult::INVALID_VALUE.because("a pool of another device"));
        }
        *lock(&device.current_pool) = pool;
        Ok(())
    }

    /// Makes a pool on a device. It cannot be shared with other processes.
    fn cuMemPoolCreate(pool: Out<CUmemoryPool>, properties: In<CUmemPoolProps>) {
        const PINNED: i32 = 1;
        const DEVICE: i32 = 1;
        let properties = properties.get()?;
        if properties.allocation_type != PINNED || properties.location.kind != DEVICE {
            return Err(CUresult::INVALID_VALUE.because("a pool lies on a device, pinned"));
        }
        if properties.handle_types != 0 {
            return Err(CUresult::NOT_SUPPORTED.because("pools shared between processes"));
        }
        let ordinal = driver()?.device(properties.location.id)?.ordinal;
        pool.set(driver()?.pools.insert(Pool::new(ordinal)))
    }

    /// Destroys a pool and frees what was taken from it; a device's default pool stays.
    fn cuMemPoolDestroy(handle: CUmemoryPool) {
        let device = driver()?.device(pool::pool(handle)?.ordinal as CUdevice)?;
        if handle == device.default_pool {
            return Err(CUresult::INVALID_VALUE.because("the default pool cannot be destroyed"));
        }
        let mut current = lock(&device.current_pool);
        if *current == handle {
            *current = device.default_pool;
        }
        free_pool(device, handle)?;
        driver()?.pools.remove(handle);
        Ok(())
    }

    /// No effect: nothing is kept.
    fn cuMemPoolTrimTo(handle: CUmemoryPool, _keep: usize) {
        pool::pool(handle).map(|_| ())
    }

    /// An attribute.
    fn cuMemPoolGetAttribute(handle: CUmemoryPool, attribute: c_uint, value: HostBytes) {
        pool::pool(handle)?.attribute(attribute, value)
    }

    /// Sets an attribute.
    fn cuMemPoolSetAttribute(handle: CUmemoryPool, attribute: c_uint, value: HostBytes) {
        pool::pool(handle)?.set_attribute(attribute, value)
    }
}
