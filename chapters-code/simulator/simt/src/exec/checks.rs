//! Callbacks for observers that check. They are compiled out for all other observers.

use ptx::ir::{Src, Store};

use super::Exec;
use super::transfer::{Elements, Shape, Transfer};
use crate::access::{Access, AccessSpace, Strength};
use crate::banks::atomic::Form;
use crate::counters::lanes;
use crate::observe::Observer;
use crate::pattern::Addresses;
use crate::registers::LaneMask;

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    /// Reports an executed load. What it acquires must be looked up after it has read. If another
    /// block could write in between, the load would read a flag without acquiring what that flag
    /// publishes.
    #[inline(always)]
    pub(super) fn check_read<T: Transfer>(
        &mut self,
        transfer: &T,
        space: AccessSpace,
        at: Elements<'_>,
    ) {
        if O::CHECKS && transfer.as_store().is_none() && at.shape.strength != Strength::Weak {
            let access = self.as_access(space, at);
            self.observer.has_read(&access);
        }
    }

    /// Reports a store that is about to be executed. Lanes that write to the same address should write the same value.
    #[inline(always)]
    pub(super) fn check_write<T: Transfer>(
        &mut self,
        transfer: &T,
        space: AccessSpace,
        at: Elements<'_>,
    ) {
        let (Some(store), Addresses::Lanes(addresses)) = (transfer.as_store(), at.addresses) else {
            return;
        };
        if !O::CHECKS || ascend(addresses, at.mask) {
            return;
        }
        if let Some(lanes) = self.conflicting_writers(store, addresses, at.mask) {
            let access = self.as_access(space, at);
            self.observer.writes_differ(&access, lanes);
        }
    }

    /// Finds two lanes that write different values to the same address.
    #[inline(never)]
    fn conflicting_writers(
        &self,
        store: &Store,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Option<[u32; 2]> {
        let mut order = [0; 32];
        let mut count = 0;
        for lane in lanes(mask) {
            order[count] = lane;
            count += 1;
        }
        order[..count].sort_unstable_by_key(|lane| addresses[*lane as usize]);
        let value = |lane: u32, s: Src| self.warp.registers.bits(s, lane);
        let differ = |pair: &&[u32]| {
            let same_place = addresses[pair[0] as usize] == addresses[pair[1] as usize];
            let elements = &store.s[..usize::from(store.len)];
            same_place && elements.iter().any(|s| value(pair[0], *s) != value(pair[1], *s))
        };
        let found = order[..count].windows(2).find(differ)?;
        Some([found[0].min(found[1]), found[0].max(found[1])])
    }

    /// Reports an access to local memory.
    #[inline(always)]
    pub(super) fn check_local(&mut self, shape: Shape, addresses: &[u64; 32], mask: LaneMask) {
        if O::CHECKS {
            let at = (self.warp.index, self.pc);
            let (kind, bytes) = (shape.kind, shape.bytes());
            self.observer.local(kind, addresses, bytes, mask, at);
        }
    }

    /// Reports that the store seen last is an asynchronous copy that starts now.
    #[inline(always)]
    pub(super) fn check_copy(&mut self, to: Elements<'_>) {
        if O::CHECKS {
            let access = self.as_access(AccessSpace::Shared, to);
            self.observer.copy_started(&access);
        }
    }

    /// Builds the description of a load or store for observers.
    #[inline(always)]
    pub(super) fn as_access<'m>(&self, space: AccessSpace, at: Elements<'m>) -> Access<'m> {
        Access {
            kind: at.shape.kind,
            space,
            strength: at.shape.strength,
            read_only: at.shape.read_only,
            bytes: at.shape.bytes(),
            addresses: at.addresses,
            mask: at.mask,
            pattern: at.addresses.pattern(at.mask),
            form: Form::default(),
            warp: self.warp.index,
            pc: self.pc,
        }
    }
}

/// Whether the address of each active lane is above that of the previous active lane.
#[inline(always)]
fn ascend(addresses: &[u64; 32], mask: LaneMask) -> bool {
    let mut last = None;
    lanes(mask).all(|lane| {
        let address = addresses[lane as usize & 31];
        last.replace(address).is_none_or(|last| last < address)
    })
}
