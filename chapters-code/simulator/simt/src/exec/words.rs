//! The most frequent accesses, each compiled on its own: lanes load or store a word of 32 bits, and the
//! words lie side by side. Where all lanes do, nothing of how they lie is left to be found out.
//!
//! They do what [`super::memory`] does, and leave to it whatever is otherwise, faults among it.

use ptx::ir::{Load, MemType, Order, R32, Space, Src, Store};

use super::Exec;
use super::rows;
use super::transfer::{Place, Shape};
use super::view::{Bytes, Device, View};
use crate::observe::{AccessKind, AccessSpace, Observer};
use crate::pattern::Addresses;
use crate::registers::{ALL_LANES, LaneMask, blend32};

/// How far behind a load lies what will probably be loaded soon: by one of the next blocks, as most
/// kernels have it. The CPU sees no pattern in that itself, as too much happens between.
const AHEAD: u64 = 2048;
/// What is the same for every such store.
const STORE: Shape = Shape::new(AccessKind::Store, 4);

/// True if a load may be one of these.
pub(super) fn is_load(load: &Load) -> bool {
    let Load { ty, len, order, .. } = load;
    let is_word = (ty, len, order) == (&MemType::B32, &1, &Order::Weak);
    is_word && is_near(load.space) && matches!(load.d[0], Some(Src::R32(_)))
}

/// True if a store may be one of these.
pub(super) fn is_store(store: &Store) -> bool {
    let Store { ty, len, order, .. } = store;
    let is_word = (ty, len, order) == (&MemType::B32, &1, &Order::Weak);
    is_word && is_near(store.space) && matches!(store.s[0], Src::R32(_))
}

fn is_near(space: Space) -> bool {
    matches!(space, Space::Global | Space::Shared)
}

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    /// A load. False if it is not of this kind; then nothing has happened.
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
            Space::Shared => (shared(self.shared).load::<128>(origin), AccessSpace::Shared),
            _ => return false,
        };
        let Some(bytes) = bytes else { return false };
        self.tell_of(shape, space, origin, mask);
        let words = rows::words(&bytes, 1, 0);
        self.warp.registers.write32(d, mask, &words);
        true
    }

    /// A store: by all lanes, or, where nobody can write to the others' words in between, by some. False
    /// if it is not of this kind; then nothing has happened.
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
        self.tell_of(STORE, AccessSpace::Global, origin, ALL_LANES);
        let bytes = rows::to_bytes(self.warp.registers.r32(s));
        self.device().store(origin, bytes).is_some()
    }

    #[inline(always)]
    fn store_shared_row(&mut self, store: &Store, mask: LaneMask) -> bool {
        let Some((s, origin)) = self.stored_row(store, mask) else {
            return false;
        };
        let Some(there) = shared(self.shared).load::<128>(origin) else {
            return false;
        };
        self.warp.has_changed = true;
        self.tell_of(STORE, AccessSpace::Shared, origin, mask);
        let mut row = rows::words(&there, 1, 0);
        blend32(&mut row, mask, self.warp.registers.r32(s));
        shared(self.shared)
            .store(origin, rows::to_bytes(&row))
            .is_some()
    }

    /// The register that is stored, and where lane 0's word goes, if the words lie side by side.
    #[inline(always)]
    fn stored_row(&self, store: &Store, mask: LaneMask) -> Option<(R32, u64)> {
        match (store.s[0], self.row(store.addr, STORE, mask)?) {
            (Src::R32(s), Addresses::Row { origin, .. }) => Some((s, origin)),
            _ => None,
        }
    }

    #[inline(always)]
    fn device(&mut self) -> Device<'_> {
        let (table, region) = (&self.grid.table, &mut self.warp.region);
        Device { table, region }
    }

    /// Tells the observer.
    #[inline(always)]
    fn tell_of(&mut self, shape: Shape, space: AccessSpace, origin: u64, mask: LaneMask) {
        let place = Place {
            addresses: Addresses::Row { origin, bytes: 4 },
            mask,
        };
        let access = self.as_access(shape, space, place);
        self.observer.access(&access);
    }
}

#[inline(always)]
fn shared(bytes: &mut [u8]) -> Bytes<'_> {
    Bytes {
        bytes,
        name: "shared memory",
    }
}
