//! What is known of an address.

use std::ffi::{c_int, c_uint};

use crate::allocation::mapped_on;
use crate::context;
use crate::entry::api;
use crate::error::{CUresult, Result};
use crate::handles::Handle;
use crate::state::{Device, driver, lock};
use crate::types::{CUdeviceptr, HostBytes, In};

api! {
    /// One attribute of an address.
    fn cuPointerGetAttribute(value: HostBytes, attribute: c_uint, address: CUdeviceptr) {
        match place(address)? {
            Place::Nowhere => {
                let cause = format!("{address:#x} is neither device nor page-locked memory");
                Err(CUresult::INVALID_VALUE.because(cause))
            }
            place => store(value, attribute, address, &place),
        }
    }

    /// Several attributes of an address; of an unknown one, zeros.
    fn cuPointerGetAttributes(
        count: c_uint,
        attributes: In<c_uint>,
        values: In<HostBytes>,
        address: CUdeviceptr,
    ) {
        let place = place(address)?;
        for index in 0..count as usize {
            store(values.at(index)?, attributes.at(index)?, address, &place)?;
        }
        Ok(())
    }

    /// No effect: there is one attribute to set, whether copies are synchronous, and they are.
    fn cuPointerSetAttribute(_value: HostBytes, attribute: c_uint, address: CUdeviceptr) {
        const SYNC_MEMOPS: c_uint = 6;
        match (place(address)?, attribute) {
            (Place::Device { .. }, SYNC_MEMOPS) => Ok(()),
            _ => Err(CUresult::INVALID_VALUE.because("no such attribute of this address")),
        }
    }
}

/// Where an address lies.
enum Place {
    Device {
        device: &'static Device,
        context: Handle,
        pool: Handle,
        id: u64,
        base: u64,
        bytes: u64,
    },
    Host {
        base: u64,
        bytes: u64,
    },
    Nowhere,
}

fn place(address: CUdeviceptr) -> Result<Place> {
    let current = context::current()?;
    if let Some(device) = mapped_on(&current, address)?
        && let Some((base, bytes)) = device.memory.allocation(address)
    {
        // Variables of modules have no owner; their context is one of the device's.
        let owner = device.owner(address);
        let (context, pool, id) = owner.map_or((current.handle, Handle::NULL, 0), |(owner, ..)| {
            (owner.context, owner.pool, owner.id)
        });
        return Ok(Place::Device { device, context, pool, id, base, bytes });
    }
    let block = lock(&driver()?.host).block(address as usize);
    Ok(block.map_or(Place::Nowhere, |block| Place::Host {
        base: block.base as u64,
        bytes: block.bytes as u64,
    }))
}

/// Writes the value of a `CUpointer_attribute`, in the type that the manual gives it.
fn store(value: HostBytes, attribute: c_uint, address: CUdeviceptr, place: &Place) -> Result {
    const HOST: c_uint = 1;
    const DEVICE: c_uint = 2;
    let known = !matches!(place, Place::Nowhere);
    match (attribute, place) {
        (1, Place::Device { context, .. }) => value.store(*context),
        (2, Place::Device { .. }) => value.store(DEVICE),
        (2, Place::Host { .. }) => value.store(HOST),
        (3, Place::Device { .. }) => value.store(address),
        (4, Place::Host { .. }) => value.store(address),
        (7, Place::Device { id, .. }) => value.store(*id),
        (9, Place::Device { device, .. }) => value.store(device.ordinal as c_int),
        (9, Place::Host { .. }) => value.store(context::current()?.ordinal as c_int),
        (9, Place::Nowhere) => value.store(-2 as c_int),
        (11, Place::Device { base, .. } | Place::Host { base, .. }) => value.store(*base),
        (12, Place::Device { bytes, .. } | Place::Host { bytes, .. }) => value.store(*bytes),
        (17, Place::Device { pool, .. }) => value.store(*pool),
        (3 | 4, _) if known => Err(CUresult::INVALID_VALUE.because("the other side's address")),
        (1 | 3 | 4 | 7 | 11 | 12 | 14 | 17, _) => value.store(0u64),
        (13, _) => value.store(known),
        (2 | 16, _) => value.store(if known { 3 } else { 0 as c_uint }),
        (6 | 8 | 10 | 15, _) => value.store(false),
        (number, _) => Err(CUresult::INVALID_VALUE.because(format!("pointer attribute {number}"))),
    }
}
