//! What only those observers are told that look for mistakes. The others pay nothing for it.

use ptx::ir::{Src, Store};

use super::Exec;
use super::transfer::{Place, Shape};
use crate::banks::atomic::Form;
use crate::counters::lanes;
use crate::observe::{Access, AccessSpace, Observer, Strength};
use crate::pattern::Addresses;
use crate::registers::LaneMask;

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    /// A load has been executed. What it acquires must be looked up after it has read: had another
    /// block written in between, it would have read a flag without acquiring what that stands for.
    #[inline(always)]
    pub(super) fn check_read(&mut self, shape: Shape, space: AccessSpace, place: Place<'_>) {
        if O::CHECKS && shape.strength != Strength::Weak {
            let access = self.as_access(shape, space, place);
            self.observer.has_read(&access);
        }
    }

    /// A store is executed: lanes that write to one place should write one value.
    #[inline(always)]
    pub(super) fn check_write(
        &mut self,
        store: &Store,
        shape: Shape,
        space: AccessSpace,
        place: Place<'_>,
    ) {
        let Addresses::Lanes(addresses) = place.addresses else {
            return;
        };
        if !O::CHECKS || ascend(addresses, place.mask) {
            return;
        }
        if let Some(lanes) = self.writers_of_one_place(store, addresses, place.mask) {
            let access = self.as_access(shape, space, place);
            self.observer.writes_differ(&access, lanes);
        }
    }

    /// Two lanes that write different values to one address.
    #[inline(never)]
    fn writers_of_one_place(
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
            same_place
                && elements
                    .iter()
                    .any(|s| value(pair[0], *s) != value(pair[1], *s))
        };
        let found = order[..count].windows(2).find(differ)?;
        Some([found[0].min(found[1]), found[0].max(found[1])])
    }

    /// An access to local memory.
    #[inline(always)]
    pub(super) fn check_local(&mut self, shape: Shape, addresses: &[u64; 32], mask: LaneMask) {
        if O::CHECKS {
            let at = (self.warp.index, self.pc);
            let (kind, bytes) = (shape.kind, shape.bytes());
            self.observer.local(kind, addresses, bytes, mask, at);
        }
    }

    /// An asynchronous copy begins; its store has been seen.
    #[inline(always)]
    pub(super) fn check_copy(&mut self, shape: Shape, to: Place<'_>) {
        if O::CHECKS {
            let access = self.as_access(shape, AccessSpace::Shared, to);
            self.observer.copy_started(&access);
        }
    }

    /// A load or store, as observers see it.
    #[inline(always)]
    pub(super) fn as_access<'m>(
        &self,
        shape: Shape,
        space: AccessSpace,
        place: Place<'m>,
    ) -> Access<'m> {
        Access {
            kind: shape.kind,
            space,
            strength: shape.strength,
            read_only: shape.read_only,
            bytes: shape.bytes(),
            addresses: place.addresses,
            mask: place.mask,
            pattern: place.addresses.pattern(place.mask),
            form: Form::default(),
            warp: self.warp.index,
            pc: self.pc,
        }
    }
}

/// True if each active lane's address is above that of the active lane before it.
#[inline(always)]
fn ascend(addresses: &[u64; 32], mask: LaneMask) -> bool {
    let mut last = None;
    lanes(mask).all(|lane| {
        let address = addresses[lane as usize & 31];
        last.replace(address).is_none_or(|last| last < address)
    })
}
