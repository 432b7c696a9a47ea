//! Asynchronous copies to shared memory whose destination is accessed too early.
//!
//! **Detects** accesses by any thread, including the one that started the copy, to words of shared
//! memory that a pending `cp.async` writes.
//!
//! **What ends a copy:** the thread that started it waits for its group (`cp.async.wait_group`) or
//! for all (`cp.async.wait_all`). For the detector of races in shared memory, the copy then writes
//! a second time as that thread. Other threads therefore need a barrier behind the *wait*.
//!
//! **Can miss:** groups are counted per warp, not per thread (`groups_of_half_a_warp`).

use ptx::ir::CpAsyncWait;

use super::{Event, each_word};
use crate::access::{Access, AccessKind, AccessSpace, Strength};
use crate::banks::atomic::Form;
use crate::pattern::{Addresses, Pattern};
use crate::registers::LaneMask;

/// A copy under way.
#[derive(Clone, Copy)]
pub(super) struct Pending {
    /// The destination: offsets in shared memory.
    pub addresses: [u64; 32],
    pub mask: LaneMask,
    pub bytes: u32,
    pub warp: u32,
    pub pc: u32,
    /// The number of its group in the warp; `None` until the group is committed.
    group: Option<u32>,
}

/// The detector for one block at a time.
#[derive(Default)]
pub(super) struct Copies {
    pending: Vec<Pending>,
    /// Groups that each warp has committed.
    committed: Vec<u32>,
}

impl Copies {
    pub fn start_block(&mut self, warps: u32) {
        self.pending.clear();
        self.committed.clear();
        self.committed.resize(warps as usize, 0);
    }

    #[inline(always)]
    pub fn is_idle(&self) -> bool {
        self.pending.is_empty()
    }

    /// Notes a copy that a warp starts.
    pub fn start(&mut self, to: &Access<'_>) {
        self.pending.push(Pending {
            addresses: to.addresses.all(),
            mask: to.mask,
            bytes: to.bytes,
            warp: to.warp,
            pc: to.pc,
            group: None,
        });
    }

    /// Returns the pending copy that an access to shared memory should have waited for, with the
    /// access as an event and the offset.
    pub fn touched(&self, access: &Access<'_>, event: Event) -> Option<(&Pending, Event, u64)> {
        let mut found = None;
        each_word(access, event, |address, event| {
            found = found.or_else(|| {
                let copy = self.pending.iter().find(|copy| copy.covers(address))?;
                Some((copy, event, address))
            });
        });
        found
    }

    /// Notes that lanes of a warp commit or wait. Returns the copies that this ends.
    pub fn wait(&mut self, warp: u32, wait: CpAsyncWait, active: LaneMask) -> Vec<Pending> {
        let committed = &mut self.committed[warp as usize];
        let most = match wait {
            CpAsyncWait::Commit => {
                let own = self.pending.iter_mut().filter(|c| c.warp == warp);
                own.for_each(|c| c.group = c.group.or(Some(*committed)));
                *committed += 1;
                return Vec::new();
            }
            CpAsyncWait::Group(most) => *committed - most.min(*committed),
            CpAsyncWait::All => u32::MAX,
        };
        let is_old =
            |copy: &Pending| most == u32::MAX || copy.group.is_some_and(|group| group < most);
        let mut ended = Vec::new();
        for copy in self.pending.iter_mut().filter(|copy| copy.warp == warp && is_old(copy)) {
            // Each lane waits for its own part.
            let mask = copy.mask & active;
            if mask != 0 {
                ended.push(Pending { mask, ..*copy });
                copy.mask &= !mask;
            }
        }
        self.pending.retain(|copy| copy.mask != 0);
        ended
    }
}

impl Pending {
    /// Returns the copy as a store.
    pub fn as_store(&self) -> Access<'_> {
        Access {
            kind: AccessKind::Store,
            space: AccessSpace::Shared,
            strength: Strength::Weak,
            read_only: false,
            bytes: self.bytes,
            addresses: Addresses::Lanes(&self.addresses),
            mask: self.mask,
            pattern: Pattern::Scattered,
            form: Form::default(),
            warp: self.warp,
            pc: self.pc,
        }
    }

    fn covers(&self, address: u64) -> bool {
        let within = |lane: u32| {
            let at = self.addresses[lane as usize];
            (at..at + u64::from(self.bytes)).contains(&address)
        };
        crate::counters::lanes(self.mask).any(within)
    }
}
