//! The asynchronous proxy of a block: its mbarrier objects and its pending bulk copies.
//!
//! `exec::mbarrier` and `exec::bulk` execute the instructions; `races::proxy` defines what they
//! order. A block whose kernel uses none of them only pays for an empty list.

mod copies;
mod mbarrier;
mod objects;

pub(crate) use copies::{Bulk, Copies, Direction};
pub(crate) use mbarrier::{Asked, Completion, Mbarrier, Misuse};
pub(crate) use objects::{Absent, MBARRIER_BYTES, Mbarriers};

use ptx::ir::ProxyFence;

use crate::registers::LaneMask;

/// The mbarrier objects and pending copies of a block.
#[derive(Debug, Default)]
pub(crate) struct Proxy {
    pub mbarriers: Mbarriers,
    pub copies: Copies,
}

impl Proxy {
    /// Removes all objects and copies.
    pub fn clear(&mut self) {
        self.mbarriers.clear();
        self.copies.clear();
    }

    /// Whether no copy is pending.
    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        self.copies.count() == 0
    }
}

/// A thread of a block at an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub warp: u32,
    pub lane: u32,
    pub pc: u32,
}

/// An event of the asynchronous proxy, for checking observers. An mbarrier is named by its offset
/// in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProxyEvent {
    /// An object was initialised; `was_live` if there was one already.
    Initialised { mbarrier: u32, at: At, was_live: bool },
    /// An object was invalidated.
    Invalidated { mbarrier: u32, at: At },
    /// An instruction found the object overwritten.
    Overwritten { mbarrier: u32 },
    /// An instruction announced bytes, or counted copied bytes.
    Counted { mbarrier: u32, at: At, completion: Completion },
    /// A thread arrived. `releases` unless the arrival is `.relaxed`.
    Arrived { mbarrier: u32, at: At, releases: bool, completion: Completion },
    /// A thread tested a phase. `acquires` if it is complete and the test is not `.relaxed`.
    Tested { mbarrier: u32, at: At, is_complete: bool, acquires: bool },
    /// Lanes of a warp executed a fence between proxies.
    Fenced { fence: ProxyFence, warp: u32, lanes: LaneMask },
    /// A copy started.
    Started(Bulk),
    /// A copy to shared memory completed, which may have completed a phase of its mbarrier.
    Loaded { bulk: Bulk, completion: Completion },
    /// A thread learned that its copies up to this bulk group have read their sources and, if
    /// `written`, written their destinations.
    Waited { at: At, group: u32, written: bool },
    /// All threads of the block have exited.
    Ended,
}
