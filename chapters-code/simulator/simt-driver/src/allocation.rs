//! Device memory: allocating and freeing it, and who owns it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::context::{self, Context};
use crate::error::{CUresult, Failure, Result};
use crate::handles::Handle;
use crate::order;
use crate::pool;
use crate::state::{Device, Driver, Owner, driver, lock};

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

/// Allocates device memory for a context, from a pool where one is given.
pub fn allocate(context: &Context, pool: Handle, bytes: usize) -> Result<u64> {
    let device = context.device()?;
    if !pool.is_null() && pool::pool(pool)?.ordinal != device.ordinal {
        return Err(CUresult::INVALID_VALUE.because("a pool of another device"));
    }
    let address = device.memory.allocate(bytes as u64)?;
    let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
    lock(&device.owners).insert(address, Owner { context: context.handle, pool, id });
    if !pool.is_null() {
        pool::pool(pool)?.took(bytes as u64);
    }
    Ok(address)
}

/// Frees device memory. A pointer tells where it belongs, so that any context can be current.
pub fn free(address: u64) -> Result {
    let driver = driver()?;
    let found = driver.devices.iter().find_map(|d| Some((d, d.memory.allocation(address)?.0)));
    let Some((device, base)) = found else {
        let nearest = context::current()?.device()?.memory.free(address);
        return nearest.map_err(Failure::from);
    };
    if !lock(&device.owners).contains_key(&base) {
        let cause = format!("{address:#x} is a variable of a module, not an allocation");
        return Err(CUresult::INVALID_VALUE.because(cause));
    }
    release(device, address)
}

/// Whether an allocation begins at an address.
pub fn is_allocated(address: u64) -> Result<bool> {
    Ok(driver()?.devices.iter().any(|device| lock(&device.owners).contains_key(&address)))
}

/// Calls the memory at an address by this name in reports; none ends that.
pub fn set_name(address: u64, name: Option<&str>) -> Result {
    let is_known = driver()?.devices.iter().any(|device| device.memory.set_name(address, name));
    let cause = || CUresult::INVALID_VALUE.because(format!("nothing is allocated at {address:#x}"));
    is_known.then_some(()).ok_or_else(cause)
}

/// The context that owns the memory at an address, or else the current one.
pub fn context_of(address: u64) -> Result<Arc<Context>> {
    let owner = driver()?.devices.iter().find_map(|device| device.owner(address));
    owner.map_or_else(context::current, |(owner, ..)| context::of(owner.context))
}

/// Frees all that a context owns.
pub fn free_all(device: &Device, context: Handle) -> Result {
    // The last one first: the table of allocations then only becomes shorter.
    let mut last_first = owned(device, |owner| owner.context == context).into_iter().rev();
    last_first.try_for_each(|base| release(device, base))
}

/// Frees all that was taken from a pool.
pub fn free_pool(device: &Device, pool: Handle) -> Result {
    let owned = owned(device, |owner| owner.pool == pool);
    owned.into_iter().try_for_each(|base| release(device, base))
}

/// The addresses of the allocations with such owners.
fn owned(device: &Device, is_owner: impl Fn(&Owner) -> bool) -> Vec<u64> {
    let owners = lock(&device.owners);
    owners.iter().filter(|(_, owner)| is_owner(owner)).map(|(&base, _)| base).collect()
}

fn release(device: &Device, address: u64) -> Result {
    let bytes = device.memory.allocation(address).map_or(0, |(_, bytes)| bytes);
    device.memory.free(address)?;
    order::freed(&(address..address + bytes));
    if let Some(owner) = lock(&device.owners).remove(&address)
        && let Some(pool) = driver()?.pools.get(owner.pool)
    {
        pool.returned(bytes);
    }
    Ok(())
}

/// The device on which an address is mapped: the context's own, or else any other. If it is
/// mapped nowhere, the context's own, whose memory then says what is wrong with the address.
pub fn device_of(context: &Context, address: u64) -> Result<&'static Device> {
    let own = context.device()?;
    Ok(find_device(driver()?, own, address).unwrap_or(own))
}

fn find_device(
    driver: &'static Driver,
    own: &'static Device,
    address: u64,
) -> Option<&'static Device> {
    let mapped = |device: &Device| device.memory.allocation(address).is_some();
    if mapped(own) { Some(own) } else { driver.devices.iter().find(|d| mapped(d)) }
}

/// The device on which an address is mapped, if any.
pub fn mapped_on(context: &Context, address: u64) -> Result<Option<&'static Device>> {
    Ok(find_device(driver()?, context.device()?, address))
}
