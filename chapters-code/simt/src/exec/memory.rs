//! `ld` and `st` in every space, and `cp.async`.

use ptx::ir::{Address, Load, MemType, Order, R32, Space, Src, Store};

use super::rows::each_lane;
use super::transfer::{self, Place, Shape, aligned, out_of_bounds};
use super::view::{Bytes, Device, Params, View};
use super::{Exec, Warp};
use crate::counters::lanes;
use crate::fault::{FaultKind, Step, Trap};
use crate::module::{LOCAL_WINDOW, SHARED_WINDOW, WINDOW_BYTES};
use crate::observe::{AccessKind, AccessSpace, Observer, Strength};
use crate::pattern::{self, Pattern};
use crate::registers::{LaneMask, Registers};

/// Where an address of generic space leads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Device,
    Shared,
    Local,
}

impl Target {
    #[inline(always)]
    pub(super) fn of(address: u64) -> Self {
        if address.wrapping_sub(SHARED_WINDOW) < WINDOW_BYTES {
            Self::Shared
        } else if address.wrapping_sub(LOCAL_WINDOW) < WINDOW_BYTES {
            Self::Local
        } else {
            Self::Device
        }
    }

    /// The generic address of this memory's address 0.
    pub(super) fn window(self) -> u64 {
        match self {
            Self::Device => 0,
            Self::Shared => SHARED_WINDOW,
            Self::Local => LOCAL_WINDOW,
        }
    }
}

