//! `ld` and `st` in every space, and `cp.async`.

use ptx::ir::{Address, Load, MemType, Order, R32, Space, Src, Store};

use super::rows::each_lane;
use super::transfer::{Elements, Shape, Transfer, absent, aligned};
use super::view::{Bytes, Device, Params, View};
use super::{Exec, Warp};
use crate::access::{AccessKind, AccessSpace, Strength};
use crate::counters::lanes;
use crate::fault::{FaultKind, Step, Trap};
use crate::module::{BLOCK_WINDOW, LOCAL_WINDOW, SHARED_WINDOW, WINDOW_BYTES};
use crate::observe::Observer;
use crate::pattern::{self, Addresses};
use crate::registers::{LaneMask, Lanes64, Registers};

/// The memory that a generic address is in.
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

    /// Returns the generic address of this memory's address 0.
    pub(super) fn window(self) -> u64 {
        match self {
            Self::Device => 0,
            Self::Shared => SHARED_WINDOW,
            Self::Local => LOCAL_WINDOW,
        }
    }
}

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    #[inline(always)]
    pub(super) fn load_inline(&mut self, load: &Load, shape: Shape, mask: LaneMask) -> Step {
        if shape.strength != Strength::Weak {
            self.warp.note_poll(self.pc);
        }
        self.transfer(load, shape, mask)?;
        if matches!(load.order, Order::Acquire(_)) {
            std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn store_inline(&mut self, store: &Store, shape: Shape, mask: LaneMask) -> Step {
        self.warp.has_changed = true;
        if let Order::Release(scope) = store.order {
            self.fence(scope, mask);
        }
        self.transfer(store, shape, mask)
    }

    #[inline(always)]
    fn transfer<T: Transfer>(&mut self, transfer: &T, shape: Shape, mask: LaneMask) -> Step {
        let scattered;
        let addresses = match self.row(transfer.address(), shape, mask) {
            Some(row) => row,
            None => {
                scattered = addresses(&self.warp.registers, transfer.address());
                Addresses::Lanes(in_memory(&scattered))
            }
        };
        let at = Elements { shape, addresses, mask };
        match transfer.space() {
            Space::Global => self.transfer_in_device(transfer, at),
            Space::Shared => self.transfer_in_shared(transfer, at),
            space => self.transfer_elsewhere(space, transfer, at),
        }
    }

    #[inline(always)]
    fn transfer_in_device<T: Transfer>(&mut self, transfer: &T, at: Elements<'_>) -> Step {
        if transfer.as_store().is_some() {
            self.check_protected(at.shape.kind, at.shape.bytes(), || at.addresses.all(), at.mask)?;
        }
        self.observe(AccessSpace::Global, at)?;
        self.check_write(transfer, AccessSpace::Global, at);
        let Warp { registers, region, .. } = &mut *self.warp;
        let mut view = Device { memory: &self.grid.memory, region };
        transfer.run(&mut view, registers, at)?;
        self.check_read(transfer, AccessSpace::Global, at);
        Ok(())
    }

    #[inline(always)]
    fn transfer_in_shared<T: Transfer>(&mut self, transfer: &T, at: Elements<'_>) -> Step {
        self.observe(AccessSpace::Shared, at)?;
        self.check_write(transfer, AccessSpace::Shared, at);
        let limits = transfer.address().limits;
        let mut view = Bytes::shared_within(self.shared, limits, self.grid.kernel);
        transfer.run(&mut view, &mut self.warp.registers, at)?;
        self.check_read(transfer, AccessSpace::Shared, at);
        Ok(())
    }

    /// Transfers in the spaces that are not counted, and at generic addresses.
    #[inline(never)]
    fn transfer_elsewhere<T: Transfer>(
        &mut self,
        space: Space,
        transfer: &T,
        at: Elements<'_>,
    ) -> Step {
        let Elements { shape, addresses, mask } = at;
        match space {
            Space::Generic => {
                for (target, part) in targets(&addresses.all(), mask) {
                    let own = addresses.all().map(|a| a.wrapping_sub(target.window()));
                    let at = Elements::new(&own, part, shape);
                    match target {
                        Target::Device => self.transfer_in_device_apart(transfer, at)?,
                        Target::Shared if is_own(&own) => {
                            self.transfer_in_shared_apart(transfer, at)?;
                        }
                        Target::Shared => self.transfer_in_cluster(transfer, shape, &own, part)?,
                        Target::Local => {
                            self.transfer_elsewhere(Space::Local, transfer, at)?;
                        }
                    }
                }
                Ok(())
            }
            Space::Global => self.transfer_in_device_apart(transfer, at),
            Space::Shared => self.transfer_in_shared_apart(transfer, at),
            Space::Cluster => self.transfer_in_cluster(transfer, shape, &addresses.all(), mask),
            Space::Const | Space::Param if transfer.as_store().is_some() => {
                let cause = "stores to read-only memory";
                let lane = Some(mask.trailing_zeros());
                Err(Trap::new(FaultKind::IllegalAddress, lane, cause))
            }
            // A variable in constant space is in device memory, and its loads are not counted.
            Space::Const => {
                let Warp { registers, region, .. } = &mut *self.warp;
                let mut view = Device { memory: &self.grid.memory, region };
                transfer.by_lanes(&mut view, registers, at)
            }
            Space::Param => {
                let mut view = Params(self.grid.params);
                transfer.by_lanes(&mut view, &mut self.warp.registers, at)
            }
            Space::Local => self
                .each_local_lane(at, |view, registers, at| transfer.by_lanes(view, registers, at)),
        }
    }

    #[inline(never)]
    fn transfer_in_device_apart<T: Transfer>(&mut self, transfer: &T, at: Elements<'_>) -> Step {
        self.transfer_in_device(transfer, at)
    }

    #[inline(never)]
    pub(super) fn transfer_in_shared_apart<T: Transfer>(
        &mut self,
        transfer: &T,
        at: Elements<'_>,
    ) -> Step {
        self.transfer_in_shared(transfer, at)
    }

    /// Calls `access` with each active lane's local memory and its offset there.
    pub(super) fn each_local_lane(
        &mut self,
        at: Elements<'_>,
        mut access: impl FnMut(&mut Bytes<'_>, &mut Registers, Elements<'_>) -> Step,
    ) -> Step {
        let addresses = at.addresses.all();
        aligned(at.shape, &addresses, at.mask)?;
        self.check_local(at.shape, &addresses, at.mask);
        let size = self.grid.kernel.ir().local_bytes as usize;
        for lane in lanes(at.mask) {
            let start = lane as usize * size;
            let bytes = &mut self.warp.local[start..start + size];
            let mut view = Bytes::local(bytes);
            let at = Elements { addresses: Addresses::Lanes(&addresses), mask: 1 << lane, ..at };
            access(&mut view, &mut self.warp.registers, at)?;
        }
        Ok(())
    }

    /// Returns the address of lane 0's element if the lanes' elements are contiguous.
    #[inline(always)]
    pub(super) fn row(
        &self,
        address: Address,
        shape: Shape,
        mask: LaneMask,
    ) -> Option<Addresses<'static>> {
        let (registers, bytes) = (&self.warp.registers, shape.bytes());
        let row = match address.base {
            Src::R32(r) => pattern::row32(registers.r32(r), mask, bytes),
            Src::R64(r) => pattern::row(registers.r64(r), mask, bytes),
        };
        let origin = row?.wrapping_add_signed(address.offset);
        (origin & u64::from(bytes - 1) == 0).then_some(Addresses::Row { origin, bytes })
    }

    /// Checks alignment, finds the pattern of the addresses, and informs the observer.
    #[inline(always)]
    fn observe(&mut self, space: AccessSpace, at: Elements<'_>) -> Step {
        if let Addresses::Lanes(addresses) = at.addresses {
            aligned(at.shape, addresses, at.mask)?;
        }
        let access = self.as_access(space, at);
        self.observer.access(&access);
        Ok(())
    }

    /// Executes `cp.async`. It copies at once, which no correct program can distinguish from later.
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
        let (ty, len) = if bytes < 8 { (MemType::B32, 1) } else { (MemType::B64, bytes as u8 / 8) };
        let source = Elements::new(&from, mask, Shape::plain(AccessKind::Load, ty, len));
        self.observe(AccessSpace::Global, source)?;
        let target = Elements::new(&to, mask, Shape::plain(AccessKind::Store, ty, len));
        self.observe(AccessSpace::Shared, target)?;
        self.check_copy(target);
        let wanted = src_bytes.map(|r| *self.warp.registers.r32(r));
        for lane in lanes(mask) {
            let i = lane as usize;
            let count = wanted.map_or(bytes, |w| w[i].min(bytes));
            let mut device = Device { memory: &self.grid.memory, region: &mut self.warp.region };
            let mut shared = Bytes::shared_within(self.shared, dst.limits, self.grid.kernel);
            for byte in 0..u64::from(bytes) {
                let value = if byte < u64::from(count) {
                    let read = device.load::<1>(from[i] + byte);
                    read.ok_or_else(|| absent(&device, source, lane))?
                } else {
                    [0]
                };
                let written = shared.store(to[i] + byte, value);
                written.ok_or_else(|| absent(&shared, target, lane))?;
            }
        }
        Ok(())
    }
}

/// Returns the same addresses as an array in memory. If the compiler splits the array into scalars,
/// it vectorises little and reassembles vectors.
#[inline(always)]
fn in_memory(addresses: &Lanes64) -> &Lanes64 {
    std::hint::black_box(addresses)
}

/// Returns the address of every lane, active or not.
#[inline(always)]
pub(super) fn addresses(registers: &Registers, Address { base, offset, .. }: Address) -> Lanes64 {
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

/// Whether addresses in the window of a cluster are all in the thread's own block.
pub(super) fn is_own(addresses: &Lanes64) -> bool {
    addresses.iter().fold(0, |all, address| all | address) < BLOCK_WINDOW
}

/// Returns the memories that generic addresses are in, each with its lanes.
pub(super) fn targets(
    addresses: &Lanes64,
    mask: LaneMask,
) -> impl Iterator<Item = (Target, LaneMask)> {
    let part = |target| {
        let leads = lanes(mask).filter(|l| Target::of(addresses[*l as usize]) == target);
        (target, leads.fold(0, |m, l| m | 1 << l))
    };
    let parts = [Target::Device, Target::Shared, Target::Local].map(part);
    parts.into_iter().filter(|(_, mask)| *mask != 0)
}
