//! The asynchronous side of a block: its mbarrier objects, and the bulk copies that are under way.
//!
//! Instructions on these are executed by `exec::mbarrier` and `exec::bulk`; what orders what through
//! them is told in `races::proxy`. A block whose kernel has none of them pays for an empty list.

mod copies;
mod mbarrier;
mod objects;

pub(crate) use copies::{Bulk, Copies, Direction};
pub(crate) use mbarrier::{Asked, Completion, Mbarrier, Misuse};
pub(crate) use objects::{Absent, MBARRIER_BYTES, Mbarriers};

use ptx::ir::ProxyFence;

use crate::registers::LaneMask;

/// What a block has of these.
#[derive(Debug, Default)]
pub(crate) struct Proxy {
    pub mbarriers: Mbarriers,
    pub copies: Copies,
}

impl Proxy {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.mbarriers.clear();
        self.copies.clear();
    }

    /// True if no copy is under way.
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

/// What happens on the asynchronous side, for those who look for mistakes. An mbarrier is named by
/// its offset in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProxyEvent {
    /// An object has been initialised; `was_live` if there was one already.
    Initialised {
        mbarrier: u32,
        at: At,
        was_live: bool,
    },
    /// It has been invalidated.
    Invalidated { mbarrier: u32, at: At },
    /// An instruction finds it overwritten.
    Overwritten { mbarrier: u32 },
    /// Bytes have been announced, or counted off, by an instruction.
    Counted {
        mbarrier: u32,
        at: At,
        completion: Completion,
    },
    /// A thread has arrived. `releases` unless it is `.relaxed`.
    Arrived {
        mbarrier: u32,
        at: At,
        releases: bool,
        completion: Completion,
    },
    /// A thread looks whether a phase is complete. `acquires` if it is, and this is not `.relaxed`.
    Looked {
        mbarrier: u32,
        at: At,
        acquires: bool,
    },
    /// Lanes of a warp execute a fence between proxies.
    Fenced {
        fence: ProxyFence,
        warp: u32,
        lanes: LaneMask,
    },
    /// A copy starts.
    Started(Bulk),
    /// A copy to shared memory is there, which may have completed a phase of its mbarrier.
    Loaded { bulk: Bulk, completion: Completion },
    /// A thread knows that its copies up to this bulk group have read their sources, and, if
    /// `written`, that they are there.
    Waited { at: At, group: u32, written: bool },
    /// All threads of the block have exited.
    Ended,
}
