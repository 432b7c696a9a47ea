//! Windows: memory of `ncclMemAlloc` that all ranks register together. The kernels do without them, so a window only has
//! to be right: of the same size on every rank, and used at the same offset by all.

use std::{
    collections::BTreeMap,
    ffi::c_int,
    ops::Range,
    ptr::without_provenance_mut,
    sync::atomic::{AtomicUsize, Ordering},
};

use cudarc::{
    driver::sys::CUdeviceptr,
    nccl::sys::{ncclComm_t, ncclWindow_t},
};

use crate::{
    driver::{Inside, device_of},
    entry::{Result, invalid_argument, invalid_usage, set},
    world::{World, world},
};

/// `NCCL_WIN_COLL_SYMMETRIC`.
const SYMMETRIC: c_int = 1;

/// `NCCL_WIN_REQUIRED_ALIGNMENT`: of a window's offset in its memory.
const ALIGNMENT: CUdeviceptr = 4096;

/// What a rank registers.
#[derive(Clone, Copy)]
pub struct Request {
    address: CUdeviceptr,
    bytes: usize,
    is_symmetric: bool,
    /// Where the handle goes.
    to: *mut ncclWindow_t,
}

/// A window of a rank.
struct Window {
    handle: usize,
    /// Counted from 1 in the order of registration, which is the same on all ranks.
    number: usize,
    memory: Range<CUdeviceptr>,
    is_symmetric: bool,
}

/// The windows of a rank.
#[derive(Default)]
pub struct Windows {
    /// The number of windows that the rank has ever registered.
    registered: usize,
    live: Vec<Window>,
}

impl Windows {
    /// Registers a window, and writes its handle.
    pub fn add(&mut self, Request { address, bytes, is_symmetric, to }: Request) -> Result {
        static LAST: AtomicUsize = AtomicUsize::new(0);
        let handle = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        self.registered += 1;
        let memory = address..address + bytes as u64;
        self.live.push(Window { handle, number: self.registered, memory, is_symmetric });
        set(to, without_provenance_mut(handle))
    }

    /// Takes out a window.
    pub fn remove(&mut self, handle: ncclWindow_t) -> Result {
        match self.live.iter().position(|window| window.handle == handle.addr()) {
            Some(at) => {
                self.live.remove(at);
                Ok(())
            }
            None => invalid_argument("not a window of this rank, or no longer one"),
        }
    }

    /// How a call names a buffer in a symmetric window: by what must be the same on all ranks. Empty for other memory.
    pub fn place(&self, which: &str, address: CUdeviceptr) -> String {
        let holds = |window: &&Window| window.is_symmetric && window.memory.contains(&address);
        self.live.iter().find(holds).map_or_else(
            String::new,
            |Window { number, memory, .. }| {
                let offset = address - memory.start;
                format!(", {which} buffer at byte {offset} of window {number}")
            },
        )
    }
}

/// The memory of `ncclMemAlloc`: bytes by address.
pub type Memory = BTreeMap<CUdeviceptr, usize>;

/// What a rank asks for, if it can be a window, and what has to match on all ranks.
pub fn request(
    comm: ncclComm_t,
    address: CUdeviceptr,
    bytes: usize,
    to: *mut ncclWindow_t,
    flags: c_int,
) -> Result<(Request, String)> {
    set(to, without_provenance_mut(0))?;
    if flags & !SYMMETRIC != 0 {
        return invalid_argument(format!("{flags:#x} are not flags of a window of NCCL 2.28"));
    }
    let mut world = world();
    let own = world.comm(comm)?;
    let (context, device, rank) = (own.context, own.device, own.rank);
    let allocated = world.memory.range(..=address).next_back();
    let (offset, left) = match allocated {
        Some((first, all)) if address - first < *all as u64 => {
            (address - first, all - (address - first) as usize)
        }
        _ => return invalid_argument(format!("{address:#x} is not in memory of ncclMemAlloc")),
    };
    if bytes == 0 || bytes > left {
        let cause = format!("{bytes} bytes at {address:#x}, where {left} are left of the memory");
        return invalid_argument(cause);
    }
    if offset % ALIGNMENT != 0 {
        return invalid_argument(format!(
            "the window begins at byte {offset} of its memory, which is not a multiple of {ALIGNMENT}"
        ));
    }
    let _inside = Inside::new(context)?;
    let there = device_of(address)?;
    if there != device {
        return invalid_argument(format!(
            "the memory is on device {there}, and rank {rank} is on device {device}"
        ));
    }
    let is_symmetric = flags & SYMMETRIC != 0;
    let what = format!("ncclCommWindowRegister of {bytes} bytes with flags {flags:#x}");
    Ok((Request { address, bytes, is_symmetric, to }, what))
}

impl World {
    /// Makes sure that no rank has a window in memory that is to be freed.
    pub fn without_windows(&mut self, address: CUdeviceptr) -> Result {
        let bytes = self.memory.get(&address).copied().unwrap_or_default();
        let memory = address..address + bytes as u64;
        for comm in self.comms() {
            let holds = |window: &&Window| memory.contains(&window.memory.start);
            if let Some(Window { number, .. }) = comm.windows.live.iter().find(holds) {
                let rank = comm.rank;
                return invalid_usage(format!(
                    "rank {rank} still has window {number} there. ncclCommWindowDeregister comes first"
                ));
            }
        }
        Ok(())
    }
}
