//! Memory pools: accounts of what `cuMemAllocAsync` and its like have handed out. Memory goes
//! back to the device as soon as it is freed, so nothing is kept in reserve.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use crate::context;
use crate::error::{CUresult, Result};
use crate::handles::Handle;
use crate::state::{driver, lock};
use crate::types::HostBytes;

/// A pool.
pub struct Pool {
    /// Its device's number.
    pub ordinal: usize,
    account: Mutex<Account>,
    /// The other devices whose kernels may access memory from the pool.
    open_to: Mutex<BTreeSet<usize>>,
}

#[derive(Debug)]
struct Account {
    used: u64,
    high: u64,
    release_threshold: u64,
    /// The three `CU_MEMPOOL_ATTR_REUSE_…` settings.
    reuse: [u32; 3],
}

impl Pool {
    /// An empty pool.
    pub fn new(ordinal: usize) -> Self {
        let account = Account { used: 0, high: 0, release_threshold: 0, reuse: [1; 3] };
        Self { ordinal, account: Mutex::new(account), open_to: Mutex::default() }
    }

    /// Whether kernels of a device may access memory from the pool. Access by `cuCtxEnablePeerAccess` is for
    /// other memory.
    pub fn is_open_to(&self, device: usize) -> bool {
        device == self.ordinal || lock(&self.open_to).contains(&device)
    }

    /// Gives a device access to the memory of the pool, or takes it back.
    pub fn set_access(&self, device: usize, is_open: bool) -> Result {
        if device == self.ordinal {
            let cause = "the pool's own device always has access";
            return if is_open { Ok(()) } else { Err(CUresult::INVALID_DEVICE.because(cause)) };
        }
        let mut open_to = lock(&self.open_to);
        match is_open {
            true if open_to.insert(device) => context::add_peers(1),
            false if open_to.remove(&device) => context::remove_peers(1),
            _ => {}
        }
        Ok(())
    }

    /// Notes an allocation.
    pub fn took(&self, bytes: u64) {
        let mut account = lock(&self.account);
        account.used += bytes;
        account.high = account.high.max(account.used);
    }

    /// Notes that an allocation is back.
    pub fn returned(&self, bytes: u64) {
        lock(&self.account).used -= bytes;
    }

    /// Writes the value of a `CUmemPool_attribute`.
    pub fn attribute(&self, number: u32, value: HostBytes) -> Result {
        let account = lock(&self.account);
        match number {
            1..=3 => value.store(account.reuse[number as usize - 1]),
            4 => value.store(account.release_threshold),
            5 | 7 => value.store(account.used),
            6 | 8 => value.store(account.high),
            _ => Err(CUresult::INVALID_VALUE.because(format!("no pool attribute {number}"))),
        }
    }

    /// Sets a `CUmemPool_attribute` that can be set. The high-water marks can be reset only.
    pub fn set_attribute(&self, number: u32, value: HostBytes) -> Result {
        let mut account = lock(&self.account);
        match number {
            1..=3 => account.reuse[number as usize - 1] = value.load()?,
            4 => account.release_threshold = value.load()?,
            6 | 8 if value.load::<u64>()? == 0 => account.high = account.used,
            _ => return Err(CUresult::INVALID_VALUE.because(format!("no such setting {number}"))),
        }
        Ok(())
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        context::remove_peers(lock(&self.open_to).len());
    }
}

/// The pool of a handle.
pub fn pool(handle: Handle) -> Result<Arc<Pool>> {
    driver()?.pools.look_up(handle, CUresult::INVALID_VALUE, "a pool")
}
