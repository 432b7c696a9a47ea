//! `ld` and `st` in every space, and `cp.async`.

use ptx::ir::{Address, Load, MemType, Order, R32, Space, Src, Store};

use super::view::{Bytes, Device, Params, View};
use super::{Exec, Warp};
use crate::counters::lanes;
use crate::fault::{FaultKind, Step, Trap};
use crate::module::{LOCAL_WINDOW, SHARED_WINDOW, WINDOW_BYTES};
use crate::observe::{Access, AccessKind, AccessSpace, Observer, Strength};
use crate::pattern::Pattern;
use crate::registers::{LaneMask, Lanes32, Registers};

/// Where an address of generic space leads.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    Device,
    Shared,
    Local,
}

impl Target {
    #[inline(always)]
    fn of(address: u64) -> Self {
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

/// What is the same for every lane of a load or store.
#[derive(Clone, Copy)]
struct Shape {
    ty: MemType,
    len: u8,
    strength: Strength,
    kind: AccessKind,
    read_only: bool,
}

impl Shape {
    #[inline(always)]
    fn bytes(self) -> u32 {
        element_bytes(self.ty) * u32::from(self.len)
    }
}

#[inline(always)]
fn element_bytes(ty: MemType) -> u32 {
    match ty {
        MemType::U8 | MemType::S8 => 1,
        MemType::U16 | MemType::S16 => 2,
        MemType::B32 | MemType::S32 => 4,
        MemType::B64 => 8,
    }
}

fn strength(order: Order) -> Strength {
    match order {
        Order::Weak => Strength::Weak,
        Order::Volatile
        | Order::Relaxed(_)
        | Order::Acquire(_)
        | Order::Release(_)
        | Order::AcqRel(_) => Strength::Strong,
    }
}

impl<'a, O: Observer<'a>> Exec<'_, 'a, O> {
    #[inline(always)]
    pub(super) fn load(&mut self, load: &Load, mask: LaneMask) -> Step {
        let addresses = addresses(&self.warp.registers, load.addr);
        let strength = strength(load.order);
        self.warp.polls += u32::from(strength == Strength::Strong);
        let (ty, len, read_only) = (load.ty, load.len, load.non_coherent);
        let shape = Shape {
            ty,
            len,
            strength,
            kind: AccessKind::Load,
            read_only,
        };
        match load.space {
            Space::Global => self.load_device(load, shape, &addresses, mask)?,
            Space::Shared => self.load_shared(load, shape, &addresses, mask)?,
            space => self.load_elsewhere(space, load, shape, &addresses, mask)?,
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
        let pattern = self.observe(shape, AccessSpace::Global, addresses, mask)?;
        let Warp {
            registers, region, ..
        } = &mut *self.warp;
        let mut view = Device {
            table: &self.grid.table,
            region,
        };
        match pattern {
            Pattern::Affine { first, step, count } if step == 4 && unit(load, mask, count) => {
                let Some(Src::R32(d)) = load.d[0] else {
                    unreachable!("`unit` has checked")
                };
                let bytes = view
                    .load::<128>(first)
                    .ok_or_else(|| missing(&view, shape, addresses, mask))?;
                registers.write32(d, mask, &words(&bytes));
                Ok(())
            }
            _ => load_lanes(&mut view, registers, load, shape, addresses, mask),
        }
    }

    #[inline(always)]
    fn load_shared(
        &mut self,
        load: &Load,
        shape: Shape,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step {
        let pattern = self.observe(shape, AccessSpace::Shared, addresses, mask)?;
        let mut view = Bytes {
            bytes: self.shared,
            name: "shared memory",
        };
        let registers = &mut self.warp.registers;
        match pattern {
            Pattern::Affine { first, step, count } if step == 4 && unit(load, mask, count) => {
                let Some(Src::R32(d)) = load.d[0] else {
                    unreachable!("`unit` has checked")
                };
                let bytes = view
                    .load::<128>(first)
                    .ok_or_else(|| missing(&view, shape, addresses, mask))?;
                registers.write32(d, mask, &words(&bytes));
                Ok(())
            }
            _ => load_lanes(&mut view, registers, load, shape, addresses, mask),
        }
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
                load_lanes(&mut view, registers, load, shape, addresses, mask)
            }
            Space::Param => {
                let mut view = Params(self.grid.params);
                load_lanes(
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
                self.each_local_lane(mask, |view, registers, lane| {
                    load_lanes(view, registers, load, shape, addresses, 1 << lane)
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
    pub(super) fn store(&mut self, store: &Store, mask: LaneMask) -> Step {
        let addresses = addresses(&self.warp.registers, store.addr);
        let strength = strength(store.order);
        let (ty, len, read_only) = (store.ty, store.len, false);
        let shape = Shape {
            ty,
            len,
            strength,
            kind: AccessKind::Store,
            read_only,
        };
        if let Order::Release(scope) = store.order {
            self.fence(scope);
        }
        match store.space {
            Space::Global => self.store_device(store, shape, &addresses, mask),
            Space::Shared => self.store_shared(store, shape, &addresses, mask),
            space => self.store_elsewhere(space, store, shape, &addresses, mask),
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
        let pattern = self.observe(shape, AccessSpace::Global, addresses, mask)?;
        let Warp {
            registers, region, ..
        } = &mut *self.warp;
        let mut view = Device {
            table: &self.grid.table,
            region,
        };
        match (pattern, store.s[0], store.ty) {
            (
                Pattern::Affine {
                    first,
                    step: 4,
                    count: 32,
                },
                Src::R32(s),
                MemType::B32,
            ) if store.len == 1 => {
                let bytes = bytes_of(registers.r32(s));
                view.store(first, bytes)
                    .ok_or_else(|| missing(&view, shape, addresses, mask))
            }
            _ => store_lanes(&mut view, registers, store, shape, addresses, mask),
        }
    }

    #[inline(always)]
    fn store_shared(
        &mut self,
        store: &Store,
        shape: Shape,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step {
        let pattern = self.observe(shape, AccessSpace::Shared, addresses, mask)?;
        let mut view = Bytes {
            bytes: self.shared,
            name: "shared memory",
        };
        let registers = &self.warp.registers;
        match (pattern, store.s[0], store.ty) {
            (
                Pattern::Affine {
                    first,
                    step: 4,
                    count: 32,
                },
                Src::R32(s),
                MemType::B32,
            ) if store.len == 1 => {
                let bytes = bytes_of(registers.r32(s));
                view.store(first, bytes)
                    .ok_or_else(|| missing(&view, shape, addresses, mask))
            }
            _ => store_lanes(&mut view, registers, store, shape, addresses, mask),
        }
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
                self.each_local_lane(mask, |view, registers, lane| {
                    store_lanes(view, registers, store, shape, addresses, 1 << lane)
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

    /// Checks alignment, finds the pattern, and tells the observer.
    #[inline(always)]
    fn observe(
        &mut self,
        shape: Shape,
        space: AccessSpace,
        addresses: &[u64; 32],
        mask: LaneMask,
    ) -> Step<Pattern> {
        aligned(shape, addresses, mask)?;
        let pattern = Pattern::of(addresses, mask);
        let Shape {
            strength,
            kind,
            read_only,
            ..
        } = shape;
        let (bytes, warp, pc) = (shape.bytes(), self.warp.index, self.pc);
        let access = Access {
            kind,
            space,
            strength,
            read_only,
            bytes,
            addresses,
            mask,
            pattern,
            warp,
            pc,
        };
        self.observer.access(&access);
        Ok(pattern)
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
                    read.ok_or_else(|| missing(&device, reading, &from, 1 << lane))?
                } else {
                    [0]
                };
                let written = shared.store(to[i] + byte, value);
                written.ok_or_else(|| missing(&shared, writing, &to, 1 << lane))?;
            }
        }
        Ok(())
    }
}

/// The address of every lane, active or not.
#[inline(always)]
pub(super) fn addresses(registers: &Registers, address: Address) -> [u64; 32] {
    match address.base {
        Src::R64(r) => {
            let base = registers.r64(r);
            std::array::from_fn(|lane| base[lane].wrapping_add_signed(address.offset))
        }
        Src::R32(r) => {
            let base = registers.r32(r);
            std::array::from_fn(|lane| u64::from(base[lane]).wrapping_add_signed(address.offset))
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

/// True for a load of one 32-bit word by every lane.
#[inline(always)]
fn unit(load: &Load, mask: LaneMask, count: u32) -> bool {
    let word = matches!(load.ty, MemType::B32 | MemType::S32);
    mask == LaneMask::MAX
        && count == 32
        && load.len == 1
        && word
        && matches!(load.d[0], Some(Src::R32(_)))
}

#[inline(always)]
fn words(bytes: &[u8; 128]) -> Lanes32 {
    let mut words = [0; 32];
    for (word, chunk) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_le_bytes(*chunk);
    }
    words
}

#[inline(always)]
fn bytes_of(words: &Lanes32) -> [u8; 128] {
    let mut bytes = [0; 128];
    for (chunk, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *chunk = word.to_le_bytes();
    }
    bytes
}

/// Every active lane's address is a multiple of the access's size.
#[inline(always)]
fn aligned(shape: Shape, addresses: &[u64; 32], mask: LaneMask) -> Step {
    let bits = if mask == LaneMask::MAX {
        addresses.iter().fold(0, |all, a| all | a)
    } else {
        let active = |lane: usize| u64::from(mask >> lane & 1).wrapping_neg();
        (0..32).fold(0, |all, lane| all | addresses[lane] & active(lane))
    };
    if bits & u64::from(shape.bytes() - 1) == 0 {
        Ok(())
    } else {
        Err(misaligned(shape.kind, shape.bytes(), addresses, mask))
    }
}

#[cold]
pub(super) fn misaligned(
    kind: AccessKind,
    bytes: u32,
    addresses: &[u64; 32],
    mask: LaneMask,
) -> Box<Trap> {
    let off = |lane: &u32| addresses[*lane as usize] & u64::from(bytes - 1) != 0;
    let wrong = lanes(mask).find(off).unwrap_or(0);
    let address = addresses[wrong as usize];
    let cause = format!(
        "misaligned {} of {bytes} bytes at {address:#x}: the address must be a multiple of {bytes}",
        verb(kind)
    );
    Trap::new(FaultKind::MisalignedAddress, Some(wrong), cause)
}

pub(super) fn verb(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Load => "read",
        AccessKind::Store => "write",
        AccessKind::Atomic => "atomic",
    }
}

/// The fault of an access of which some lane found no memory.
#[cold]
fn missing<V: View>(view: &V, shape: Shape, addresses: &[u64; 32], mask: LaneMask) -> Box<Trap> {
    // A block access may fail as a whole: the lane at fault is the first or the last.
    let far = |lane: &u32| {
        view.describe(addresses[*lane as usize])
            .starts_with("it lies in")
    };
    let lane = lanes(mask)
        .find(|l| !far(l))
        .unwrap_or(mask.trailing_zeros());
    out_of_bounds(
        view,
        shape.kind,
        shape.bytes(),
        addresses[lane as usize],
        lane,
    )
}

#[cold]
pub(super) fn out_of_bounds<V: View>(
    view: &V,
    kind: AccessKind,
    bytes: u32,
    address: u64,
    lane: u32,
) -> Box<Trap> {
    let (verb, name, where_) = (verb(kind), view.name(), view.describe(address));
    let plural = if bytes == 1 { "byte" } else { "bytes" };
    let cause =
        format!("out-of-bounds {verb} of {bytes} {plural} in {name} at {address:#x}: {where_}");
    Trap::new(FaultKind::IllegalAddress, Some(lane), cause)
}

/// Loads lane by lane, element by element.
#[inline(always)]
fn load_lanes<V: View>(
    view: &mut V,
    registers: &mut Registers,
    load: &Load,
    shape: Shape,
    addresses: &[u64; 32],
    mask: LaneMask,
) -> Step {
    let size = u64::from(element_bytes(load.ty));
    for (element, d) in load.d[..usize::from(load.len)].iter().enumerate() {
        let Some(d) = *d else { continue };
        let offset = element as u64 * size;
        match load.ty {
            MemType::B32 => gather(view, addresses, offset, mask, |b| {
                u64::from(u32::from_le_bytes(b))
            }),
            MemType::B64 => gather(view, addresses, offset, mask, u64::from_le_bytes),
            MemType::U8 => gather(view, addresses, offset, mask, |[b]| u64::from(b)),
            MemType::U16 => gather(view, addresses, offset, mask, |b| {
                u64::from(u16::from_le_bytes(b))
            }),
            MemType::S8 => gather(view, addresses, offset, mask, |[b]| {
                extend(b as i8, load.sign_to)
            }),
            MemType::S16 => gather(view, addresses, offset, mask, |b| {
                extend(i16::from_le_bytes(b), load.sign_to)
            }),
            MemType::S32 => gather(view, addresses, offset, mask, |b| {
                i64::from(i32::from_le_bytes(b)) as u64
            }),
        }
        .map(|values| write(registers, d, mask, &values))
        .map_err(|lane| {
            out_of_bounds(
                view,
                shape.kind,
                shape.bytes(),
                addresses[lane as usize],
                lane,
            )
        })?;
    }
    Ok(())
}

/// A signed value extended to 16, 32 or 64 bits, the bits above being zero.
fn extend(value: impl Into<i64>, bits: u8) -> u64 {
    let wide = value.into() as u64;
    match bits {
        16 => wide & 0xffff,
        32 => wide & 0xffff_ffff,
        _ => wide,
    }
}

#[inline(always)]
fn write(registers: &mut Registers, d: Src, mask: LaneMask, values: &[u64; 32]) {
    match d {
        Src::R32(d) => registers.write32(d, mask, &values.map(|v| v as u32)),
        Src::R64(d) => registers.write64(d, mask, values),
    }
}

/// One element of every active lane; the lane at fault if there is no memory.
#[inline(always)]
fn gather<V: View, const N: usize>(
    view: &mut V,
    addresses: &[u64; 32],
    offset: u64,
    mask: LaneMask,
    convert: impl Fn([u8; N]) -> u64,
) -> Result<[u64; 32], u32> {
    let mut values = [0; 32];
    for lane in lanes(mask) {
        let i = lane as usize & 31;
        let bytes = view
            .load::<N>(addresses[i].wrapping_add(offset))
            .ok_or(lane)?;
        values[i] = convert(bytes);
    }
    Ok(values)
}

/// Stores lane by lane, element by element.
#[inline(always)]
fn store_lanes<V: View>(
    view: &mut V,
    registers: &Registers,
    store: &Store,
    shape: Shape,
    addresses: &[u64; 32],
    mask: LaneMask,
) -> Step {
    let size = u64::from(element_bytes(store.ty));
    for (element, s) in store.s[..usize::from(store.len)].iter().enumerate() {
        let offset = element as u64 * size;
        let values = match *s {
            Src::R32(s) => registers.r32(s).map(u64::from),
            Src::R64(s) => *registers.r64(s),
        };
        for lane in lanes(mask) {
            let i = lane as usize & 31;
            let at = addresses[i].wrapping_add(offset);
            let stored = match size {
                1 => view.store(at, [values[i] as u8]),
                2 => view.store(at, (values[i] as u16).to_le_bytes()),
                4 => view.store(at, (values[i] as u32).to_le_bytes()),
                _ => view.store(at, values[i].to_le_bytes()),
            };
            let fault = || out_of_bounds(view, shape.kind, shape.bytes(), addresses[i], lane);
            if stored.is_none() {
                return Err(fault());
            }
        }
    }
    Ok(())
}
