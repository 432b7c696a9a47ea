//! Transfers between memory and registers: all lanes at once if their elements are contiguous (see
//! [`rows`]), one by one otherwise. It also builds the faults of both.

use ptx::ir::{Address, Load, MemType, Order, Scope, Space, Src, Store};
use simt_report::Action;

use super::rows;
use super::view::View;
use crate::access::{AccessKind, Strength};
use crate::counters::lanes;
use crate::fault::{FaultKind, Step, Trap};
use crate::pattern::{self, Addresses};
use crate::registers::{LaneMask, Lanes32, Lanes64, Registers};

/// The properties of a load or store that are the same for every lane.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// Bytes per lane.
    bytes: u8,
    pub(super) strength: Strength,
    pub(super) kind: AccessKind,
    pub(super) read_only: bool,
}

impl Shape {
    /// Describes a plain access of `bytes` bytes.
    pub(super) const fn new(kind: AccessKind, bytes: u32) -> Self {
        Self { bytes: bytes as u8, strength: Strength::Weak, kind, read_only: false }
    }

    /// Describes a plain access of `len` elements.
    pub(super) fn plain(kind: AccessKind, ty: MemType, len: u8) -> Self {
        Self::new(kind, ty.bytes() * u32::from(len))
    }

    /// Describes a load.
    pub(super) fn of_load(load: &Load) -> Self {
        Self {
            strength: strength(load.order),
            read_only: load.non_coherent,
            ..Self::plain(AccessKind::Load, load.ty, load.len)
        }
    }

    /// Describes a store.
    pub(super) fn of_store(store: &Store) -> Self {
        Self {
            strength: strength(store.order),
            ..Self::plain(AccessKind::Store, store.ty, store.len)
        }
    }

    #[inline(always)]
    pub(super) fn bytes(self) -> u32 {
        self.bytes.into()
    }
}

pub(super) fn strength(order: Order) -> Strength {
    match order {
        Order::Weak => Strength::Weak,
        Order::Volatile => Strength::Volatile,
        Order::Relaxed(scope)
        | Order::Acquire(scope)
        | Order::Release(scope)
        | Order::AcqRel(scope) => match scope {
            Scope::Block => Strength::StrongInBlock,
            Scope::Device | Scope::System => Strength::Strong,
        },
    }
}

/// What the active lanes access.
#[derive(Clone, Copy)]
pub(super) struct Elements<'a> {
    pub shape: Shape,
    pub addresses: Addresses<'a>,
    pub mask: LaneMask,
}

impl<'a> Elements<'a> {
    /// Finds the pattern of these addresses.
    pub fn new(addresses: &'a Lanes64, mask: LaneMask, shape: Shape) -> Self {
        let bytes = shape.bytes();
        let row = pattern::row(addresses, mask, bytes);
        let addresses = match row.filter(|origin| origin & u64::from(bytes - 1) == 0) {
            Some(origin) => Addresses::Row { origin, bytes },
            None => Addresses::Lanes(addresses),
        };
        Self { shape, addresses, mask }
    }
}

