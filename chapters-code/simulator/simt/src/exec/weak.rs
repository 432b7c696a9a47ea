//! Accesses where memory is weak: see [`crate::weak`].
//!
//! An access is executed as usual, on the newest values. If a load returns older ones, these then
//! replace what it has loaded.

use std::iter;
use std::ops::Range;

use ptx::ir::{Atom, AtomOp, Fence, Load, Order, Space, Store};

use super::code::is_weak;
use super::memory::{Target, addresses};
use super::run::SPINS;
use super::transfer::{Elements, Shape, Transfer};
use super::view::{Bytes, View};
use super::{Exec, Flow};
use crate::access::AccessKind;
use crate::counters::lanes;
use crate::fault::Step;
use crate::module::BLOCK_WINDOW;
use crate::observe::Observer;
use crate::pattern::Addresses;
use crate::registers::LaneMask;
use crate::weak::{LaneAccess, SHARED, Stores, ThreadId};

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    pub(super) fn load_weakly(&mut self, load: &Load, active: LaneMask) -> Step {
        let (shape, at) = (Shape::of_load(load), addresses(&self.warp.registers, load.addr));
        self.load(load, shape, active)?;
        let Some(weak) = self.stores(load.space, load.order) else { return Ok(()) };
        for lane in lanes(active) {
            let address = at[lane as usize];
            let words = self.words(load.space, address, shape.bytes());
            let mut by = self.lane_access(lane, AccessKind::Load, load.order);
            by.is_read_only = load.non_coherent;
            if !by.is_strong() && !weak.has_history(&words) {
                continue;
            }
            weak.touch(&words);
            weak.count_unordered(&by, &words);
            let Some(values) = self.loaded(weak, &by, &words, shape.bytes() / u32::from(load.len))
            else {
                continue;
            };
            // What follows may differ although no thread has changed memory.
            self.warp.has_changed = true;
            let mut older: Vec<u8> = values.into_iter().flat_map(u32::to_le_bytes).collect();
            let offsets = [address & 3; 32];
            let at = Elements { shape, addresses: Addresses::Lanes(&offsets), mask: 1 << lane };
            let registers = &mut self.warp.registers;
            load.by_lanes(&mut Bytes::local(&mut older), registers, at)?;
        }
        Ok(())
    }

    pub(super) fn store_weakly(&mut self, store: &Store, active: LaneMask) -> Step {
        let (shape, at) = (Shape::of_store(store), addresses(&self.warp.registers, store.addr));
        let Some(weak) = self.stores(store.space, store.order) else {
            return self.store(store, shape, active);
        };
        for lane in lanes(active) {
            weak.touch(&self.words(store.space, at[lane as usize], shape.bytes()));
        }
        self.store(store, shape, active)?;
        for lane in lanes(active) {
            let words = self.words(store.space, at[lane as usize], shape.bytes());
            let by = self.lane_access(lane, AccessKind::Store, store.order);
            for part in self.parts(weak, &by, words.len(), shape.bytes() / u32::from(store.len)) {
                weak.store(&by, &words[part]);
            }
        }
        Ok(())
    }

    /// Returns the values of a load if they are not the newest. The words were touched.
    fn loaded(
        &self,
        weak: &Stores<'_>,
        by: &LaneAccess,
        words: &[(u64, u32)],
        element_bytes: u32,
    ) -> Option<Vec<u32>> {
        let mut values: Vec<u32> = words.iter().map(|(_, newest)| *newest).collect();
        let mut is_older = false;
        for part in self.parts(weak, by, words.len(), element_bytes) {
            if let Some(older) = weak.load(by, &words[part.clone()]) {
                values[part].copy_from_slice(&older);
                is_older = true;
            }
        }
        is_older.then_some(values)
    }

    /// Returns the parts of an access by this lane to so many words that are accesses of their own, in the order in which
    /// they happen: all words together, or the elements of a vector.
    fn parts(
        &self,
        weak: &Stores<'_>,
        by: &LaneAccess,
        words: usize,
        element_bytes: u32,
    ) -> Vec<Range<usize>> {
        let size = (element_bytes as usize).div_ceil(4);
        if !self.grid.options.torn_vectors || words <= size {
            return iter::once(0..words).collect();
        }
        let first = (0..words).step_by(size);
        let mut parts: Vec<_> = first.map(|at| at..(at + size).min(words)).collect();
        if weak.goes_backwards(by) {
            parts.reverse();
        }
        parts
    }

    /// Executes an atomic lane by lane.
    pub(super) fn atomic_weakly(&mut self, atom: &Atom, active: LaneMask) -> Step {
        let at = addresses(&self.warp.registers, atom.addr);
        let Some(weak) = self.grid.weak.as_ref() else { return self.atomic(atom, active) };
        for lane in lanes(active) {
            self.atomic_of_lane(weak, atom, at[lane as usize], lane)?;
        }
        Ok(())
    }

    fn atomic_of_lane(&mut self, weak: &Stores<'_>, atom: &Atom, address: u64, lane: u32) -> Step {
        let by = self.lane_access(lane, AccessKind::Atomic, atom.order);
        let mut before = self.words(atom.space, address, atom.ty.bytes());
        weak.touch(&before);
        let kernel = self.grid.kernel.ir();
        let is_used = |d| weak.is_used(self.pc, || kernel.uses_result(self.pc, d));
        if atom.d.is_some_and(is_used) {
            weak.count_unordered(&by, &before);
        }
        if let Some(values) = weak.load_of_atomic(&by, &before) {
            // It updates an older value, and what was stored since is lost.
            self.warp.has_changed = true;
            let mut device = self.device();
            for ((word, old), value) in before.iter_mut().zip(values) {
                *old = value;
                device.store(*word, value.to_le_bytes());
            }
        } else {
            weak.observe(&by, &before);
        }
        let is_equal = self.is_equal(atom, &before, address, lane);
        self.atomic(atom, 1 << lane)?;
        if atom.op != AtomOp::Cas || is_equal {
            let after = self.words(atom.space, address, atom.ty.bytes());
            weak.store(&by, &after);
        }
        Ok(())
    }

    /// Whether these words hold, at an address, what an atomic compares with.
    fn is_equal(&self, atom: &Atom, words: &[(u64, u32)], address: u64, lane: u32) -> bool {
        let held = words.iter().rev().fold(0, |all, (_, word)| all << 32 | u128::from(*word));
        let compared = u128::from(self.warp.registers.bits(atom.b, lane));
        let differing = (held >> (8 * (address & 3))) ^ compared;
        differing & ((1 << (8 * atom.ty.bytes())) - 1) == 0
    }

    /// Executes a fence. Returns whether other blocks run before the warp continues.
    pub(super) fn fence_weakly(&mut self, fence: Fence, active: LaneMask) -> bool {
        let Some(weak) = &self.grid.weak else { return false };
        lanes(active).fold(false, |_, lane| weak.fence(self.thread(lane), fence))
    }

    /// Continues behind an access that was executed here.
    pub(super) fn accessed(&mut self, split: usize, active: LaneMask) -> Flow {
        self.moved(active);
        if self.warp.spins >= SPINS {
            return self.spin(split, self.pc + 1);
        }
        self.pc += 1;
        Flow::Next
    }

    /// Returns the stores that a load or store may meet, if memory is weak for it.
    fn stores(&self, space: Space, order: Order) -> Option<&'a Stores<'a>> {
        let grid = self.grid;
        grid.weak.as_ref().filter(|_| is_weak(space, order))
    }

    /// Returns the thread of a lane.
    pub(super) fn thread(&self, lane: u32) -> ThreadId {
        (self.grid.weak_block(self.warp.block), 32 * self.warp.index + lane)
    }

    fn lane_access(&self, lane: u32, kind: AccessKind, order: Order) -> LaneAccess {
        LaneAccess::new(self.thread(lane), self.pc, kind, order)
    }

    /// Returns the words that an access touches: the address of each among all words, and its present
    /// value. There are none in local memory and at an unmapped address.
    fn words(&mut self, space: Space, address: u64, bytes: u32) -> Vec<(u64, u32)> {
        let count = u64::from(bytes.div_ceil(4));
        let words = (0..count).map(|word| (address & !3) + 4 * word);
        words.filter_map(|word| self.word(space, word)).collect()
    }

    fn word(&mut self, space: Space, address: u64) -> Option<(u64, u32)> {
        let (target, address) = match space {
            Space::Global => (Target::Device, address),
            Space::Shared | Space::Cluster => (Target::Shared, address),
            Space::Generic => {
                let target = Target::of(address);
                (target, address.wrapping_sub(target.window()))
            }
            Space::Const | Space::Param | Space::Local => return None,
        };
        let (word, bytes) = match target {
            Target::Device => (address, self.device().load(address)),
            Target::Shared => {
                let (rank, offset) = (self.rank_of(address), address % BLOCK_WINDOW);
                let (block, shared) = if rank == self.peers.own_rank() {
                    (self.warp.block, &mut *self.shared)
                } else {
                    let peer = self.peers.get(rank)?;
                    (peer.index, peer.shared_mut())
                };
                (
                    shared_word(self.grid.weak_block(block), offset),
                    Bytes::shared(shared).load(offset),
                )
            }
            Target::Local => return None,
        };
        Some((word, u32::from_le_bytes(bytes?)))
    }
}

/// Returns the address, among all words, of a word in a block's shared memory.
pub(super) fn shared_word(block: u64, offset: u64) -> u64 {
    SHARED + block * BLOCK_WINDOW + offset
}
