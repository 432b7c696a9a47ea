//! Memory pools.

use std::ffi::c_uint;

use crate::allocation::free_pool;
use crate::entry::api;
use crate::error::CUresult;
use crate::pending;
use crate::pool::{self, Pool};
use crate::state::{driver, lock};
use crate::types::{
    CUdevice, CUmemAccessDesc, CUmemLocation, CUmemPoolProps, CUmemoryPool, HostBytes, In, Out,
};

/// `CU_MEM_ACCESS_FLAGS_PROT_NONE`
const NO_ACCESS: c_uint = 0;
/// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`
const READ_AND_WRITE: c_uint = 3;

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

    /// Gives other devices access to the memory of a pool, to all that it has handed out too, or takes it
    /// back when all work is done. Access is to read and write.
    fn cuMemPoolSetAccess(handle: CUmemoryPool, accesses: In<CUmemAccessDesc>, count: usize) {
        const DEVICE: i32 = 1;
        let pool = pool::pool(handle)?;
        for index in 0..count {
            let CUmemAccessDesc { location, flags } = accesses.at(index)?;
            if location.kind != DEVICE {
                return Err(CUresult::INVALID_VALUE.because("access is for devices"));
            }
            let device = driver()?.device(location.id)?.ordinal;
            let is_open = match flags {
                NO_ACCESS => false,
                READ_AND_WRITE => true,
                _ => return Err(CUresult::INVALID_VALUE.because(format!("access flags {flags}"))),
            };
            if !is_open {
                pending::run_deferred();
            }
            pool.set_access(device, is_open)?;
        }
        Ok(())
    }

    /// The access that a device has to the memory of a pool.
    fn cuMemPoolGetAccess(flags: Out<c_uint>, handle: CUmemoryPool, location: In<CUmemLocation>) {
        let device = driver()?.device(location.get()?.id)?.ordinal;
        let is_open = pool::pool(handle)?.is_open_to(device);
        flags.set(if is_open { READ_AND_WRITE } else { NO_ACCESS })
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