/// A load or a store.
pub(super) trait Transfer {
    fn space(&self) -> Space;
    fn address(&self) -> Address;
    /// Returns the store, if it is one.
    fn as_store(&self) -> Option<&Store>;
    /// Moves the elements of all active lanes.
    fn run<V: View>(&self, view: &mut V, registers: &mut Registers, at: Elements<'_>) -> Step;
    /// Moves them lane by lane and element by element: the slow path.
    fn by_lanes<V: View>(&self, view: &mut V, registers: &mut Registers, at: Elements<'_>) -> Step;
}

impl Transfer for Load {
    #[inline(always)]
    fn space(&self) -> Space {
        self.space
    }

    #[inline(always)]
    fn address(&self) -> Address {
        self.addr
    }

    #[inline(always)]
    fn as_store(&self) -> Option<&Store> {
        None
    }

    #[inline(always)]
    fn run<V: View>(&self, view: &mut V, registers: &mut Registers, at: Elements<'_>) -> Step {
        if let Addresses::Row { origin, .. } = at.addresses
            && rows::load(view, registers, self, origin, at.mask).is_some()
        {
            return Ok(());
        }
        let done = match (self.ty, self.len, self.d[0]) {
            (MemType::B32, 1, Some(Src::R32(d))) => {
                gather(view, registers.r32_mut(d), at, 0, u32::from_le_bytes)
            }
            (MemType::B64, 1, Some(Src::R64(d))) => {
                gather(view, registers.r64_mut(d), at, 0, u64::from_le_bytes)
            }
            _ => return self.by_lanes(view, registers, at),
        };
        done.map_err(|lane| absent(view, at, lane))
    }

    #[inline(never)]
    fn by_lanes<V: View>(&self, view: &mut V, registers: &mut Registers, at: Elements<'_>) -> Step {
        let size = u64::from(self.ty.bytes());
        for (element, d) in self.d[..usize::from(self.len)].iter().enumerate() {
            let Some(d) = *d else { continue };
            let offset = element as u64 * size;
            let loaded = match d {
                Src::R32(d) => load32(view, registers.r32_mut(d), self, at, offset),
                Src::R64(d) => load64(view, registers.r64_mut(d), self, at, offset),
            };
            loaded.map_err(|lane| absent(view, at, lane))?;
        }
        Ok(())
    }
}

impl Transfer for Store {
    #[inline(always)]
    fn space(&self) -> Space {
        self.space
    }

    #[inline(always)]
    fn address(&self) -> Address {
        self.addr
    }

    #[inline(always)]
    fn as_store(&self) -> Option<&Store> {
        Some(self)
    }

    #[inline(always)]
    fn run<V: View>(&self, view: &mut V, registers: &mut Registers, at: Elements<'_>) -> Step {
        if let Addresses::Row { origin, .. } = at.addresses
            && rows::store(view, registers, self, origin, at.mask).is_some()
        {
            return Ok(());
        }
        let (MemType::B32, 1, Src::R32(s)) = (self.ty, self.len, self.s[0]) else {
            return self.by_lanes(view, registers, at);
        };
        let values = registers.r32(s);
        let done = scatter(view, at, 0, |i| values[i].to_le_bytes());
        done.map_err(|lane| absent(view, at, lane))
    }

    #[inline(never)]
    fn by_lanes<V: View>(&self, view: &mut V, registers: &mut Registers, at: Elements<'_>) -> Step {
        let size = self.ty.bytes();
        for (element, s) in self.s[..usize::from(self.len)].iter().enumerate() {
            let offset = element as u64 * u64::from(size);
            let stored = match (*s, size) {
                (Src::R32(s), 4) => {
                    let values = registers.r32(s);
                    scatter(view, at, offset, |i| values[i].to_le_bytes())
                }
                (Src::R64(s), 8) => {
                    let values = registers.r64(s);
                    scatter(view, at, offset, |i| values[i].to_le_bytes())
                }
                (s, 1) => scatter(view, at, offset, |i| [low(registers, s, i) as u8]),
                (s, 2) => {
                    scatter(view, at, offset, |i| (low(registers, s, i) as u16).to_le_bytes())
                }
                (s, _) => scatter(view, at, offset, |i| low(registers, s, i).to_le_bytes()),
            };
            stored.map_err(|lane| absent(view, at, lane))?;
        }
        Ok(())
    }
}

/// Checks that every active lane's address is a multiple of the access's size.
#[inline(always)]
pub(super) fn aligned(shape: Shape, addresses: &[u64; 32], mask: LaneMask) -> Step {
    let mut bits = 0;
    if mask == LaneMask::MAX {
        for address in addresses {
            bits |= address;
        }
    } else {
        for (lane, address) in addresses.iter().enumerate() {
            bits |= address & u64::from(mask >> lane & 1).wrapping_neg();
        }
    }
    if bits & u64::from(shape.bytes() - 1) == 0 {
        Ok(())
    } else {
        Err(misaligned(shape.kind, shape.bytes(), addresses, mask))
    }
}

#[cold]
fn misaligned(kind: AccessKind, bytes: u32, addresses: &[u64; 32], mask: LaneMask) -> Box<Trap> {
    let off = |lane: &u32| addresses[*lane as usize] & u64::from(bytes - 1) != 0;
    let wrong = lanes(mask).find(off).unwrap_or(0);
    let address = addresses[wrong as usize];
    let cause = format!(
        "misaligned {} of {bytes} bytes at {address:#x}: the address must be a multiple of {bytes}",
        Action::from(kind)
    );
    Trap::new(FaultKind::MisalignedAddress, Some(wrong), cause)
}

/// Builds the fault of a load or store at an unmapped address.
#[cold]
pub(super) fn absent<V: View>(view: &V, at: Elements<'_>, lane: u32) -> Box<Trap> {
    let address = at.addresses.of(lane);
    out_of_bounds(view, at.shape.kind, at.shape.bytes(), address, lane)
}

#[cold]
pub(super) fn out_of_bounds<V: View>(
    view: &V,
    kind: AccessKind,
    bytes: u32,
    address: u64,
    lane: u32,
) -> Box<Trap> {
    let (verb, where_) = (Action::from(kind), view.describe(address, bytes));
    let name = match view.space() {
        Some(space) => format!("{space} memory"),
        None => "the parameters".into(),
    };
    let plural = if bytes == 1 { "byte" } else { "bytes" };
    let size = format!("{bytes} {plural}");
    let cause = if view.is_freed(address) {
        format!("{verb} of {size} in freed {name} at {address:#x}: {where_}")
    } else {
        format!("out-of-bounds {verb} of {size} in {name} at {address:#x}: {where_}")
    };
    let trap = Trap::new(FaultKind::IllegalAddress, Some(lane), cause).within(view.space());
    trap.detailed(view.leaves(address))
}

/// Loads one element per active lane into a 32-bit register.
#[inline(always)]
fn load32<V: View>(
    view: &mut V,
    row: &mut Lanes32,
    load: &Load,
    at: Elements<'_>,
    offset: u64,
) -> Result<(), u32> {
    let bits = load.sign_to;
    match load.ty {
        MemType::B32 | MemType::S32 => gather(view, row, at, offset, u32::from_le_bytes),
        MemType::U8 => gather(view, row, at, offset, |[b]| u32::from(b)),
        MemType::U16 => gather(view, row, at, offset, |b| u16::from_le_bytes(b).into()),
        MemType::S8 => gather(view, row, at, offset, |[b]| extend(b as i8, bits) as u32),
        MemType::S16 => {
            gather(view, row, at, offset, |b| extend(i16::from_le_bytes(b), bits) as u32)
        }
        MemType::B64 => gather(view, row, at, offset, |b| u64::from_le_bytes(b) as u32),
    }
}

/// Loads one element per active lane into a 64-bit register.
#[inline(always)]
fn load64<V: View>(
    view: &mut V,
    row: &mut Lanes64,
    load: &Load,
    at: Elements<'_>,
    offset: u64,
) -> Result<(), u32> {
    let bits = load.sign_to;
    match load.ty {
        MemType::B64 => gather(view, row, at, offset, u64::from_le_bytes),
        MemType::B32 => gather(view, row, at, offset, |b| u32::from_le_bytes(b).into()),
        MemType::S32 => gather(view, row, at, offset, |b| extend(i32::from_le_bytes(b), 64)),
        MemType::U8 => gather(view, row, at, offset, |[b]| u64::from(b)),
        MemType::U16 => gather(view, row, at, offset, |b| u16::from_le_bytes(b).into()),
        MemType::S8 => gather(view, row, at, offset, |[b]| extend(b as i8, bits)),
        MemType::S16 => gather(view, row, at, offset, |b| extend(i16::from_le_bytes(b), bits)),
    }
}

/// Extends a signed value to 16, 32 or 64 bits; the bits above are zero.
fn extend(value: impl Into<i64>, bits: u8) -> u64 {
    let wide = value.into() as u64;
    match bits {
        16 => wide & 0xffff,
        32 => wide & 0xffff_ffff,
        _ => wide,
    }
}

/// Reads one element per active lane. On an unmapped address, returns the lane. The loop over all
/// lanes is separate, because it needs no mask.
#[inline(always)]
fn gather<V: View, T, const N: usize>(
    view: &mut V,
    row: &mut [T; 32],
    Elements { addresses, mask, .. }: Elements<'_>,
    offset: u64,
    convert: impl Fn([u8; N]) -> T,
) -> Result<(), u32> {
    if let Addresses::Lanes(at) = addresses
        && mask == LaneMask::MAX
    {
        for i in 0..32 {
            let bytes = view.load::<N>(at[i].wrapping_add(offset));
            row[i] = convert(bytes.ok_or(i as u32)?);
        }
        return Ok(());
    }
    for lane in lanes(mask) {
        let i = lane as usize & 31;
        let bytes = view.load::<N>(addresses.of(lane).wrapping_add(offset));
        row[i] = convert(bytes.ok_or(lane)?);
    }
    Ok(())
}

/// Returns the low half of a register in one lane.
#[inline(always)]
fn low(registers: &Registers, s: Src, lane: usize) -> u32 {
    match s {
        Src::R32(s) => registers.r32(s)[lane],
        Src::R64(s) => registers.r64(s)[lane] as u32,
    }
}

/// Stores one element per active lane. On an unmapped address, returns the lane.
#[inline(always)]
fn scatter<V: View, const N: usize>(
    view: &mut V,
    Elements { addresses, mask, .. }: Elements<'_>,
    offset: u64,
    value: impl Fn(usize) -> [u8; N],
) -> Result<(), u32> {
    for lane in lanes(mask) {
        let i = lane as usize & 31;
        let stored = view.store(addresses.of(lane).wrapping_add(offset), value(i));
        stored.ok_or(lane)?;
    }
    Ok(())
}