fn strength(order: Order) -> Strength {
    match order {
        Order::Weak => Strength::Weak,
        Order::Volatile => Strength::Volatile,
        Order::Relaxed(_) | Order::Acquire(_) | Order::Release(_) | Order::AcqRel(_) => {
            Strength::Strong
        }
    }
}

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    #[inline(always)]
    pub(super) fn load_inline(&mut self, load: &Load, mask: LaneMask) -> Step {
        let addresses = addresses(&self.warp.registers, load.addr);
        let addresses = in_memory(&addresses);
        let strength = strength(load.order);
        if strength != Strength::Weak {
            self.note_poll();
        }
        let (ty, len, read_only) = (load.ty, load.len, load.non_coherent);
        let shape = Shape {
            ty,
            len,
            strength,
            kind: AccessKind::Load,
            read_only,
        };
        match load.space {
            Space::Global => self.load_device(load, shape, addresses, mask)?,
            Space::Shared => self.load_shared(load, shape, addresses, mask)?,
            space => self.load_elsewhere(space, load, shape, addresses, mask)?,
        }
        if matches!(load.order, Order::Acquire(_)) {
            std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
        }
        Ok(())
    }

    #[inline(always)]
    fn load_device(
        &mut self,
        load: &Load,
        shape: Shape,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step {
        let place = self.observe(shape, AccessSpace::Global, addresses, mask)?;
        let Warp {
            registers, region, ..
        } = &mut *self.warp;
        let table = &self.grid.table;
        let mut view = Device { table, region };
        transfer::load(&mut view, registers, load, shape, place)?;
        self.check_read(shape, AccessSpace::Global, addresses, mask);
        Ok(())
    }

    #[inline(always)]
    fn load_shared(
        &mut self,
        load: &Load,
        shape: Shape,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step {
        let place = self.observe(shape, AccessSpace::Shared, addresses, mask)?;
        let mut view = Bytes {
            bytes: self.shared,
            name: "shared memory",
        };
        let registers = &mut self.warp.registers;
        transfer::load(&mut view, registers, load, shape, place)?;
        self.check_read(shape, AccessSpace::Shared, addresses, mask);
        Ok(())
    }

    /// The spaces that are not counted, and generic addresses.
    #[inline(never)]
    fn load_elsewhere(
        &mut self,
        space: Space,
        load: &Load,
        shape: Shape,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step {
        match space {
            Space::Global | Space::Const => {
                let Warp {
                    registers, region, ..
                } = &mut *self.warp;
                let mut view = Device {
                    table: &self.grid.table,
                    region,
                };
                transfer::load_lanes(&mut view, registers, load, shape, addresses, mask)
            }
            Space::Param => {
                let mut view = Params(self.grid.params);
                transfer::load_lanes(
                    &mut view,
                    &mut self.warp.registers,
                    load,
                    shape,
                    addresses,
                    mask,
                )
            }
            Space::Shared => self.load_shared(load, shape, addresses, mask),
            Space::Local => {
                aligned(shape, addresses, mask)?;
                self.check_local(shape, addresses, mask);
                self.each_local_lane(mask, |view, registers, lane| {
                    transfer::load_lanes(view, registers, load, shape, addresses, 1 << lane)
                })
            }
            Space::Generic => {
                for (target, part) in targets(addresses, mask) {
                    let own = addresses.map(|a| a.wrapping_sub(target.window()));
                    match target {
                        Target::Device => self.load_device(load, shape, &own, part)?,
                        Target::Shared => self.load_shared(load, shape, &own, part)?,
                        Target::Local => {
                            self.load_elsewhere(Space::Local, load, shape, &own, part)?;
                        }
                    }
                }
                Ok(())
            }
        }
    }

    #[inline(always)]
    pub(super) fn store_inline(&mut self, store: &Store, mask: LaneMask) -> Step {
        let addresses = addresses(&self.warp.registers, store.addr);
        let addresses = in_memory(&addresses);
        let strength = strength(store.order);
        let (ty, len, read_only) = (store.ty, store.len, false);
        let shape = Shape {
            ty,
            len,
            strength,
            kind: AccessKind::Store,
            read_only,
        };
        self.warp.has_changed = true;
        if let Order::Release(scope) = store.order {
            self.fence(scope);
        }
        match store.space {
            Space::Global => self.store_device(store, shape, addresses, mask),
            Space::Shared => self.store_shared(store, shape, addresses, mask),
            space => self.store_elsewhere(space, store, shape, addresses, mask),
        }
    }

    #[inline(always)]
    fn store_device(
        &mut self,
        store: &Store,
        shape: Shape,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step {
        let place = self.observe(shape, AccessSpace::Global, addresses, mask)?;
        self.check_write(store, shape, AccessSpace::Global, place);
        let Warp {
            registers, region, ..
        } = &mut *self.warp;
        let table = &self.grid.table;
        let mut view = Device { table, region };
        transfer::store(&mut view, registers, store, shape, place)
    }

    #[inline(always)]
    fn store_shared(
        &mut self,
        store: &Store,
        shape: Shape,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step {
        let place = self.observe(shape, AccessSpace::Shared, addresses, mask)?;
        self.check_write(store, shape, AccessSpace::Shared, place);
        let mut view = Bytes {
            bytes: self.shared,
            name: "shared memory",
        };
        let registers = &self.warp.registers;
        transfer::store(&mut view, registers, store, shape, place)
    }

    #[inline(never)]
    fn store_elsewhere(
        &mut self,
        space: Space,
        store: &Store,
        shape: Shape,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step {
        match space {
            Space::Global => self.store_device(store, shape, addresses, mask),
            Space::Shared => self.store_shared(store, shape, addresses, mask),
            Space::Const | Space::Param => {
                let cause = "stores to read-only memory";
                Err(Trap::new(
                    FaultKind::IllegalAddress,
                    Some(mask.trailing_zeros()),
                    cause,
                ))
            }
            Space::Local => {
                aligned(shape, addresses, mask)?;
                self.check_local(shape, addresses, mask);
                self.each_local_lane(mask, |view, registers, lane| {
                    transfer::store_lanes(view, registers, store, shape, addresses, 1 << lane)
                })
            }
            Space::Generic => {
                for (target, part) in targets(addresses, mask) {
                    let own = addresses.map(|a| a.wrapping_sub(target.window()));
                    match target {
                        Target::Device => self.store_device(store, shape, &own, part)?,
                        Target::Shared => self.store_shared(store, shape, &own, part)?,
                        Target::Local => {
                            self.store_elsewhere(Space::Local, store, shape, &own, part)?;
                        }
                    }
                }
                Ok(())
            }
        }
    }

    /// Calls `access` with each active lane's local memory.
    fn each_local_lane(
        &mut self,
        mask: LaneMask,
        mut access: impl FnMut(&mut Bytes<'_>, &mut Registers, u32) -> Step,
    ) -> Step {
        let size = self.grid.kernel.ir().local_bytes as usize;
        for lane in lanes(mask) {
            let start = lane as usize * size;
            let bytes = &mut self.warp.local[start..start + size];
            let mut view = Bytes {
                bytes,
                name: "local memory",
            };
            access(&mut view, &mut self.warp.registers, lane)?;
        }
        Ok(())
    }

    /// A path may be waiting for what it reads here.
    pub(super) fn note_poll(&mut self) {
        self.warp.polls += 1;
        self.warp.polled_at = self.pc;
    }

    /// Checks alignment, finds out how the addresses lie, and tells the observer.
    #[inline(always)]
    fn observe<'p>(
        &mut self,
        shape: Shape,
        space: AccessSpace,
        addresses: &'p [u64; 32],
        mask: LaneMask,
    ) -> Step<Place<'p>> {
        let row = pattern::row(addresses, mask, shape.bytes());
        let row = row.filter(|origin| origin & u64::from(shape.bytes() - 1) == 0);
        if row.is_none() {
            aligned(shape, addresses, mask)?;
        }
        let pattern = match row {
            Some(origin) => Pattern::of_row(origin, mask, shape.bytes()),
            None => Pattern::of(addresses, mask),
        };
        let access = self.as_access(shape, space, addresses, mask, pattern);
        self.observer.access(&access);
        Ok(Place {
            addresses,
            mask,
            row,
        })
    }

    /// `cp.async`: copied at once, which no correct program can tell from later.
    pub(super) fn copy_async(
        &mut self,
        dst: Address,
        src: Address,
        bytes: u32,
        src_bytes: Option<R32>,
        mask: LaneMask,
    ) -> Step {
        self.warp.has_changed = true;
        let from = addresses(&self.warp.registers, src);
        let to = addresses(&self.warp.registers, dst);
        let (ty, len) = if bytes < 8 {
            (MemType::B32, 1)
        } else {
            (MemType::B64, bytes as u8 / 8)
        };
        let shape = |kind| Shape {
            ty,
            len,
            strength: Strength::Weak,
            kind,
            read_only: false,
        };
        let (reading, writing) = (shape(AccessKind::Load), shape(AccessKind::Store));
        self.observe(reading, AccessSpace::Global, &from, mask)?;
        self.observe(writing, AccessSpace::Shared, &to, mask)?;
        self.check_copy(writing, &to, mask);
        let wanted = src_bytes.map(|r| *self.warp.registers.r32(r));
        for lane in lanes(mask) {
            let i = lane as usize;
            let count = wanted.map_or(bytes, |w| w[i].min(bytes));
            let mut device = Device {
                table: &self.grid.table,
                region: &mut self.warp.region,
            };
            let mut shared = Bytes {
                bytes: self.shared,
                name: "shared memory",
            };
            for byte in 0..u64::from(bytes) {
                let value = if byte < u64::from(count) {
                    let read = device.load::<1>(from[i] + byte);
                    read.ok_or_else(|| absent(&device, reading, &from, lane))?
                } else {
                    [0]
                };
                let written = shared.store(to[i] + byte, value);
                written.ok_or_else(|| absent(&shared, writing, &to, lane))?;
            }
        }
        Ok(())
    }
}

/// The same addresses, as an array that lies in memory. Where the compiler takes it apart it finds
/// few vectors, and puts them together from scalars.
#[inline(always)]
fn in_memory(addresses: &[u64; 32]) -> &[u64; 32] {
    std::hint::black_box(addresses)
}

/// The address of every lane, active or not.
#[inline(always)]
pub(super) fn addresses(registers: &Registers, Address { base, offset }: Address) -> [u64; 32] {
    match base {
        Src::R64(r) => {
            let mut addresses = *registers.r64(r);
            for address in &mut addresses {
                *address = address.wrapping_add_signed(offset);
            }
            addresses
        }
        Src::R32(r) => {
            let base = registers.r32(r);
            each_lane(|lane| u64::from(base[lane]).wrapping_add_signed(offset))
        }
    }
}

/// The targets that generic addresses lead to, each with its lanes.
pub(super) fn targets(
    addresses: &[u64; 32],
    mask: LaneMask,
) -> impl Iterator<Item = (Target, LaneMask)> {
    let part = |target| {
        let leads = lanes(mask).filter(|l| Target::of(addresses[*l as usize]) == target);
        (target, leads.fold(0, |m, l| m | 1 << l))
    };
    let parts = [Target::Device, Target::Shared, Target::Local].map(part);
    parts.into_iter().filter(|(_, mask)| *mask != 0)
}

fn absent<V: View>(view: &V, shape: Shape, addresses: &[u64; 32], lane: u32) -> Box<Trap> {
    let address = addresses[lane as usize];
    out_of_bounds(view, shape.kind, shape.bytes(), address, lane)
}
