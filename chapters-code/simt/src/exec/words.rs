//! The most frequent accesses, each compiled on its own: all lanes load or store a word of 32 bits, and
//! the words lie side by side. Nothing of how they lie is left to be found out then.
//!
//! They do what [`super::memory`] does, and leave to it whatever is otherwise, faults among it.

use ptx::ir::{Load, MemType, Order, Space, Src, Store};

use super::Exec;
use super::rows;
use super::transfer::{Place, Shape};
use super::view::{Bytes, Device, View};
use crate::observe::{AccessKind, AccessSpace, Observer};
use crate::pattern::Addresses;
use crate::registers::ALL_LANES;

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
    /// A load by all lanes. False if it is not of this kind; then nothing has happened.
    #[inline(always)]
    pub(super) fn load_words_inline(&mut self, load: &Load, read_only: bool) -> bool {
        let mut shape = Shape::new(AccessKind::Load, 4);
        shape.read_only = read_only;
        let row = self.row(load.addr, shape, ALL_LANES);
        let (Some(Src::R32(d)), Some(Addresses::Row { origin, .. })) = (load.d[0], row) else {
            return false;
        };
        let (bytes, space) = match load.space {
            Space::Global => (self.device().load::<128>(origin), AccessSpace::Global),
            Space::Shared => (shared(self.shared).load::<128>(origin), AccessSpace::Shared),
            _ => return false,
        };
        let Some(bytes) = bytes else { return false };
        self.tell_of(shape, space, origin);
        *self.warp.registers.r32_mut(d) = rows::words(&bytes, 1, 0);
        true
    }

    /// A store by all lanes. False if it is not of this kind; then nothing has happened.
    #[inline(always)]
    pub(super) fn store_words_inline(&mut self, store: &Store) -> bool {
        let shape = Shape::new(AccessKind::Store, 4);
        let row = self.row(store.addr, shape, ALL_LANES);
        let (Src::R32(s), Some(Addresses::Row { origin, .. })) = (store.s[0], row) else {
            return false;
        };
        let is_there = match store.space {
            Space::Global => self.device().find(origin, 128).is_some(),
            Space::Shared => shared(self.shared).load::<128>(origin).is_some(),
            _ => false,
        };
        if !is_there {
            return false;
        }
        self.warp.has_changed = true;
        if store.space == Space::Global {
            self.tell_of(shape, AccessSpace::Global, origin);
            let bytes = rows::to_bytes(self.warp.registers.r32(s));
            self.device().store(origin, bytes);
        } else {
            self.tell_of(shape, AccessSpace::Shared, origin);
            let bytes = rows::to_bytes(self.warp.registers.r32(s));
            shared(self.shared).store(origin, bytes);
        }
        true
    }

    #[inline(always)]
    fn device(&mut self) -> Device<'_> {
        let (table, region) = (&self.grid.table, &mut self.warp.region);
        Device { table, region }
    }

    /// Tells the observer.
    #[inline(always)]
    fn tell_of(&mut self, shape: Shape, space: AccessSpace, origin: u64) {
        let place = Place {
            addresses: Addresses::Row { origin, bytes: 4 },
            mask: ALL_LANES,
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
