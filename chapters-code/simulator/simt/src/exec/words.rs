//! The most frequent accesses, compiled separately: lanes load or store contiguous 32-bit words. If
//! all lanes are active, the access pattern needs no further analysis.
//!
//! These functions do what [`super::memory`] does, and leave all other cases to it, including
//! faults.

use ptx::ir::{Address, Load, MemType, Order, R32, Space, Src, Store};

use super::Exec;
use super::rows;
use super::transfer::{Elements, Shape};
use super::view::{Bytes, Device, View};
use crate::access::{AccessKind, AccessSpace};
use crate::observe::Observer;
use crate::pattern::Addresses;
use crate::registers::{ALL_LANES, LaneMask, blend32};

/// Distance in bytes to the data that will probably be loaded soon, usually by one of the next
/// blocks. The CPU's prefetcher does not find this pattern, because too many other accesses lie in
/// between.
const AHEAD: u64 = 2048;
/// The properties of every such store.
const STORE: Shape = Shape::new(AccessKind::Store, 4);

/// Whether a load may use this path.
pub(super) fn is_load(load: &Load) -> bool {
    let Load { ty, len, order, .. } = load;
    let is_word = (ty, len, order) == (&MemType::B32, &1, &Order::Weak);
    is_word && is_near(load.space) && matches!(load.d[0], Some(Src::R32(_)))
}

/// Whether a store may use this path.
pub(super) fn is_store(store: &Store) -> bool {
    let Store { ty, len, order, .. } = store;
    let is_word = (ty, len, order) == (&MemType::B32, &1, &Order::Weak);
    is_word && is_near(store.space) && matches!(store.s[0], Src::R32(_))
}

fn is_near(space: Space) -> bool {
    matches!(space, Space::Global | Space::Shared)
}

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    /// Executes a load. Returns false, without any effect, if this path does not apply.
    #[inline(always)]
    pub(super) fn load_words_inline(
        &mut self,
        load: &Load,
        read_only: bool,
        mask: LaneMask,
    ) -> bool {
        match mask {
            ALL_LANES => self.load_row(load, read_only, ALL_LANES),
            some => self.load_row(load, read_only, some),
        }
    }

    #[inline(always)]
    fn load_row(&mut self, load: &Load, read_only: bool, mask: LaneMask) -> bool {
        let mut shape = Shape::new(AccessKind::Load, 4);
        shape.read_only = read_only;
        let row = self.row(load.addr, shape, mask);
        let (Some(Src::R32(d)), Some(Addresses::Row { origin, .. })) = (load.d[0], row) else {
            return false;
        };
        let (bytes, space) = match load.space {
            Space::Global => {
                let mut device = self.device();
                device.expect(origin.wrapping_add(AHEAD));
                (device.load::<128>(origin), AccessSpace::Global)
            }
            Space::Shared => (self.shared(load.addr).load::<128>(origin), AccessSpace::Shared),
            _ => return false,
        };
        let Some(bytes) = bytes else { return false };
        self.notify_access(shape, space, origin, mask);
        let words = rows::words(&bytes, 1, 0);
        self.warp.registers.write32(d, mask, &words);
        true
    }

    /// Executes a store by all lanes, or by some if no other thread can write to the inactive
    /// lanes' words in between. Returns false, without any effect, if this path does not apply.
    #[inline(always)]
    pub(super) fn store_words_inline(&mut self, store: &Store, mask: LaneMask) -> bool {
        match (store.space, mask) {
            (Space::Global, ALL_LANES) => self.store_global_row(store),
            (Space::Shared, ALL_LANES) => self.store_shared_row(store, ALL_LANES),
            (Space::Shared, some) => self.store_shared_row(store, some),
            _ => false,
        }
    }

    #[inline(always)]
    fn store_global_row(&mut self, store: &Store) -> bool {
        let Some((s, origin)) = self.stored_row(store, ALL_LANES) else {
            return false;
        };
        if self.device().find(origin, 128).is_none() {
            return false;
        }
        self.warp.has_changed = true;
        self.notify_access(STORE, AccessSpace::Global, origin, ALL_LANES);
        let bytes = rows::to_bytes(self.warp.registers.r32(s));
        self.device().store(origin, bytes).is_some()
    }

    #[inline(always)]
    fn store_shared_row(&mut self, store: &Store, mask: LaneMask) -> bool {
        let Some((s, origin)) = self.stored_row(store, mask) else {
            return false;
        };
        let Some(there) = self.shared(store.addr).load::<128>(origin) else {
            return false;
        };
        self.warp.has_changed = true;
        self.notify_access(STORE, AccessSpace::Shared, origin, mask);
        let mut row = rows::words(&there, 1, 0);
        blend32(&mut row, mask, self.warp.registers.r32(s));
        self.shared(store.addr).store(origin, rows::to_bytes(&row)).is_some()
    }

    /// Returns the stored register and the address of lane 0's word, if the words are contiguous.
    #[inline(always)]
    fn stored_row(&self, store: &Store, mask: LaneMask) -> Option<(R32, u64)> {
        match (store.s[0], self.row(store.addr, STORE, mask)?) {
            (Src::R32(s), Addresses::Row { origin, .. }) => Some((s, origin)),
            _ => None,
        }
    }

    #[inline(always)]
    fn shared(&mut self, address: Address) -> Bytes<'_> {
        Bytes::shared_within(self.shared, address.limits, self.grid.kernel)
    }

    #[inline(always)]
    pub(super) fn device(&mut self) -> Device<'_> {
        let (memory, region) = (&self.grid.memory, &mut self.warp.region);
        Device { memory, region }
    }

    /// Informs the observer.
    #[inline(always)]
    fn notify_access(&mut self, shape: Shape, space: AccessSpace, origin: u64, mask: LaneMask) {
        let at = Elements { shape, addresses: Addresses::Row { origin, bytes: 4 }, mask };
        let access = self.as_access(space, at);
        self.observer.access(&access);
    }
}
